#include "controller/commands/schedule_input.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::commands {
namespace {

ScheduleInput read(std::string text) {
    return read_input({{.name = "f", .text = std::move(text)}});
}

struct Case {
    std::string text;
    std::string problem;
};

}  // namespace

TEST_CASE("objects are read from documents, lists and both versions", "[commands][schedule]") {
    const auto input = read(
        "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Namespace, metadata: {name: "
        "a}}]}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta1, kind: ClusterQueue, metadata: {name: q}, spec: "
        "{cohort: c}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: l}, spec: "
        "{clusterQueue: q}}\n"
    );
    CHECK(input.problems.empty());
    CHECK(input.notes.empty());
    CHECK(input.cluster.namespaces.at(0).metadata.name == "a");
    CHECK(input.cluster.cluster_queues.at(0).spec.cohort_name == "c");
    CHECK(input.cluster.local_queues.at(0).metadata.namespace_ == "default");
}

TEST_CASE("of two objects with one name the later counts", "[commands][schedule]") {
    const auto input = read(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: c}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: c}, spec: "
        "{parentName: p}}\n"
    );
    REQUIRE(input.cluster.cohorts.size() == 1);
    CHECK(input.cluster.cohorts[0].spec.parent_name == "p");
    REQUIRE(input.notes.size() == 1);
    CHECK(input.notes[0] == "f:3: Cohort c: given before, this one counts");
}

TEST_CASE(
    "a bad object is named with file, line and field, and the others are kept",
    "[commands][schedule]"
) {
    const std::string own = "apiVersion: kueue.x-k8s.io/v1beta2, kind: ";
    const auto c = GENERATE_COPY(
        Case{
            "{" + own + "Workload, metadata: {name: w, namespace: team}, spec: {podSets: 3}}",
            "f:2: Workload team/w: spec.podSets: "
        },
        Case{
            "{" + own + "ClusterQueue, metadata: {name: q}, spec: {stopPolicy: Now}}",
            "f:2: ClusterQueue q: spec.stopPolicy: "
        },
        Case{"{" + own + "Topology, metadata: {}}", "f:2: Topology : "},
        Case{"{" + own + "LocalQueue, metadata: 7}", "f:2: LocalQueue : "},
        Case{
            "{apiVersion: v1, kind: LimitRange, metadata: {name: l}, spec: {limits: [{max: {cpu: "
            "x}}]}}",
            "f:2: LimitRange l: spec.limits[0].max"
        },
        Case{
            "{apiVersion: kueue.x-k8s.io/v2, kind: Cohort, metadata: {name: c}}",
            "f:2: Cohort c: apiVersion: kueue.x-k8s.io/v2 is not served"
        },
        Case{"[1, 2]", "f:2: not an object"},
        Case{"{a: b: c}", "f:2"}
    );
    CAPTURE(c.text);
    const auto input = read(
        "---\n" + c.text + "\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: kept}}\n"
    );
    REQUIRE(input.problems.size() == 1);
    CHECK(input.problems[0].starts_with(c.problem));
    CHECK(input.cluster.namespaces.size() == 1);
}

}  // namespace sluice::commands
