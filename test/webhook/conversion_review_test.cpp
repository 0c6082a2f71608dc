#include "webhook/conversion_review.hpp"

#include "base/prng.hpp"
#include "json/value.hpp"
#include "webhook/review_answer.hpp"
#include "webhook/review_load.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <string_view>

namespace sluice::webhook {
namespace {

const std::string kOldQueue = R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"ClusterQueue",)"
                              R"("metadata":{"name":"q","uid":"1"},"spec":{"cohort":"c"}})";
const std::string kNewQueue = R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue",)"
                              R"("metadata":{"name":"q","uid":"1"},"spec":{"cohortName":"c"}})";

std::string make_review(std::string_view desired, std::string_view objects) {
    return R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{)"
           R"("uid":"u-1","desiredAPIVersion":")" +
           std::string(desired) + R"(","objects":)" + std::string(objects) + "}}";
}

json::Value answer_of(const std::string& request) {
    const auto answer = test::answer_review(request);
    REQUIRE(answer);
    auto body = json::parse(answer->body);
    REQUIRE(body);
    CHECK(body->string_at("apiVersion") == "apiextensions.k8s.io/v1");
    CHECK(body->string_at("kind") == "ConversionReview");
    CHECK(body->find_path({"response"})->string_at("uid") == "u-1");
    const bool failed = body->find_path({"response", "result"})->string_at("status") == "Failed";
    CHECK(failed == !answer->failure.empty());
    return *body;
}

/// The message of a failed answer.
std::string failure_of(const std::string& request) {
    const auto body = answer_of(request);
    CHECK(body.find_path({"response", "result"})->string_at("status") == "Failed");
    CHECK(body.find_path({"response", "convertedObjects"})->as_array().empty());
    return std::string(body.find_path({"response", "result"})->string_at("message"));
}

}  // namespace

TEST_CASE("all objects of a review are converted in their order", "[webhook][review]") {
    const auto body =
        answer_of(make_review("kueue.x-k8s.io/v1beta2", "[" + kOldQueue + "," + kNewQueue + "]"));
    CHECK(body.find_path({"response", "result"})->string_at("status") == "Success");
    const auto& objects = body.find_path({"response", "convertedObjects"})->as_array();
    REQUIRE(objects.size() == 2);
    CHECK(json::print(objects[0]) == kNewQueue);
    CHECK(json::print(objects[1]) == kNewQueue);
}

TEST_CASE("a review may say its version after its objects", "[webhook][review]") {
    const auto body = answer_of(
        R"({"request":{"objects":[)" + kOldQueue +
        R"(],"desiredAPIVersion":"kueue.x-k8s.io/v1beta2","uid":"u-1","other":[[1],{"uid":"x"}]},)"
        R"("apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"})"
    );
    const auto& objects = body.find_path({"response", "convertedObjects"})->as_array();
    REQUIRE(objects.size() == 1);
    CHECK(json::print(objects[0]) == kNewQueue);
}

TEST_CASE("a long list is converted object by object, byte for byte", "[webhook][review]") {
    const test::ReviewLoad load(100'000);
    const auto request = load.request();
    CHECK(request.size() == 100'000);
    CHECK(load.objects() > 30);
    const auto answer = test::answer_review(request);
    REQUIRE(answer);
    CHECK(answer->body.size() == load.answer_bytes());
    CHECK(answer->body == load.answer());
}

TEST_CASE("a review of no objects succeeds", "[webhook][review]") {
    const auto body = answer_of(make_review("kueue.x-k8s.io/v1beta2", "[]"));
    CHECK(body.find_path({"response", "result"})->string_at("status") == "Success");
}

TEST_CASE("one bad object fails the review and is named", "[webhook][review]") {
    const std::string bad = R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload",)"
                            R"("metadata":{"name":"w","namespace":"team"},"spec":"x"})";
    CHECK(
        failure_of(make_review("kueue.x-k8s.io/v1beta2", "[" + kOldQueue + "," + bad + "]")) ==
        "Workload team/w: spec must be an object"
    );
}

TEST_CASE("what the review itself lacks is its failure", "[webhook][review]") {
    CHECK(
        failure_of(make_review("kueue.x-k8s.io/v9", "[" + kOldQueue + "]"))
            .find("apiVersion \"kueue.x-k8s.io/v9\" is not known") != std::string::npos
    );
    CHECK(
        failure_of(make_review("kueue.x-k8s.io/v1beta2", "[1]")) ==
        "request.objects must be a list of objects"
    );
    CHECK(
        failure_of(make_review("kueue.x-k8s.io/v1beta2", "[[" + kOldQueue + "]]")) ==
        "an object to convert is not a JSON object"
    );
    CHECK(failure_of(make_review("kueue.x-k8s.io/v1beta2", "{}")) == "request.objects is missing");
    CHECK(
        failure_of(make_review("kueue.x-k8s.io/v1beta2", R"([{"kind":"Pod"}])"))
            .find("Pod without a name: this kind has no conversion") != std::string::npos
    );
}

TEST_CASE("a request that cannot be answered is an error", "[webhook][review]") {
    const auto* request = GENERATE(
        "",
        "{",
        "[]",
        "null",
        R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u"}})",
        R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1",
            "request":{"uid":"u","objects":[]}})",
        R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{}})",
        R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":[]})"
    );
    CAPTURE(request);
    const auto answer = test::answer_review(request);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::Invalid);
}

TEST_CASE("a review beyond the limits is an error", "[webhook][review]") {
    const auto request = make_review("kueue.x-k8s.io/v1beta2", "[" + kOldQueue + "]");
    CHECK_FALSE(test::answer_review(request, {.review = {.bytes = 50}}));
    CHECK_FALSE(test::answer_review(request, {.review = {.depth = 4}}));
}

TEST_CASE("a damaged review never crashes", "[webhook][review]") {
    const auto request = make_review(
        "kueue.x-k8s.io/v1beta2",
        "[" + kOldQueue +
            R"(,{"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload","metadata":{"name":"w"},)"
            R"("spec":{"podSets":[{"name":"a","topologyRequest":{}}]},"status":{"admission":{)"
            R"("podSetAssignments":[{"topologyAssignment":{"levels":["l"],"domains":[)"
            R"({"values":["x"],"count":1}]}}]}}}])"
    );
    const std::string_view damage = R"([]{}",:0n\)";
    Prng prng(7);
    std::size_t answered = 0;
    for (int i = 0; i < 5'000; ++i) {
        auto text = request;
        for (auto n = prng.below(3) + 1; n > 0; --n) {
            text[prng.below(text.size())] = damage[prng.below(damage.size())];
        }
        const auto answer = test::answer_review(text);
        if (answer) {
            ++answered;
            REQUIRE(json::parse(answer->body));
        }
    }
    CHECK(answered > 0);
}

TEST_CASE("an object beyond its limit is refused by name in the answer", "[webhook][review]") {
    const auto make_object = [](std::string_view name, std::size_t bytes) {
        const std::string head =
            R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload","metadata":{)"
            R"("annotations":{"kind":"x","name":"y"},"name":")" +
            std::string(name) + R"(","namespace":"ns"},"spec":{"padding":")";
        return head + std::string(bytes - head.size() - 3, 'x') + "\"}}";
    };
    ReviewLimits limits;
    limits.object_bytes = 10'000;
    const auto request = make_review(
        "kueue.x-k8s.io/v1beta2",
        "[" + make_object("small", 9'000) + "," + make_object("big", 10'100) + "]"
    );
    const auto answer = test::answer_review(request, limits);
    REQUIRE(answer);
    CHECK(
        answer->failure ==
        "Workload ns/big (request.objects[1]): an object may have at most 10000 bytes"
    );
    const auto body = json::parse(answer->body);
    REQUIRE(body);
    CHECK(body->find_path({"response", "result"})->string_at("status") == "Failed");
    CHECK(body->find_path({"response", "result"})->string_at("message") == answer->failure);
    CHECK(body->find_path({"response", "convertedObjects"})->as_array().empty());
    // The limit is that of one object, not of the review.
    limits.object_bytes = 10'200;
    CHECK(test::answer_review(request, limits)->failure.empty());
}

TEST_CASE("the limit of an object counts whatever it is made of", "[webhook][review]") {
    const std::string filler = GENERATE(
        R"("a":[1,1,1,1,1,1,1,1,1,1])",
        R"("a":[[],[],[],[],[],[],[]])",
        R"("a":[null,true,null,1.5])",
        R"("a":{"b":{"c":{"d":{}}}})",
        R"("aaaaaaaaaaaaaaaaaaaaaaaaa":1)"
    );
    std::string members;
    for (int i = 0; i < 500; ++i) {
        members +=
            (i == 0 ? "" : ",") + std::string("\"m") + std::to_string(i) + "\":{" + filler + "}";
    }
    const std::string object =
        R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Cohort","spec":{},"more":{)" + members +
        "}}";
    ReviewLimits limits;
    limits.object_bytes = object.size() / 2;
    const auto request = make_review("kueue.x-k8s.io/v1beta2", "[" + object + "]");
    const auto answer = test::answer_review(request, limits);
    REQUIRE(answer);
    CHECK(answer->failure.starts_with("request.objects[0]: an object may have at most "));
    limits.object_bytes = object.size() + 1;
    CHECK(test::answer_review(request, limits)->failure.empty());
}

}  // namespace sluice::webhook
