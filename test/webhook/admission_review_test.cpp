#include "webhook/admission_review.hpp"

#include "api/meta/codec.hpp"
#include "kube/core/base64.hpp"
#include "webhook/kueue_webhooks.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace sluice::webhook {
namespace {

using config::FeatureGates;

std::string review(
    std::string_view operation, std::string_view object, std::string_view old_object = "null"
) {
    return fmt::format(
        R"({{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{{"uid":"u-1",)"
        R"("kind":{{"group":"kueue.x-k8s.io","version":"v1beta2","kind":"K"}},"resource":{{"group":)"
        R"("kueue.x-k8s.io","version":"v1beta2","resource":"ks"}},"operation":"{}","object":{},)"
        R"("oldObject":{}}}}})",
        operation,
        object,
        old_object
    );
}

api::AdmissionResponse read_answer(const std::string& text) {
    const auto answer = api::decode<api::AdmissionReview>(text);
    REQUIRE(answer);
    REQUIRE(answer->response);
    CHECK(
        text.find(R"("apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview")") !=
        std::string::npos
    );
    return *answer->response;
}

/// What the webhook of this path answers.
api::AdmissionResponse ask(
    const std::string& path, const std::string& body, const FeatureGates& gates = FeatureGates()
) {
    const auto hooks = make_kueue_webhooks(gates);
    const auto hook = std::ranges::find(hooks, path, &Webhook::path);
    REQUIRE(hook != hooks.end());
    const auto request = parse_admission_review(body);
    REQUIRE(request);
    const auto verdict = hook->judge(*request);
    return read_answer(
        verdict ? make_admission_answer(*request, *verdict)
                : make_error_answer(*request, verdict.error())
    );
}

std::string patch_of(const api::AdmissionResponse& response) {
    REQUIRE(response.patch_type == "JSONPatch");
    return *kube::decode_base64(response.patch);
}

}  // namespace

TEST_CASE("a review without an address gets no answer", "[webhook][admission]") {
    for (const char* body :
         {"",
          "{",
          "[]",
          "{}",
          R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"})",
          R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})",
          R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":""}})"
         }) {
        CAPTURE(body);
        CHECK_FALSE(parse_admission_review(body));
    }
}

TEST_CASE("what is in strings is not counted as values", "[webhook][admission]") {
    std::string many;
    for (int i = 0; i < 600'000; ++i) {
        many += "1,";
    }
    const std::string text = R"({"a":"\"[{)" + many + R"("})";
    CHECK(parse_admission_review(review("CREATE", text)));
    const auto refused = parse_admission_review(review("CREATE", R"({"a":[)" + many + "1]}"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail == "it has more than 500000 values");
}

TEST_CASE("a refusal says why with code 403", "[webhook][admission]") {
    const auto request = *parse_admission_review(review("CREATE", "{}"));
    const auto response =
        read_answer(make_admission_answer(request, {.refusal = "spec: Forbidden", .changed = {}}));
    CHECK(response.uid == "u-1");
    CHECK_FALSE(response.allowed);
    REQUIRE(response.status);
    CHECK(response.status->message == "spec: Forbidden");
    CHECK(response.status->code == 403);
    CHECK(response.status->reason == "Forbidden");
}

TEST_CASE(
    "an object that cannot be read is the writer's fault, all else is ours", "[webhook][admission]"
) {
    const auto request = *parse_admission_review(review("CREATE", "{}"));
    CHECK(read_answer(make_error_answer(request, make_invalid("a"))).status->code == 400);
    const Error error{ErrorCode::Unavailable, "b", {}};
    const auto response = read_answer(make_error_answer(request, error));
    CHECK_FALSE(response.allowed);
    CHECK(response.status->code == 500);
    CHECK(response.status->message == "b");
}

TEST_CASE("what is not changed gets no patch", "[webhook][admission]") {
    const auto request = *parse_admission_review(review("CREATE", R"({"a":1})"));
    const auto same = read_answer(
        make_admission_answer(request, {.refusal = {}, .changed = json::Object{{"a", 1}}})
    );
    CHECK(same.allowed);
    CHECK(same.patch.empty());
    CHECK_FALSE(same.patch_type);
    const auto other = read_answer(
        make_admission_answer(request, {.refusal = {}, .changed = json::Object{{"a", 2}}})
    );
    CHECK(patch_of(other) == R"([{"op":"replace","path":"/a","value":2}])");
}

TEST_CASE("webhooks are where Kueue has them", "[webhook][admission]") {
    CHECK(admission_path("mutate", "", "v1", "Pod") == "/mutate--v1-pod");
    CHECK(admission_path("validate", "batch", "v1", "Job") == "/validate-batch-v1-job");
    std::string paths;
    for (const auto& hook : make_kueue_webhooks(FeatureGates())) {
        paths += hook.path + "\n";
    }
    CHECK(
        paths ==
        "/mutate-kueue-x-k8s-io-v1beta2-clusterqueue\n"
        "/mutate-kueue-x-k8s-io-v1beta2-resourceflavor\n"
        "/mutate-kueue-x-k8s-io-v1beta2-workload\n"
        "/validate-kueue-x-k8s-io-v1beta2-clusterqueue\n"
        "/validate-kueue-x-k8s-io-v1beta2-workload\n"
        "/validate-kueue-x-k8s-io-v1beta2-cohort\n"
        "/validate-kueue-x-k8s-io-v1beta2-resourceflavor\n"
    );
}

TEST_CASE("new ClusterQueues and flavors get the finalizer once", "[webhook][admission]") {
    const std::string path = GENERATE(
        "/mutate-kueue-x-k8s-io-v1beta2-clusterqueue",
        "/mutate-kueue-x-k8s-io-v1beta2-resourceflavor"
    );
    CHECK(
        patch_of(ask(path, review("CREATE", R"({"metadata":{"name":"q"}})"))) ==
        R"([{"op":"add","path":"/metadata/finalizers","value":["kueue.x-k8s.io/resource-in-use"]}])"
    );
    CHECK(ask(path,
              review("CREATE", R"({"metadata":{"finalizers":["kueue.x-k8s.io/resource-in-use"]}})"))
              .patch.empty());
    CHECK(ask(path, review("UPDATE", R"({"metadata":{"name":"q"}})")).patch.empty());
}

TEST_CASE("minimum counts go where partial admission is off", "[webhook][admission]") {
    const std::string path = "/mutate-kueue-x-k8s-io-v1beta2-workload";
    const auto body =
        review("CREATE", R"({"spec":{"podSets":[{"name":"a","minCount":1},{"name":"b"}]}})");
    CHECK(ask(path, body).patch.empty());
    const auto off = *FeatureGates::from_map({{"PartialAdmission", false}});
    CHECK(
        patch_of(ask(path, body, off)) ==
        R"([{"op":"replace","path":"/spec/podSets","value":[{"name":"a"},{"name":"b"}]}])"
    );
    CHECK(ask(path, review("CREATE", "{}"), off).allowed);
}

TEST_CASE("each kind is judged by its own rules", "[webhook][admission]") {
    struct Row {
        std::string kind;
        std::string good;
        std::string bad;
    };
    const auto row = GENERATE(
        Row{"clusterqueue",
            R"({"spec":{"fairSharing":{"weight":"1"}}})",
            R"({"spec":{"fairSharing":{"weight":"-1"}}})"},
        Row{"cohort",
            R"({"spec":{"fairSharing":{"weight":"1"}}})",
            R"({"spec":{"fairSharing":{"weight":"-1"}}})"},
        Row{"resourceflavor",
            R"({"spec":{"nodeLabels":{"a":"b"}}})",
            R"({"spec":{"nodeLabels":{"a":"b c"}}})"},
        Row{"workload",
            R"({"spec":{"podSets":[{"name":"a","minCount":1,"template":{}}]}})",
            R"({"spec":{"podSets":[{"name":"a","minCount":1,"template":{}},{"name":"b","minCount":1,"template":{}}]}})"
        }
    );
    CAPTURE(row.kind);
    const std::string path = "/validate-kueue-x-k8s-io-v1beta2-" + row.kind;
    CHECK(ask(path, review("CREATE", row.good)).allowed);
    CHECK_FALSE(ask(path, review("CREATE", row.bad)).allowed);
    CHECK(ask(path, review("UPDATE", row.good, row.bad)).allowed);
    const auto refused = ask(path, review("UPDATE", row.bad, row.good));
    CHECK_FALSE(refused.allowed);
    CHECK(refused.status->code == 403);
    CHECK(ask(path, review("DELETE", "null", row.bad)).allowed);
    CHECK(ask(path, review("CREATE", R"({"spec":3})")).status->code == 400);
    CHECK(ask(path, review("UPDATE", row.good, R"({"spec":3})")).status->code == 400);
}

}  // namespace sluice::webhook
