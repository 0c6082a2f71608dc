#include "controller/process/webhooks/aggregation_publication.hpp"

#include "json/patch.hpp"
#include "kube/core/base64.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

// The authority in the APIServices of the visibility API.
namespace sluice::controller {
namespace {

const serving::WebhookAddress kOwn{"", "svc", "kueue-system", "authority"};

json::Value api_service(std::string_view service, std::string_view trust) {
    auto made = json::parse(
        R"({"metadata":{"resourceVersion":"7"},"spec":{"group":"visibility.kueue.x-k8s.io",)"
        R"("service":)" +
        std::string(service) + std::string(trust) + "}}"
    );
    REQUIRE(made);
    return *made;
}

constexpr std::string_view kOurs =
    R"({"name":"kueue-visibility-server","namespace":"kueue-system","port":443})";

}  // namespace

TEST_CASE("an APIService gets the authority", "[aggregation]") {
    for (const char* trust : {"", R"(,"insecureSkipTLSVerify":false)", R"(,"caBundle":"b2xk")"}) {
        CAPTURE(trust);
        auto changed = api_service(kOurs, trust);
        const auto patch = aggregation_patch(changed, kOwn);
        REQUIRE(patch);
        CHECK(patch->find("metadata")->string_at("resourceVersion") == "7");
        json::apply_merge_patch(changed, *patch);
        const json::Value& spec = *changed.find("spec");
        CHECK(spec.string_at("caBundle") == kube::encode_base64("authority"));
        CHECK(spec.string_at("group") == "visibility.kueue.x-k8s.io");
        CHECK_FALSE(aggregation_patch(changed, kOwn));
    }
}

TEST_CASE("an APIService that leads elsewhere is left alone", "[aggregation]") {
    for (const char* service :
         {"null",
          R"({"name":"kueue-visibility-server","namespace":"another"})",
          R"({"name":"another","namespace":"kueue-system"})"}) {
        CAPTURE(service);
        CHECK_FALSE(aggregation_patch(api_service(service, ""), kOwn));
    }
    CHECK_FALSE(aggregation_patch(json::Object{}, kOwn));
}

TEST_CASE("an APIService that turns the check off is left alone", "[aggregation]") {
    CHECK_FALSE(aggregation_patch(api_service(kOurs, R"(,"insecureSkipTLSVerify":true)"), kOwn));
}

TEST_CASE("without an authority an APIService is left alone", "[aggregation]") {
    const serving::WebhookAddress unknown{"", "svc", "kueue-system", ""};
    CHECK_FALSE(aggregation_patch(api_service(kOurs, ""), unknown));
}

}  // namespace sluice::controller
