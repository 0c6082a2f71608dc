#include "webhook/conversion.hpp"

#include "json/value.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <utility>

namespace sluice::webhook {
namespace {

/// An object of the kind and version with these members (JSON without its outer braces).
json::Value make_object(
    const std::string& kind, std::string_view version, const std::string& members
) {
    const auto text = R"({"apiVersion":")" + std::string(version) + R"(","kind":")" + kind +
                      R"(","metadata":{"name":"n","namespace":"ns","labels":{"a":"b"}})" +
                      (members.empty() ? "" : ",") + members + "}";
    auto value = json::parse(text);
    REQUIRE(value);
    return std::move(*value);
}

struct Row {
    const char* promise;
    const char* kind;
    const char* from;
    const char* to;
};

void check_row(const Row& row, std::string_view from_version, std::string_view to_version) {
    CAPTURE(row.promise);
    auto object = make_object(row.kind, from_version, row.from);
    REQUIRE(convert(object, to_version));
    CHECK(
        json::print_sorted(object) == json::print_sorted(make_object(row.kind, to_version, row.to))
    );
}

}  // namespace

TEST_CASE("v1beta1 objects become v1beta2 as tabled", "[webhook][conversion]") {
    const auto row = GENERATE(
        Row{"cohort is cohortName",
            "ClusterQueue",
            R"("spec":{"cohort":"c","stopPolicy":"None"})",
            R"("spec":{"cohortName":"c","stopPolicy":"None"})"},
        Row{"an empty cohort is none", "ClusterQueue", R"("spec":{"cohort":""})", R"("spec":{})"},
        Row{"a ClusterQueue without spec has none", "ClusterQueue", "", ""},
        Row{"check names replace the strategy as a whole",
            "ClusterQueue",
            R"("spec":{"admissionChecks":["a","b"],"admissionChecksStrategy":{"admissionChecks":[
               {"name":"c","onFlavors":["f"]}]}})",
            R"("spec":{"admissionChecksStrategy":{"admissionChecks":[{"name":"a"},{"name":"b"}]}})"
        },
        Row{"no check names leave the strategy",
            "ClusterQueue",
            R"("spec":{"admissionChecks":[],"admissionChecksStrategy":{"admissionChecks":[
               {"name":"c","onFlavors":["f"]}]}})",
            R"("spec":{"admissionChecksStrategy":{"admissionChecks":[
               {"name":"c","onFlavors":["f"]}]}})"},
        Row{"the old fungibility names are MayStopSearch",
            "ClusterQueue",
            R"("spec":{"flavorFungibility":{"whenCanBorrow":"Borrow","whenCanPreempt":"Preempt"}})",
            R"("spec":{"flavorFungibility":{"whenCanBorrow":"MayStopSearch",
               "whenCanPreempt":"MayStopSearch"}})"},
        Row{"an old name at the other field stays",
            "ClusterQueue",
            R"("spec":{"flavorFungibility":{"whenCanBorrow":"Preempt","whenCanPreempt":"Borrow"}})",
            R"("spec":{"flavorFungibility":{"whenCanBorrow":"Preempt","whenCanPreempt":"Borrow"}})"
        },
        Row{"pendingWorkloadsStatus is dropped",
            "ClusterQueue",
            R"("status":{"pendingWorkloads":1,"pendingWorkloadsStatus":{"lastChangeTime":"t"}})",
            R"("status":{"pendingWorkloads":1})"},
        Row{"a ClusterQueue's usage share has no history",
            "ClusterQueue",
            R"("status":{"fairSharing":{"weightedShare":1,"admissionFairSharingStatus":{}}})",
            R"("status":{"fairSharing":{"weightedShare":1}})"},
        Row{"a field of the other version is pruned",
            "ClusterQueue",
            R"("spec":{"cohortName":"x","concurrentAdmissionPolicy":{}})",
            R"("spec":{})"},
        Row{"flavorUsage is flavorsUsage",
            "LocalQueue",
            R"("spec":{"clusterQueue":"c"},"status":{"flavorUsage":[{"name":"f"}]})",
            R"("spec":{"clusterQueue":"c"},"status":{"flavorsUsage":[{"name":"f"}]})"},
        Row{"a LocalQueue's flavors are dropped, its spec is always there",
            "LocalQueue",
            R"("status":{"flavors":[{"name":"f"}],"pendingWorkloads":2})",
            R"("status":{"pendingWorkloads":2},"spec":{})"},
        Row{"a LocalQueue keeps its usage history",
            "LocalQueue",
            R"("spec":{},"status":{"fairSharing":{"weightedShare":1,
               "admissionFairSharingStatus":{"consumedResources":{"cpu":"1"}}}})",
            R"("spec":{},"status":{"fairSharing":{"weightedShare":1,
               "admissionFairSharingStatus":{"consumedResources":{"cpu":"1"}}}})"},
        Row{"a Cohort's usage history is dropped, its spec is always there",
            "Cohort",
            R"("status":{"fairSharing":{"weightedShare":1,"admissionFairSharingStatus":{}}})",
            R"("status":{"fairSharing":{"weightedShare":1}},"spec":{})"},
        Row{"a null spec is none", "Cohort", R"("spec":null)", R"("spec":{})"}
    );
    check_row(row, kV1beta1, kV1beta2);
}

TEST_CASE("v1beta1 Workloads and clusters become v1beta2 as tabled", "[webhook][conversion]") {
    const auto row = GENERATE(
        Row{"a WorkloadPriorityClass by reference",
            "Workload",
            R"("spec":{"priorityClassName":"p","priority":5,
               "priorityClassSource":"kueue.x-k8s.io/workloadpriorityclass"})",
            R"("spec":{"priority":5,"priorityClassRef":{"group":"kueue.x-k8s.io",
               "kind":"WorkloadPriorityClass","name":"p"}})"},
        Row{"a PriorityClass by reference",
            "Workload",
            R"("spec":{"priorityClassName":"p","priority":5,
               "priorityClassSource":"scheduling.k8s.io/priorityclass"})",
            R"("spec":{"priority":5,"priorityClassRef":{"group":"scheduling.k8s.io",
               "kind":"PriorityClass","name":"p"}})"},
        Row{"a name without source is dropped, its priority stays",
            "Workload",
            R"("spec":{"priorityClassName":"p","priority":5,"priorityClassSource":""})",
            R"("spec":{"priority":5})"},
        Row{"a source without name is no reference",
            "Workload",
            R"("spec":{"priorityClassSource":"scheduling.k8s.io/priorityclass"})",
            R"("spec":{})"},
        Row{"the past execution time is spelled right",
            "Workload",
            R"("spec":{},"status":{"accumulatedPastExexcutionTimeSeconds":7})",
            R"("spec":{},"status":{"accumulatedPastExecutionTimeSeconds":7})"},
        Row{"topology domains become one slice",
            "Workload",
            R"("spec":{},"status":{"admission":{"clusterQueue":"c","podSetAssignments":[{"name":"a",
               "topologyAssignment":{"levels":["l"],"domains":[{"values":["x1"],"count":2},
               {"values":["x2"],"count":2}]}},{"name":"b"}]}})",
            R"("spec":{},"status":{"admission":{"clusterQueue":"c","podSetAssignments":[{"name":"a",
               "topologyAssignment":{"levels":["l"],"slices":[{"domainCount":2,"valuesPerLevel":[
               {"individual":{"prefix":"x","roots":["1","2"]}}],"podCounts":{"universal":2}}]}},
               {"name":"b"}]}})"},
        Row{"a Workload's spec is always there", "Workload", "", R"("spec":{})"},
        Row{"a kubeconfig moves into the source",
            "MultiKueueCluster",
            R"("spec":{"kubeConfig":{"location":"s","locationType":"Secret"}})",
            R"("spec":{"clusterSource":{"kubeConfig":{"location":"s","locationType":"Secret"}}})"},
        Row{"an empty location is none",
            "MultiKueueCluster",
            R"("spec":{"kubeConfig":{"location":"","locationType":""},
               "clusterProfileRef":{"name":"p"}})",
            R"("spec":{"clusterSource":{"clusterProfileRef":{"name":"p"}}})"},
        Row{"a cluster without any source has no spec",
            "MultiKueueCluster",
            R"("spec":{"kubeConfig":{"location":"","locationType":""}})",
            ""}
    );
    check_row(row, kV1beta1, kV1beta2);
}

TEST_CASE("v1beta2 objects become v1beta1 as tabled", "[webhook][conversion]") {
    const auto row = GENERATE(
        Row{"cohortName is cohort",
            "ClusterQueue",
            R"("spec":{"cohortName":"c"})",
            R"("spec":{"cohort":"c"})"},
        Row{"the strategy is kept and no names appear",
            "ClusterQueue",
            R"("spec":{"admissionChecksStrategy":{"admissionChecks":[{"name":"a"}]}})",
            R"("spec":{"admissionChecksStrategy":{"admissionChecks":[{"name":"a"}]}})"},
        Row{"MayStopSearch stays",
            "ClusterQueue",
            R"("spec":{"flavorFungibility":{"whenCanBorrow":"MayStopSearch"}})",
            R"("spec":{"flavorFungibility":{"whenCanBorrow":"MayStopSearch"}})"},
        Row{"concurrentAdmissionPolicy is dropped",
            "ClusterQueue",
            R"("spec":{"concurrentAdmissionPolicy":{"migration":{"mode":"m"}}})",
            R"("spec":{})"},
        Row{"flavorsUsage is flavorUsage",
            "LocalQueue",
            R"("status":{"flavorsUsage":[]})",
            R"("status":{"flavorUsage":[]})"},
        Row{"a Cohort is the same",
            "Cohort",
            R"("spec":{"parentName":"p"})",
            R"("spec":{"parentName":"p"})"},
        Row{"a WorkloadPriorityClass by name",
            "Workload",
            R"("spec":{"priorityClassRef":{"group":"kueue.x-k8s.io","kind":"WorkloadPriorityClass",
               "name":"p"},"priority":1})",
            R"("spec":{"priorityClassName":"p","priority":1,
               "priorityClassSource":"kueue.x-k8s.io/workloadpriorityclass"})"},
        Row{"a PriorityClass by name",
            "Workload",
            R"("spec":{"priorityClassRef":{"group":"scheduling.k8s.io","kind":"PriorityClass",
               "name":"p"}})",
            R"("spec":{"priorityClassName":"p",
               "priorityClassSource":"scheduling.k8s.io/priorityclass"})"},
        Row{"a reference to another kind is dropped",
            "Workload",
            R"("spec":{"priorityClassRef":{"group":"x","kind":"PriorityClass","name":"p"}})",
            R"("spec":{})"},
        Row{"preemption gates are dropped",
            "Workload",
            R"("spec":{"preemptionGates":[{"name":"g"}]},"status":{"preemptionGates":[]})",
            R"("spec":{},"status":{})"},
        Row{"slice constraints are dropped",
            "Workload",
            R"("spec":{"podSets":[{"name":"a","topologyRequest":{"required":"r",
               "podsetSliceRequiredTopologyConstraints":[{"size":1}]}},{"name":"b"}]})",
            R"("spec":{"podSets":[{"name":"a","topologyRequest":{"required":"r"}},{"name":"b"}]})"},
        Row{"the past execution time is spelled as of old",
            "Workload",
            R"("status":{"accumulatedPastExecutionTimeSeconds":7})",
            R"("status":{"accumulatedPastExexcutionTimeSeconds":7})"},
        Row{"slices become topology domains",
            "Workload",
            R"("status":{"admission":{"podSetAssignments":[{"topologyAssignment":{"levels":["l"],
               "slices":[{"domainCount":2,"valuesPerLevel":[{"individual":{"roots":["1","2"],
               "suffix":"z"}}],"podCounts":{"individual":[3,4]}}]}}]}})",
            R"("status":{"admission":{"podSetAssignments":[{"topologyAssignment":{"levels":["l"],
               "domains":[{"values":["1z"],"count":3},{"values":["2z"],"count":4}]}}]}})"},
        Row{"a kubeconfig stands in the spec",
            "MultiKueueCluster",
            R"("spec":{"clusterSource":{"kubeConfig":{"location":"s","locationType":"Path"}}})",
            R"("spec":{"kubeConfig":{"location":"s","locationType":"Path"}})"},
        Row{"a cluster profile comes with an empty kubeconfig",
            "MultiKueueCluster",
            R"("spec":{"clusterSource":{"clusterProfileRef":{"name":"p"}}})",
            R"("spec":{"kubeConfig":{"location":"","locationType":""},
               "clusterProfileRef":{"name":"p"}})"}
    );
    check_row(row, kV1beta2, kV1beta1);
}

TEST_CASE("a field that neither version renames keeps its place and bytes", "[webhook]") {
    const std::string text =
        R"({"kind":"ClusterQueue","apiVersion":"kueue.x-k8s.io/v1beta1","metadata":{"name":"q",)"
        R"("managedFields":[{"manager":"m"}],"resourceVersion":"7"},"spec":{"unknown":[1,2.50e0],)"
        R"("cohort":"c","stopPolicy":"Hold"}})";
    auto object = json::parse(text);
    REQUIRE(object);
    REQUIRE(convert(*object, kV1beta2));
    CHECK(
        json::print(*object) ==
        R"({"kind":"ClusterQueue","apiVersion":"kueue.x-k8s.io/v1beta2","metadata":{"name":"q",)"
        R"("managedFields":[{"manager":"m"}],"resourceVersion":"7"},"spec":{"unknown":[1,2.5],)"
        R"("cohortName":"c","stopPolicy":"Hold"}})"
    );
}

TEST_CASE("an object of the desired version stays as it is", "[webhook][conversion]") {
    auto object = make_object("Workload", kV1beta1, R"("spec":{"priorityClassName":"p"})");
    const auto before = json::print(object);
    REQUIRE(convert(object, kV1beta1));
    CHECK(json::print(object) == before);
}

TEST_CASE("what cannot be converted is refused with object and field", "[webhook][conversion]") {
    struct Bad {
        const char* kind;
        const char* members;
        const char* expected;
    };
    const auto row = GENERATE(
        Bad{"ClusterQueue", R"("spec":[])", "ClusterQueue ns/n: spec must be an object"},
        Bad{"ClusterQueue", R"("spec":{"cohort":7})", "spec.cohort has a wrong type"},
        Bad{"ClusterQueue",
            R"("spec":{"admissionChecks":[{}]})",
            "spec.admissionChecks[0] must be a string"},
        Bad{"ClusterQueue",
            R"("spec":{"admissionChecks":{}})",
            "spec.admissionChecks must be a list"},
        Bad{"LocalQueue", R"("status":{"flavorUsage":{}})", "status.flavorUsage has a wrong type"},
        Bad{"Workload",
            R"("spec":{"priorityClassSource":[]})",
            "spec.priorityClassSource must be a string"},
        Bad{"Workload", R"("spec":{"podSets":[null]})", "spec.podSets must be a list of objects"},
        Bad{"Workload",
            R"("status":{"admission":{"podSetAssignments":[{"topologyAssignment":{"levels":["l"],
               "domains":[{"values":["a","b"],"count":1}]}}]}})",
            "podSetAssignments[0].topologyAssignment.domains[0].values: has 2 entries for 1"},
        Bad{"MultiKueueCluster", R"("spec":{"kubeConfig":"x"})", "spec.kubeConfig must be an object"
        },
        Bad{"ResourceFlavor", "", "this kind has no conversion"}
    );
    CAPTURE(row.kind, row.members);
    auto object = make_object(row.kind, kV1beta1, row.members);
    const auto converted = convert(object, kV1beta2);
    REQUIRE_FALSE(converted);
    CHECK(converted.error().code == ErrorCode::Invalid);
    CAPTURE(converted.error().detail);
    CHECK(converted.error().detail.find(row.expected) != std::string::npos);
}

TEST_CASE("an unknown version is refused on either side", "[webhook][conversion]") {
    auto object = make_object("Workload", kV1beta1, "");
    CHECK_FALSE(convert(object, "kueue.x-k8s.io/v1"));
    CHECK_FALSE(convert(object, ""));
    auto old = make_object("Workload", "kueue.x-k8s.io/v1alpha1", "");
    CHECK_FALSE(convert(old, kV1beta2));
    json::Value nothing;
    CHECK_FALSE(convert(nothing, kV1beta2));
}

TEST_CASE("only the kinds whose versions differ are converted", "[webhook][conversion]") {
    for (const auto* kind :
         {"ClusterQueue", "LocalQueue", "Cohort", "Workload", "MultiKueueCluster"}) {
        CHECK(has_conversion(kind));
    }
    for (const auto* kind : {"ResourceFlavor", "Topology", "workload", ""}) {
        CHECK_FALSE(has_conversion(kind));
    }
}

}  // namespace sluice::webhook
