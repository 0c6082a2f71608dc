#include "validation/workload_rules.hpp"

#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

namespace sluice::validation {
namespace {

using config::FeatureGates;
using test::object;

api::Workload workload(std::string_view text) {
    return object<api::Workload>(text);
}

std::string pod_set(std::string_view fields, std::string_view containers = "") {
    return fmt::format(
        "{{name: main, count: 3, {} template: {{spec: {{containers: [{}]}}}}}}", fields, containers
    );
}

const std::string kReserved =
    "conditions: [{type: QuotaReserved, status: \"True\", reason: R, lastTransitionTime: "
    "\"2026-01-01T00:00:00Z\"}]";
const std::string kAdmission =
    "admission: {clusterQueue: q, podSetAssignments: [{name: main, count: 3, flavors: {cpu: f}, "
    "resourceUsage: {cpu: 3}}]}";

/// A Workload of one pod set with this status.
std::string with_status(std::string_view status, std::string_view metadata = "{name: w}") {
    return fmt::format(
        "{{metadata: {}, spec: {{podSets: [{}]}}, status: {{{}}}}}", metadata, pod_set(""), status
    );
}

std::string with_spec(std::string_view spec, std::string_view metadata = "{name: w}") {
    return fmt::format("{{metadata: {}, spec: {{{}}}}}", metadata, spec);
}

struct Row {
    std::string object;
    std::string errors;
};

struct Change {
    std::string before;
    std::string after;
    std::string errors;
};

const std::string kElastic = "{name: w, annotations: {kueue.x-k8s.io/elastic-job: \"true\"}}";

}  // namespace

TEST_CASE("the pod sets of a new Workload", "[validation]") {
    const auto row = GENERATE(
        Row{with_spec("podSets: [" + pod_set("minCount: 1,") + "]"), ""},
        Row{with_spec("podSets: [" + pod_set("minCount: 1,") + "," + pod_set("minCount: 2,") + "]"),
            "spec.podSets: Invalid value: 2: at most one podSet can use minCount"},
        Row{with_spec("podSets: [" + pod_set("minCount: 1,") + "]", kElastic),
            "spec.podSets: Invalid value: 1: partial admission and elastic job cannot be used "
            "together"},
        Row{with_spec("podSets: [" + pod_set("", "{resources: {requests: {cpu: 1}}}") + "]"), ""},
        Row{with_spec("podSets: [" + pod_set("", "{resources: {requests: {pods: 1}}}") + "]"),
            "spec.podSets[0].template.spec.containers[0].resources.requests[pods]: Invalid value: "
            "\"pods\": the key is reserved for internal kueue use"},
        Row{with_spec("podSets: [" + pod_set("", "{resources: {limits: {cpu: -1}}}") + "]"),
            "spec.podSets[0].template.spec.containers[0].resources.limits[cpu]: Invalid value: "
            "\"-1\": must be greater than or equal to 0"},
        Row{with_spec(
                "podSets: [{name: main, template: {spec: {initContainers: [{resources: {requests: "
                "{cpu: -1}}}], resources: {requests: {memory: -1}}}}}]"
            ),
            "[spec.podSets[0].template.spec.initContainers[0].resources.requests[cpu]: Invalid "
            "value: \"-1\": must be greater than or equal to 0, "
            "spec.podSets[0].template.spec.resources.requests[memory]: Invalid value: \"-1\": must "
            "be greater than or equal to 0]"},
        Row{with_spec("podSets: [{name: main, template: {spec: {overhead: {cpu: -60}}}}]"),
            "spec.podSets[0].template.spec.overhead[cpu]: Invalid value: \"-60\": must be greater "
            "than or equal to 0"},
        Row{with_spec(
                "podSets: [{name: main, template: {spec: {containers: [{resources: {limits: {cpu: "
                "60}}}], resources: {requests: {cpu: 1m}}}}}]"
            ),
            "spec.podSets[0].template.spec.resources.requests[cpu]: Invalid value: \"1m\": must be "
            "greater than or equal to aggregate container requests of 60"},
        Row{with_spec(
                "podSets: [{name: main, template: {spec: {containers: [{resources: {limits: {cpu: "
                "60}}}], resources: {requests: {cpu: 60}}, overhead: {cpu: 1}}}}]"
            ),
            ""},
        Row{with_spec(
                "podSets: [" + pod_set("topologyRequest: {podSetSliceRequiredTopology: rack},") +
                "]"
            ),
            "spec.podSets[0].topologyRequest.podSetSliceSize: Required value: must be set when "
            "podSetSliceRequiredTopology is specified"},
        Row{with_spec(
                "podSets: [" +
                pod_set("topologyRequest: {podSetSliceRequiredTopology: rack, podSetSliceSize: 0},"
                ) +
                "]"
            ),
            "spec.podSets[0].topologyRequest.podSetSliceSize: Invalid value: 0: must be greater "
            "than 0"},
        Row{with_spec("podSets: [" + pod_set("topologyRequest: {podSetSliceSize: 2},") + "]"),
            "spec.podSets[0].topologyRequest.podSetSliceSize: Forbidden: may not be set when "
            "podSetSliceRequiredTopology is not specified"}
    );
    CAPTURE(row.object);
    CHECK(aggregate_text(validate(workload(row.object), FeatureGates())) == row.errors);
}

TEST_CASE("names and amounts are let through where their gates are off", "[validation]") {
    const auto odd = workload(with_spec(
        "podSets: [{name: main, template: {metadata: {labels: {\"a b\": c}}, spec: {containers: "
        "[{resources: {requests: {cpu: -1}}}]}}}]"
    ));
    CHECK(validate(odd, FeatureGates()).size() == 2);
    const auto gates = *FeatureGates::from_map(
        {{"WorkloadValidationForPodSetMetadata", false},
         {"WorkloadValidateResourcesAreNonNegative", false}}
    );
    CHECK(validate(odd, gates).empty());
}

TEST_CASE("a Workload whose sums an earlier version took can be updated", "[validation]") {
    const auto small = workload(with_spec(
        "podSets: [{name: main, template: {spec: {containers: [{resources: {requests: {cpu: "
        "60}}}], resources: {requests: {cpu: 1m}}, overhead: {cpu: -1}}}}]"
    ));
    CHECK(validate(small, FeatureGates()).size() == 2);
    api::Workload later = small;
    later.metadata.finalizers.clear();
    CHECK(validate_update(small, later, FeatureGates()).empty());
}

TEST_CASE("the status of a Workload fits its spec", "[validation]") {
    const auto row = GENERATE(
        Row{with_status(kReserved + ", " + kAdmission), ""},
        Row{with_status(kReserved),
            "status.admission: Required value: must be set while the QuotaReserved condition is "
            "true"},
        Row{with_status(
                kReserved +
                ", admission: {clusterQueue: q, podSetAssignments: [{name: other, count: 2, "
                "resourceUsage: {cpu: 3, memory: 4}}]}"
            ),
            "status.admission.podSetAssignments[0].name: Not found: \"other\""},
        Row{with_status(
                kReserved +
                ", admission: {clusterQueue: q, podSetAssignments: [{name: main, count: 2, "
                "resourceUsage: {cpu: 1m, memory: 4}}]}"
            ),
            "status.admission.podSetAssignments[0].resourceUsage[cpu]: Invalid value: \"1m\": is "
            "not a multiple of 2"},
        Row{with_status("reclaimablePods: [{name: main, count: 3}]"), ""},
        Row{with_status("reclaimablePods: [{name: main, count: 4}]"),
            "status.reclaimablePods[main].count: Invalid value: 4: should be less or equal to 3"},
        Row{with_status("reclaimablePods: [{name: other, count: 1}]"),
            "status.reclaimablePods[other].name: Unsupported value: \"other\": supported values: "
            "\"main\""},
        Row{with_status("admissionChecks: [{name: c, state: Ready, podSetUpdates: [{name: other}]}]"
            ),
            "status.admissionChecks[0].podSetUpdates[0].name: Unsupported value: \"other\": "
            "supported values: \"main\""}
    );
    CAPTURE(row.object);
    CHECK(aggregate_text(validate(workload(row.object), FeatureGates())) == row.errors);
}

TEST_CASE("what a check wants to inject has the form of labels", "[validation]") {
    const auto odd = workload(with_status(
        "admissionChecks: [{name: c, state: Ready, podSetUpdates: [{name: main, labels: {\"a b\": "
        "c}, annotations: {\"a b\": c}, nodeSelector: {a: b c}, tolerations: [{key: a b}]}]}]"
    ));
    std::string fields;
    for (const auto& error : validate(odd, FeatureGates())) {
        fields += error.field + "\n";
    }
    CHECK(
        fields ==
        "status.admissionChecks[0].podSetUpdates[0].tolerations[0].key\n"
        "status.admissionChecks[0].podSetUpdates[0].annotations\n"
        "status.admissionChecks[0].podSetUpdates[0].nodeSelector\n"
        "status.admissionChecks[0].podSetUpdates[0].labels\n"
    );
}

TEST_CASE("a priority boost is a number, where its gate is on", "[validation]") {
    const auto gates = *FeatureGates::from_map({{"PriorityBoost", true}});
    const auto errors_of = [](std::string_view boost, const FeatureGates& on) {
        return aggregate_text(validate(
            workload(fmt::format(
                "{{metadata: {{name: w, annotations: {{kueue.x-k8s.io/priority-boost: \"{}\"}}}}}}",
                boost
            )),
            on
        ));
    };
    const std::string path = "metadata.annotations[kueue.x-k8s.io/priority-boost]: ";
    CHECK(errors_of("-5", gates) == "");
    CHECK(errors_of("x", FeatureGates()) == "");
    CHECK(errors_of("x", gates) == path + "Invalid value: \"x\": must be a valid signed integer");
    CHECK(
        errors_of("", gates) ==
        path +
            "Invalid value: \"\": must be a valid signed integer; use \"0\" explicitly, empty "
            "string is not allowed"
    );
}

TEST_CASE("what of a Workload may change, and when", "[validation]") {
    const std::string reserved = kReserved + ", " + kAdmission;
    const std::string other_admission =
        "admission: {clusterQueue: other, podSetAssignments: [{name: main, count: 3, flavors: "
        "{cpu: f}, resourceUsage: {cpu: 3}}]}";
    const std::string placed =
        "admission: {clusterQueue: q, podSetAssignments: [{name: main, count: 3, flavors: {cpu: "
        "f}, resourceUsage: {cpu: 3}, topologyAssignment: {levels: [rack]}}]}";
    const auto sized = [&](int count, std::string_view metadata) {
        return fmt::format(
            "{{metadata: {}, spec: {{podSets: [{{name: main, count: {}, template: {{}}}}]}}, "
            "status: {{{}}}}}",
            metadata,
            count,
            kReserved + ", " + kAdmission
        );
    };
    const std::string check =
        "admissionChecks: [{name: c, state: Ready, podSetUpdates: [{name: main, labels: {a: ";
    const auto change = GENERATE_COPY(
        Change{with_status(reserved), with_status(""), ""},
        Change{with_status(reserved), with_status(kReserved + ", " + placed), ""},
        Change{with_status(kReserved), with_status(kReserved), ""},
        Change{sized(3, "{name: w}"), sized(2, "{name: w}"), ""},
        Change{
            with_status(reserved + ", reclaimablePods: [{name: main, count: 1}]"),
            with_status(reserved + ", reclaimablePods: [{name: main, count: 2}]"),
            ""
        },
        Change{
            with_status(reserved + ", reclaimablePods: [{name: main, count: 2}]"),
            with_status(reserved + ", reclaimablePods: [{name: main, count: 1}]"),
            "status.reclaimablePods[main].count: Invalid value: 1: cannot be less than 2"
        },
        Change{
            with_status(reserved + ", reclaimablePods: [{name: main, count: 2}]"),
            with_status(reserved),
            "status.reclaimablePods[main]: Required value: cannot be removed"
        },
        Change{with_status(check + "b}}]}]"), with_status(check + "b}}]}]"), ""},
        Change{with_status("nominatedClusterNames: [a, b]"), with_status("clusterName: b"), ""},
        Change{
            with_status("nominatedClusterNames: [a, b]"),
            with_status("clusterName: c"),
            "status.clusterName: Invalid value: \"c\": when setting clusterName it must be one "
            "of the nominatedClusterNames"
        }
    );
    CAPTURE(change.before, change.after);
    CHECK(
        aggregate_text(
            validate_update(workload(change.before), workload(change.after), FeatureGates())
        ) == change.errors
    );

    const auto field_of = [](const std::string& before, const std::string& after) {
        const auto errors = validate_update(workload(before), workload(after), FeatureGates());
        REQUIRE(errors.size() == 1);
        CHECK(errors.front().detail == "field is immutable");
        return errors.front().field;
    };
    CHECK(
        field_of(with_status(reserved), with_status(kReserved + ", " + other_admission)) ==
        "status.admission"
    );
    const std::string job_of = "{name: w, labels: {kueue.x-k8s.io/job-uid: ";
    for (const std::string& changed : {job_of + "b}}", std::string("{name: w}")}) {
        CHECK(
            field_of(with_status(reserved, job_of + "a}}"), with_status(reserved, changed)) ==
            "metadata.labels[kueue.x-k8s.io/job-uid]"
        );
    }
    CHECK(field_of(sized(2, "{name: w}"), sized(3, "{name: w}")) == "spec.podSets.0");
    CHECK(
        field_of(
            with_status(reserved),
            "{spec: {podSets: [" + pod_set("") + ", {name: more, template: {}}]}, status: {" +
                reserved + "}}"
        ) == "spec.podSets"
    );
    CHECK(
        field_of(with_status(check + "b}}]}]"), with_status(check + "c}}]}]")) ==
        "status.admissionChecks[0].podSetUpdates"
    );
}

TEST_CASE("an elastic Workload that shrank may have fewer reclaimable pods", "[validation]") {
    const auto sized = [](int count, int reclaimable, std::string_view metadata) {
        return workload(fmt::format(
            "{{metadata: {}, spec: {{podSets: [{{name: main, count: {}, template: {{}}}}]}}, "
            "status: {{{}, {}, reclaimablePods: [{{name: main, count: {}}}]}}}}",
            metadata,
            count,
            kReserved,
            kAdmission,
            reclaimable
        ));
    };
    CHECK(validate_update(sized(3, 2, kElastic), sized(2, 1, kElastic), FeatureGates()).empty());
    CHECK(validate_update(sized(3, 2, kElastic), sized(1, 2, kElastic), FeatureGates()).empty());
    const std::string_view plain = "{name: w}";
    CHECK_FALSE(validate_update(sized(3, 2, plain), sized(2, 1, plain), FeatureGates()).empty());
    CHECK_FALSE(validate_update(sized(3, 2, plain), sized(1, 2, plain), FeatureGates()).empty());
}

}  // namespace sluice::validation
