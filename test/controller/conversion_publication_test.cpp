#include "controller/process/webhooks/conversion_publication.hpp"

#include "json/patch.hpp"
#include "kube/core/base64.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

// What the definitions say about the webhook, as values. The service itself is in
// webhook_service_test.cpp.
namespace sluice::controller {
namespace {

using serving::PublishedWebhook;
using serving::WebhookAddress;

const WebhookAddress kByUrl{"https://10.0.0.1:9443", "svc", "ns", "authority"};
const WebhookAddress kByService{"", "svc", "ns", "authority"};
constexpr std::string_view kUrl = "https://10.0.0.1:9443/convert";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

json::Value in_conversion(json::Value client_config) {
    return json::Object{
        {"conversion",
         json::Object{
             {"strategy", "Webhook"},
             {"webhook", json::Object{{"clientConfig", std::move(client_config)}}},
         }},
    };
}

/// As crds/ has it.
json::Value service_config() {
    return json::Object{
        {"service", json::Object{{"name", "svc"}, {"namespace", "ns"}, {"path", "/convert"}}},
    };
}

json::Value url_config(std::string_view url, std::string_view authority) {
    return json::Object{{"url", std::string(url)}, {"caBundle", kube::encode_base64(authority)}};
}

/// A definition with this clientConfig, which kubectl applied with that one.
json::Value definition(json::Value live, json::Value applied) {
    const json::Value manifest = json::Object{{"spec", in_conversion(std::move(applied))}};
    return json::Object{
        {"metadata",
         json::Object{
             {"resourceVersion", "7"},
             {"annotations", json::Object{{std::string(kLastApplied), json::print(manifest)}}},
         }},
        {"spec", in_conversion(std::move(live))},
    };
}

json::Value config_of(const json::Value& object) {
    return *object.find_path({"spec", "conversion", "webhook", "clientConfig"});
}

json::Value applied_config_of(const json::Value& object) {
    const auto* text = object.find_path({"metadata", "annotations", kLastApplied});
    return config_of(*json::parse(text->as_string()));
}

json::Value published(json::Value object, const WebhookAddress& own) {
    const auto patch = publication_patch(object, own);
    REQUIRE(patch);
    CHECK(patch->find("metadata")->string_at("resourceVersion") == "7");
    json::apply_merge_patch(object, *patch);
    CHECK_FALSE(publication_patch(object, own));
    return object;
}

/// `kubectl apply` of what crds/ has: what was applied and is not any more is taken away, the rest
/// is added; kubectl remembers it.
json::Value reapplied(const json::Value& object) {
    json::Value config = config_of(object);
    const json::Value before = applied_config_of(object);
    for (const auto& [key, value] : before.as_object()) {
        if (service_config().find(key) == nullptr) {
            config.erase(key);
        }
    }
    json::apply_merge_patch(config, service_config());
    return definition(config, service_config());
}

}  // namespace

TEST_CASE("outside a cluster the webhook needs an address to be reached by", "[conversion]") {
    const auto* host = GENERATE("", "0.0.0.0", "::");
    const auto refused = check_webhook_host({.port = 1, .host = host, .cert_dir = ""}, false);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::Invalid);
    CHECK(refused.error().detail.starts_with("webhook.host is "));
    CHECK(check_webhook_host({.port = 1, .host = host, .cert_dir = ""}, true));
    CHECK(check_webhook_host({.port = 1, .host = "10.0.0.1", .cert_dir = ""}, false));
}

TEST_CASE("a definition gets a URL in place of the Service", "[conversion]") {
    const auto now = published(definition(service_config(), service_config()), kByUrl);
    CHECK(config_of(now) == url_config(kUrl, "authority"));
    CHECK(applied_config_of(now) == json::Value(json::Object{{"url", std::string(kUrl)}}));
}

TEST_CASE("a definition gets the Service in place of a URL", "[conversion]") {
    const auto before = definition(
        url_config(kUrl, "authority"), json::Value(json::Object{{"url", std::string(kUrl)}})
    );
    const auto now = published(before, kByService);
    CHECK(config_of(now).find("url") == nullptr);
    CHECK(*config_of(now).find("service") == *service_config().find("service"));
    CHECK(config_of(now).string_at("caBundle") == kube::encode_base64("authority"));
    CHECK(applied_config_of(now) == service_config());
}

TEST_CASE("a manifest that is applied again leaves one way and the authority", "[conversion]") {
    const auto by_url = published(definition(service_config(), service_config()), kByUrl);
    const auto again = reapplied(by_url);
    CHECK(config_of(again).find("url") == nullptr);
    CHECK(config_of(again).find("service") != nullptr);
    CHECK(config_of(again).find("caBundle") != nullptr);
    CHECK(config_of(published(again, kByUrl)) == config_of(by_url));
}

TEST_CASE("what kubectl remembers is put right even where the URL is there", "[conversion]") {
    const auto before = definition(url_config(kUrl, "authority"), service_config());
    const auto now = published(before, kByUrl);
    CHECK(applied_config_of(now) == json::Value(json::Object{{"url", std::string(kUrl)}}));
}

TEST_CASE("a definition that was not applied or cannot be read is published", "[conversion]") {
    auto object = definition(service_config(), service_config());
    json::Value& metadata = *object.find("metadata");
    if (GENERATE(true, false)) {
        metadata.erase("annotations");
    } else {
        metadata.find("annotations")->set(kLastApplied, "{");
    }
    const auto now = published(object, kByUrl);
    CHECK(config_of(now) == url_config(kUrl, "authority"));
}

TEST_CASE("another webhook is one with another URL", "[conversion]") {
    const std::string other = "https://10.0.0.2:9443/convert";
    const auto of = [](json::Value config, const WebhookAddress& own) {
        return find_other_conversion(definition(std::move(config), service_config()), own);
    };
    CHECK(of(url_config(other, "authority"), kByUrl) == PublishedWebhook{other, "authority"});
    CHECK_FALSE(of(url_config(other, "authority"), kByService));  // the Service leads to all
    CHECK_FALSE(of(url_config(kUrl, "authority"), kByUrl));
    CHECK(of(url_config(other, "stranger"), kByUrl) == PublishedWebhook{other, "stranger"});
    CHECK_FALSE(of(service_config(), kByUrl));
    CHECK(of(json::Value(json::Object{{"url", other}}), kByUrl) == PublishedWebhook{other, ""});
    CHECK_FALSE(find_other_conversion(json::Value(json::Object{}), kByUrl));
    WebhookAddress unsigned_ = kByUrl;
    unsigned_.authority_pem.clear();
    CHECK(of(url_config(other, "stranger"), unsigned_) == PublishedWebhook{other, "stranger"});
}

TEST_CASE("a loopback URL is no other machine's", "[conversion]") {
    const std::string loopback =
        GENERATE("https://127.0.0.1:9443/convert", "https://[::1]:9443/x", "https://localhost/x");
    const json::Value object = definition(url_config(loopback, "authority"), service_config());
    CHECK_FALSE(find_other_conversion(object, kByUrl));
    WebhookAddress neighbour = kByUrl;
    neighbour.origin = "https://127.0.0.1:9444";  // on the same machine, as in the tests
    CHECK(find_other_conversion(object, neighbour).has_value());
}

}  // namespace sluice::controller
