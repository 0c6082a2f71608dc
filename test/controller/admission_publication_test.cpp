#include "controller/process/webhooks/admission_publication.hpp"

#include "json/patch.hpp"
#include "kube/core/base64.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

// What webhook configurations say about where the webhooks are.
namespace sluice::controller {
namespace {

using serving::WebhookAddress;

const WebhookAddress kByUrl{"https://10.0.0.1:9443", "svc", "ns", "authority"};
const WebhookAddress kByService{"", "svc", "ns", "authority"};
constexpr std::string_view kApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// A configuration of two entries, as kubectl applied it.
json::Value configuration() {
    const std::string webhooks =
        R"("webhooks":[{"name":"a","failurePolicy":"Fail","clientConfig":{"service":)"
        R"({"name":"svc","namespace":"ns","path":"/mutate-a"}}},{"name":"b","clientConfig":)"
        R"({"service":{"name":"svc","namespace":"ns","path":"/mutate-b"}}}])";
    auto made =
        json::parse(fmt::format(R"({{"metadata":{{"resourceVersion":"7"}},{}}})", webhooks));
    made->find("metadata")
        ->set(
            "annotations", json::Object{{std::string(kApplied), fmt::format("{{{}}}", webhooks)}}
        );
    return *made;
}

json::Value patched(const json::Value& object, const WebhookAddress& own) {
    json::Value changed = object;
    const auto patch = admission_patch(object, own);
    REQUIRE(patch);
    json::apply_merge_patch(changed, *patch);
    return changed;
}

const json::Value& config_of(const json::Value& object, std::size_t entry) {
    return *object.find("webhooks")->as_array()[entry].find("clientConfig");
}

}  // namespace

TEST_CASE("every entry leads to its own path by URL, and nothing else changes", "[admission]") {
    const auto changed = patched(configuration(), kByUrl);
    CHECK(config_of(changed, 0).string_at("url") == "https://10.0.0.1:9443/mutate-a");
    CHECK(config_of(changed, 1).string_at("url") == "https://10.0.0.1:9443/mutate-b");
    CHECK(config_of(changed, 0).find("service") == nullptr);
    CHECK(config_of(changed, 0).string_at("caBundle") == kube::encode_base64("authority"));
    const auto& first = changed.find("webhooks")->as_array().front();
    CHECK(first.string_at("name") == "a");
    CHECK(first.string_at("failurePolicy") == "Fail");
    CHECK(changed.find("metadata")->string_at("resourceVersion") == "7");
    CHECK_FALSE(admission_patch(changed, kByUrl));
}

TEST_CASE("in a cluster only the authority is filled in", "[admission]") {
    const auto changed = patched(configuration(), kByService);
    CHECK(config_of(changed, 0).find("url") == nullptr);
    CHECK(config_of(changed, 0).find("service")->string_at("path") == "/mutate-a");
    CHECK(config_of(changed, 1).string_at("caBundle") == kube::encode_base64("authority"));
    CHECK_FALSE(admission_patch(changed, kByService));
    // And back from a URL to the Service.
    const auto back = patched(patched(configuration(), kByUrl), kByService);
    CHECK(config_of(back, 1).find("service")->string_at("path") == "/mutate-b");
    CHECK(config_of(back, 1).find("url") == nullptr);
}

TEST_CASE("kubectl remembers to have applied the address, not the authority", "[admission]") {
    const auto changed = patched(configuration(), kByUrl);
    const auto applied =
        json::parse(changed.find_path({"metadata", "annotations", kApplied})->as_string());
    REQUIRE(applied);
    CHECK(config_of(*applied, 0).string_at("url") == "https://10.0.0.1:9443/mutate-a");
    CHECK(config_of(*applied, 0).find("service") == nullptr);
    CHECK(config_of(*applied, 0).find("caBundle") == nullptr);
}

TEST_CASE("odd configurations are left alone", "[admission]") {
    for (const char* text :
         {"{}",
          R"({"webhooks":3})",
          R"({"webhooks":[]})",
          R"({"webhooks":[{"name":"a"}]})",
          R"({"webhooks":[{"clientConfig":{"url":"no url"}}]})"}) {
        CAPTURE(text);
        CHECK_FALSE(admission_patch(*json::parse(text), kByUrl));
        CHECK_FALSE(find_other_admission(*json::parse(text), kByUrl));
    }
}

TEST_CASE("another replica is found by the URL of the first entry", "[admission]") {
    const auto others = patched(configuration(), {"https://10.0.0.2:9443", "svc", "ns", "other"});
    const auto other = find_other_admission(others, kByUrl);
    REQUIRE(other);
    CHECK(other->url == "https://10.0.0.2:9443/mutate-a");
    CHECK_FALSE(find_other_admission(patched(configuration(), kByUrl), kByUrl));
    CHECK_FALSE(find_other_admission(others, kByService));
}

}  // namespace sluice::controller
