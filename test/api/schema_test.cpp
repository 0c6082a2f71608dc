#include "api/schema/schema.hpp"

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/multi_kueue.hpp"
#include "api/kueue/provisioning_request_config.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/codec.hpp"
#include "api/schema/schema_cell.hpp"
#include "api/schema/schema_rule_checks.hpp"
#include "api/schema/schema_rules.hpp"
#include "api/schema/schema_validation.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace sluice;

namespace {

json::Value parse(std::string_view text) {
    auto value = json::parse(text);
    REQUIRE(value);
    return *value;
}

json::Value with_defaults(std::string_view kind, std::string_view text) {
    auto value = parse(text);
    REQUIRE(api::apply_defaults(kind, "v1beta2", value));
    return value;
}

std::string refusal(std::string_view kind, std::string_view text) {
    const auto done = api::validate_schema(kind, "v1beta2", with_defaults(kind, text));
    return done ? "" : done.error().detail;
}

}  // namespace

TEST_CASE("a cell of a table is read word by word", "[api][schema]") {
    const auto cell =
        api::parse_cell(R"([..253 SUB C5] 1..64 map(a,b) E(x, "") D({"a": [1]}) R C2-C4)");
    CHECK(cell.type == "list");
    CHECK(cell.min == 1);
    CHECK(cell.max == 64);
    CHECK(cell.list_type == "map");
    CHECK(cell.list_keys == std::vector<std::string>{"a", "b"});
    CHECK(cell.values == std::vector<std::string>{"x", ""});
    CHECK(json::print(*cell.default_value) == R"({"a":[1]})");
    CHECK(cell.required);
    CHECK(cell.rules == std::vector<int>{2, 3, 4});
    CHECK(cell.items->max == 253);
    CHECK_FALSE(cell.items->min.has_value());
    CHECK(cell.items->pattern == "SUB");
    CHECK(cell.items->rules == std::vector<int>{5});
}

TEST_CASE("defaults are filled in where the parent is present", "[api][schema]") {
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
    json::Value unknown(json::Object{});
    CHECK_FALSE(api::apply_defaults("Workload", "v1", unknown));
    CHECK_FALSE(api::apply_defaults("Job", "v1beta2", unknown));
}

TEST_CASE("a new C++ object stands as the schema's defaults would have it", "[api][schema]") {
    const auto check = [](std::string_view kind, const json::Value& spec) {
        CAPTURE(kind, json::print(spec));
        json::Value object(json::Object{{"spec", spec}});
        REQUIRE(api::apply_defaults(kind, "v1beta2", object));
        for (const auto& [key, value] : spec.as_object()) {
            json::Value bare(json::Object{{"spec", json::Object{}}});
            REQUIRE(api::apply_defaults(kind, "v1beta2", bare));
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

TEST_CASE("what a schema refuses is named by field", "[api][schema]") {
    CHECK(
        refusal("Workload", R"({"spec":{"podSets":[{"count":-1,"template":{}}]}})") ==
        "spec.podSets[0].count: must be at least 0, not -1"
    );
    CHECK(
        refusal("Workload", R"({"spec":{"podSets":[{"name":"a"}]}})") ==
        "spec.podSets[0].template: Required value"
    );
    CHECK(
        refusal("Workload", R"({"spec":{"podSets":[{"template":{}},{"template":{}}]}})") ==
        "spec.podSets[1]: Duplicate value"
    );
    CHECK(
        refusal("Workload", R"({"spec":{"podSets":[{"template":{"spec":{"containers":{}}}}]}})") ==
        "spec.podSets[0].template.spec.containers: must be a list, not an object"
    );
    CHECK(
        refusal(
            "Workload",
            R"({"spec":{"podSets":[{"template":{"spec":{"containers":[{"name":"c",)"
            R"("resources":{"requests":{"cpu":"x"}}}]}}}]}})"
        )
            .find("spec.podSets[0].template.spec.containers[0].resources.requests[cpu]: \"x\"") == 0
    );
    CHECK(
        refusal("LocalQueue", R"({"spec":{"stopPolicy":"none"}})") ==
        "spec.stopPolicy: Unsupported value: \"none\": supported values: \"None\", \"Hold\", "
        "\"HoldAndDrain\""
    );
    CHECK(
        refusal("LocalQueue", R"({"spec":{"clusterQueue":"A"}})")
            .find("spec.clusterQueue: \"A\"") == 0
    );
    CHECK(refusal("LocalQueue", R"({"spec":[]})") == "spec: must be an object, not a list");
    CHECK(
        refusal("LocalQueue", R"({"metadata":{"name":"A"}})")
            .find("metadata.name: a lowercase RFC 1123") == 0
    );
    CHECK(refusal("LocalQueue", R"({"spec":{"unknown":1}})").empty());
    CHECK(
        refusal("WorkloadPriorityClass", R"({"value":3000000000})") ==
        "value: does not fit into 32 bits"
    );
    CHECK(
        refusal("WorkloadPriorityClass", R"({"value":"1","description":1})") ==
        "value: must be an integer, not a string; description: must be a string, not an integer"
    );
}

TEST_CASE("unknown fields are found at any depth", "[api][schema]") {
    const auto object =
        parse(R"({"metadata":{"x":1},"spec":{"podSets":[{"template":{"spec":{"bogus":1}}}],)"
              R"("Active":true}})");
    CHECK(
        api::find_unknown_fields("Workload", "v1beta2", object) ==
        std::vector<std::string>{"spec.podSets[0].template.spec.bogus", "spec.Active"}
    );
    CHECK(api::find_unknown_fields("Job", "v1", object).empty());
}

TEST_CASE("a broken rule is reported at the place it stands at", "[api][schema]") {
    CHECK(
        refusal(
            "ClusterQueue",
            R"({"spec":{"flavorFungibility":{"preference":)"
            R"("BorrowingOverPreemption"}}})"
        ) ==
        "spec.flavorFungibility: preference can only be set when both whenCanBorrow and "
        "whenCanPreempt are TryNextFlavor"
    );
    CHECK(
        refusal(
            "Topology",
            R"({"spec":{"levels":[{"nodeLabel":"kubernetes.io/hostname"},)"
            R"({"nodeLabel":"b"}]}})"
        ) ==
        "spec.levels: the kubernetes.io/hostname label can only be used at the lowest level of "
        "topology"
    );
    CHECK(
        refusal(
            "Workload",
            R"({"spec":{"priorityClassRef":{"group":"kueue.x-k8s.io",)"
            R"("kind":"WorkloadPriorityClass","name":"n"}}})"
        ) == "spec: priority should not be nil when priorityClassRef is set"
    );
}

TEST_CASE("every rule that needs no old object is checked offline", "[api][schema]") {
    for (const auto& rule : api::schema_rules()) {
        CAPTURE(rule.rule);
        const bool compares = rule.rule.find("oldSelf") != std::string_view::npos;
        CHECK((api::find_rule_check(rule.rule) != nullptr) == !compares);
    }
}

TEST_CASE("long strings do not exhaust the stack", "[api][schema]") {
    const std::string text =
        R"({"spec":{"clusterQueue":")" + std::string(5'000'000, 'a') + R"("}})";
    CHECK(
        refusal("LocalQueue", text).find("must have at most 253 characters") != std::string::npos
    );
}
