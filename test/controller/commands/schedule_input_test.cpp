#include "controller/commands/schedule/schedule_input.hpp"

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
    CHECK(input.notes[0] == "f:3: Cohort c: defined twice, this definition is used");
}

TEST_CASE("of a list that cannot be read nothing counts", "[commands][schedule]") {
    const auto cohort = [](const std::string& name, const std::string& parent) {
        return R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Cohort","metadata":{"name":")" +
               name + R"("},"spec":{"parentName":")" + parent + R"("}})";
    };
    const std::string foreign = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}})";
    const std::string items = R"({"apiVersion":"v1","items":[)" + cohort("a", "new") + "," +
                              cohort("b", "new") + "," + foreign;
    const auto c = GENERATE_COPY(
        Case{items + R"(],"kind":"List","kind":"List"})", "f:3: duplicate key 'kind'"},
        Case{items + R"(,{"x":1,"x":2}],"kind":"List"})", "f:3: duplicate key 'x'"},
        Case{items + R"(],"kind":"List")", "f:"},
        Case{items + R"(],"kind":"Odd"})", "f:3: Odd /: "}
    );
    const auto input = read(cohort("a", "old") + "\n---\n" + c.text + "\n---\n" + cohort("c", "d"));
    CAPTURE(c.text);
    if (c.problem.find("Odd") == std::string::npos) {
        REQUIRE(input.problems.size() == 1);
        CHECK(input.problems[0].starts_with(c.problem));
        CHECK(input.notes.empty());
    } else {
        CHECK(input.problems.empty());  // an object of a kind that plays no part
        CHECK(input.notes.size() == 1);
    }
    REQUIRE(input.cluster.cohorts.size() == 2);
    CHECK(input.cluster.cohorts[0].spec.parent_name == "old");
    CHECK(input.cluster.cohorts[1].metadata.name == "c");
}

TEST_CASE("a list may say last what it is", "[commands][schedule]") {
    const auto text = GENERATE(
        as<std::string>(),
        R"({"items":[{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}}],)"
        R"("kind":"NamespaceList","apiVersion":"v1"})",
        "items:\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: a\nkind: List\n"
        "apiVersion: v1\n"
    );
    const auto input = read(text);
    CHECK(input.problems.empty());
    CHECK(input.notes.empty());
    REQUIRE(input.cluster.namespaces.size() == 1);
    CHECK(input.cluster.namespaces[0].metadata.name == "a");
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
        Case{"{" + own + "Topology, metadata: {}}", "f:2: Topology: "},
        Case{"{" + own + "LocalQueue, metadata: 7}", "f:2: LocalQueue: "},
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

TEST_CASE("a namespace has the label that the API server gives it", "[commands][schedule]") {
    const auto input = read(
        "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n"
        "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {tier: low}}}"
    );
    REQUIRE(input.cluster.namespaces.size() == 1);
    const auto& labels = input.cluster.namespaces[0].metadata.labels;
    CHECK(labels == api::StringMap{{"kubernetes.io/metadata.name", "a"}, {"tier", "low"}});
}

TEST_CASE("a kind that Kueue does not have is warned of", "[commands][schedule]") {
    const auto input = read(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQeue, metadata: {name: a}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: MultiKueueConfig, metadata: {name: a}, spec: "
        "{clusters: [b]}}"
    );
    CHECK(input.problems.empty());
    CHECK(
        input.warnings ==
        std::vector<std::string>{
            "f:1: ClusterQeue a: ignored, kueue.x-k8s.io/v1beta2 has no kind ClusterQeue"
        }
    );
}

TEST_CASE(
    "negative requests are warned of, and decided as if they were 0", "[commands][schedule]"
) {
    const auto input = read(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: w, namespace: team},"
        " spec: {podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c,"
        " resources: {requests: {cpu: -1}}}]}}}]}}"
    );
    CHECK(input.problems.empty());
    CHECK(input.cluster.workloads.size() == 1);
    REQUIRE(input.warnings.size() == 1);
    CHECK(input.warnings[0].starts_with(
        "f:1: Workload team/w: spec.podSets[0].template.spec.containers[0].resources."
        "requests[cpu]: Invalid value: \"-1\": must be greater than or equal to 0; "
    ));
}

TEST_CASE("annotations of flavors that cannot be read are warned of", "[commands][schedule]") {
    const auto input = read(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f,"
        " annotations: {sluice.dev/capacity: enforce}}}"
    );
    CHECK(input.problems.empty());
    REQUIRE(input.warnings.size() == 1);
    CHECK(input.warnings[0].starts_with("f:1: ResourceFlavor f: metadata.annotations"));
    CHECK(input.warnings[0].find("\"enforce\"") != std::string::npos);
    CHECK(input.warnings[0].ends_with("; ignored"));
}

TEST_CASE("unknown fields are told once for each kind and field", "[commands][schedule]") {
    const std::string queue = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: ";
    const auto input = read(
        queue + "{name: a, namspace: x}, spec: {cohrt: c}}\n---\n" + queue +
        "{name: b}, spec: {cohrt: d, preemption: {withinclusterqueue: Any}}}\n---\n"
        "{apiVersion: kueue.x-k8s.io/v1beta1, kind: ClusterQueue, metadata: {name: c}, spec: "
        "{cohort: d, cohortName: d}}\n---\n" +
        queue +
        "{name: d}, spec: {resourceGroups: [{coveredResources: [], flavors: []}, "
        "{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1, "
        "nominal: 2}]}]}]}}\n"
    );
    CHECK(
        input.warnings ==
        std::vector<std::string>{
            "f:1: ClusterQueue a: unknown field \"metadata.namspace\" is ignored",
            "f:1: ClusterQueue a: unknown field \"spec.cohrt\" is ignored (and 1 more)",
            "f:3: ClusterQueue b: unknown field \"spec.preemption.withinclusterqueue\" is ignored",
            "f:5: ClusterQueue c: unknown field \"spec.cohortName\" is ignored; v1beta2 has it, "
            "v1beta1 does not",
            "f:7: ClusterQueue d: unknown field "
            "\"spec.resourceGroups[1].flavors[0].resources[0].nominal\" is ignored",
        }
    );
}

TEST_CASE("fields that Kubernetes knows are not warned of", "[commands][schedule]") {
    const auto input = read(R"({apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata:
  {name: w, namespace: ns, managedFields: [{manager: kubectl, fieldsV1: {"f:spec": {}}}],
   ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}]},
 spec: {podSets: [{name: main, count: 1,
   template: {metadata: {creationTimestamp: null, labels: {a: b}},
   spec: {restartPolicy: Never, hostUsers: false, dnsConfig: {nameservers: [a]},
     containers: [{name: c, image: i, env: [{name: A, value: b}], securityContext: {runAsUser: 1},
       livenessProbe: {exec: {command: [a]}}}]}}}]},
 status: {aNewerOne: 1, conditions: []}})");
    CHECK(input.problems.empty());
    CHECK(input.warnings == std::vector<std::string>{});
}

TEST_CASE("kinds that play no part are told once each", "[commands][schedule]") {
    const std::string rest = ", metadata: {name: ";
    const auto input = read(
        "{apiVersion: batch/v1, kind: Job" + rest + "a, namespace: ns}}\n---\n" +
        "{apiVersion: batch/v1, kind: Job" + rest + "b}}\n---\n" +
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: MultiKueueConfig" + rest +
        "m}, spec: {clusters: [x]}}\n---\n{apiVersion: batch/v1, kind: Job" + rest + "c}}\n"
    );
    CHECK(
        input.notes ==
        std::vector<std::string>{
            "f:1: Job ns/a: skipped, kind Job of batch/v1 has no effect (add its Workload instead) "
            "(and 2 more)",
            "f:5: MultiKueueConfig m: skipped, kind MultiKueueConfig of kueue.x-k8s.io/v1beta2 "
            "has no effect",
        }
    );
}

}  // namespace sluice::commands
