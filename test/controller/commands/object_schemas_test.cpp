#include "controller/commands/schedule/object_schemas.hpp"

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/provisioning_request_config.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/codec.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using namespace sluice;

namespace {

json::Value parse(std::string_view text) {
    auto value = json::parse(text);
    REQUIRE(value);
    return *value;
}

json::Value completed(std::string_view kind, json::Value object) {
    std::vector<std::string> unknown;
    (void)commands::ObjectSchemas().complete(kind, "v1beta2", object, unknown);
    return object;
}

json::Value with_defaults(std::string_view kind, std::string_view text) {
    return completed(kind, parse(text));
}

/// The faults of the object, "" if there are none.
std::string refusal(std::string_view kind, std::string_view text) {
    json::Value object = parse(text);
    std::vector<std::string> unknown;
    const auto done = commands::ObjectSchemas().complete(kind, "v1beta2", object, unknown);
    return done ? "" : done.error().detail;
}

std::vector<std::string> unknown_fields(std::string_view kind, json::Value object) {
    std::vector<std::string> unknown;
    (void)commands::ObjectSchemas().complete(kind, "v1beta2", object, unknown);
    return unknown;
}

std::string refusal_of(std::string_view kind, std::string_view version) {
    json::Value object(json::Object{});
    std::vector<std::string> unknown;
    const auto done = commands::ObjectSchemas().complete(kind, version, object, unknown);
    return done ? "" : done.error().detail;
}

}  // namespace

TEST_CASE("defaults are filled in where the parent is present", "[schedule][schema]") {
    CHECK(
        with_defaults("ClusterQueue", R"({"spec":{}})") ==
        parse(R"({"spec":{"queueingStrategy":"BestEffortFIFO","stopPolicy":"None",)"
              R"("flavorFungibility":{"whenCanBorrow":"MayStopSearch",)"
              R"("whenCanPreempt":"TryNextFlavor"},"preemption":{"reclaimWithinCohort":"Never",)"
              R"("withinClusterQueue":"Never","borrowWithinCohort":{"policy":"Never"}}}})")
    );
    CHECK(with_defaults("ClusterQueue", "{}") == parse("{}"));
    CHECK(
        with_defaults("Cohort", R"({"spec":{"fairSharing":{"weight":null}}})") ==
        parse(R"({"spec":{"fairSharing":{"weight":1}}})")
    );
    CHECK(
        with_defaults("Workload", R"({"spec":{"podSets":[{}],"priority":null}})") ==
        parse(R"({"spec":{"active":true,"podSets":[{"name":"main","count":1}]}})")
    );
    CHECK_FALSE(refusal_of("Workload", "v1").empty());
    CHECK_FALSE(refusal_of("Job", "v1beta2").empty());
}

TEST_CASE("a new C++ object stands as the schema's defaults would have it", "[schedule][schema]") {
    const auto check = [](std::string_view kind, const json::Value& spec) {
        CAPTURE(kind, json::print(spec));
        json::Value object(json::Object{{"spec", spec}});
        object = completed(kind, object);
        for (const auto& [key, value] : spec.as_object()) {
            json::Value bare(json::Object{{"spec", json::Object{}}});
            bare = completed(kind, bare);
            if (const auto* fallback = bare.find_path({"spec", key}); fallback != nullptr) {
                CAPTURE(key);
                CHECK(*object.find_path({"spec", key}) == *fallback);
            }
        }
    };
    check("ClusterQueue", api::to_value(api::ClusterQueueSpec{}));
    check("LocalQueue", api::to_value(api::LocalQueueSpec{}));
    check("ProvisioningRequestConfig", api::to_value(api::ProvisioningRequestConfigSpec{}));
    const auto pod_set =
        api::from_value<api::PodSet>(*with_defaults("Workload", R"({"spec":{"podSets":[{}]}})")
                                          .find_path({"spec"})
                                          ->find("podSets")
                                          ->as_array()
                                          .data());
    CHECK(*pod_set == api::PodSet{});
}

TEST_CASE("what a schema refuses is named by field", "[schedule][schema]") {
    CHECK(
        refusal("Workload", R"({"spec":{"podSets":[{"count":-1,"template":{}}]}})") ==
        "spec.podSets[0].count: Invalid value: -1: spec.podSets[0].count in body should be greater "
        "than or equal to 0"
    );
    CHECK(
        refusal("Workload", R"({"spec":{"podSets":[{"name":"a"}]}})") ==
        "spec.podSets[0].template: Required value"
    );
    CHECK(
        refusal("Workload", R"({"spec":{"podSets":[{"template":{}},{"template":{}}]}})") ==
        "spec.podSets[1]: Duplicate value: {\"name\":\"main\"}"
    );
    CHECK(
        refusal("Workload", R"({"spec":{"podSets":[{"template":{"spec":{"containers":{}}}}]}})") ==
        "spec.podSets[0].template.spec.containers: Invalid value: \"object\": "
        "spec.podSets[0].template.spec.containers in body must be of type array: \"object\""
    );
    CHECK(
        refusal(
            "Workload",
            R"({"spec":{"podSets":[{"template":{"spec":{"containers":[{"name":"c",)"
            R"("resources":{"requests":{"cpu":"x"}}}]}}}]}})"
        )
            .find("spec.podSets[0].template.spec.containers[0].resources.requests.cpu: Invalid "
                  "value: \"x\"") == 0
    );
    CHECK(
        refusal("LocalQueue", R"({"spec":{"stopPolicy":"none"}})") ==
        "spec.stopPolicy: Unsupported value: \"none\": supported values: \"None\", \"Hold\", "
        "\"HoldAndDrain\""
    );
    CHECK(
        refusal("LocalQueue", R"({"spec":{"clusterQueue":"A"}})")
            .find("spec.clusterQueue: Invalid value: \"A\"") == 0
    );
    CHECK(
        refusal("LocalQueue", R"({"spec":[]})") ==
        "spec: Invalid value: \"array\": spec in body must be of type object: \"array\""
    );
    CHECK(
        refusal("LocalQueue", R"({"metadata":{"name":"A"}})")
            .find("metadata.name: Invalid value: \"A\": a lowercase RFC 1123") == 0
    );
    CHECK(refusal("LocalQueue", R"({"spec":{"unknown":1}})").empty());
    CHECK(
        refusal("WorkloadPriorityClass", R"({"value":3000000000})") ==
        "<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in "
        "value"
    );
    CHECK(
        refusal("WorkloadPriorityClass", R"({"value":"1","description":1})") ==
        "value: Invalid value: \"string\": value in body must be of type integer: \"string\"; "
        "description: Invalid value: \"integer\": description in body must be of type string: "
        "\"integer\""
    );
}

TEST_CASE("a name that is no text is left to the decoder, which says so", "[schedule][schema]") {
    CHECK(refusal("LocalQueue", R"({"metadata":{"name":true}})").empty());
    CHECK(refusal("LocalQueue", R"({"metadata":{"name":1}})").empty());
    CHECK(refusal("LocalQueue", R"({"metadata":[]})").find("metadata: Invalid value") == 0);
}

TEST_CASE("unknown fields are found at any depth", "[schedule][schema]") {
    const auto object =
        parse(R"({"metadata":{"x":1},"spec":{"podSets":[{"template":{"spec":{"bogus":1}}}],)"
              R"("Active":true}})");
    CHECK(
        unknown_fields("Workload", object) ==
        std::vector<std::string>{"metadata.x", "spec.Active", "spec.podSets[0].template.spec.bogus"}
    );
    CHECK(unknown_fields("Job", object).empty());
}

TEST_CASE("a broken rule is reported at the place it stands at", "[schedule][schema]") {
    CHECK(
        refusal(
            "ClusterQueue",
            R"({"spec":{"flavorFungibility":{"preference":)"
            R"("BorrowingOverPreemption"}}})"
        ) ==
        "spec.flavorFungibility: Invalid value: preference can only be set when both whenCanBorrow "
        "and "
        "whenCanPreempt are TryNextFlavor"
    );
    CHECK(
        refusal(
            "Topology",
            R"({"spec":{"levels":[{"nodeLabel":"kubernetes.io/hostname"},)"
            R"({"nodeLabel":"b"}]}})"
        ) ==
        "spec.levels: Invalid value: the kubernetes.io/hostname label can only be used at the "
        "lowest level of "
        "topology"
    );
    CHECK(
        refusal(
            "Workload",
            R"({"spec":{"priorityClassRef":{"group":"kueue.x-k8s.io",)"
            R"("kind":"WorkloadPriorityClass","name":"n"}}})"
        ) == "spec: Invalid value: priority should not be nil when priorityClassRef is set"
    );
}

TEST_CASE("long strings do not exhaust the stack", "[schedule][schema]") {
    const std::string text =
        R"({"spec":{"clusterQueue":")" + std::string(5'000'000, 'a') + R"("}})";
    CHECK(
        refusal("LocalQueue", text).find("Too long: may not be more than 253 bytes") !=
        std::string::npos
    );
}
