#include "workload/translation/references.hpp"

#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

namespace sluice::workload {
namespace {

using test::object;

api::AdmissionCheck check(std::string_view name, std::string_view controller, bool is_active) {
    return object<api::AdmissionCheck>(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{controllerName: {}}}, status: {{conditions: [{{type: "
        "Active, status: "
        "\"{}\"}}]}}}}",
        name,
        controller,
        is_active ? "True" : "False"
    ));
}

References references() {
    References made;
    made.flavors["f"] = object<api::ResourceFlavor>("metadata: {name: f}");
    made.flavors["g"] = object<api::ResourceFlavor>(
        "{metadata: {name: g}, spec: {topologyName: t, nodeLabels: {a: b}}}"
    );
    made.topologies["t"] = {"rack"};
    made.admission_checks["c1"] = check("c1", "example.com/c", true);
    made.admission_checks["idle"] = check("idle", "example.com/c", false);
    made.admission_checks["mk1"] = check("mk1", "kueue.x-k8s.io/multikueue", true);
    made.admission_checks["mk2"] = check("mk2", "kueue.x-k8s.io/multikueue", true);
    made.admission_checks["pr"] = check("pr", "kueue.x-k8s.io/provisioning-request", true);
    return made;
}

/// A queue with flavors f and g and these further fields.
api::ClusterQueue queue(std::string_view fields, std::string_view metadata = "name: q") {
    return object<api::ClusterQueue>(fmt::format(
        "{{metadata: {{{}}}, spec: {{resourceGroups: [{{coveredResources: [cpu], flavors: [{{name: "
        "f, resources: "
        "[{{name: cpu, nominalQuota: 1}}]}}, {{name: g, resources: [{{name: cpu, nominalQuota: "
        "1}}]}}]}}]{}{}}}}}",
        metadata,
        fields.empty() ? "" : ", ",
        fields
    ));
}

Activity activity(std::string_view fields) {
    return find_activity(queue(fields), references(), true);
}

Activity inactive(std::string reason, std::string_view what) {
    return {
        .is_active = false,
        .reason = std::move(reason),
        .message = fmt::format("Can't admit new workloads: {}.", what)
    };
}

std::string checks(std::string_view names) {
    return fmt::format("admissionChecksStrategy: {{admissionChecks: [{}]}}", names);
}

}  // namespace

TEST_CASE("a ClusterQueue is active when nothing is in its way", "[workload][references]") {
    CHECK(activity("") == Activity{true, "Ready", "Can admit new workloads"});
    CHECK(activity(checks("{name: c1}, {name: mk1}")).is_active);
}

TEST_CASE("the first obstacle gives the reason, the message names all", "[workload][references]") {
    CHECK(activity("stopPolicy: Hold") == inactive("Stopped", "is stopped"));
    CHECK(
        activity("stopPolicy: HoldAndDrain, " + checks("{name: x}, {name: idle}, {name: w}")) ==
        inactive(
            "Stopped",
            "is stopped, references missing AdmissionCheck(s): w,x, references inactive "
            "AdmissionCheck(s): idle"
        )
    );
    CHECK(
        activity(checks("{name: mk1}, {name: mk2}, {name: pr}")) ==
        inactive(
            "MultipleMultiKueueAdmissionChecks",
            "Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, found: "
            "mk1,mk2, Cannot use both "
            "MultiKueue and ProvisioningRequest AdmissionChecks together, found: mk1,mk2, pr"
        )
    );
    CHECK(
        activity(checks("{name: mk1, onFlavors: [f]}")).reason ==
        "MultiKueueAdmissionCheckAppliedPerFlavor"
    );
}

TEST_CASE("missing flavors and topologies are named", "[workload][references]") {
    auto without = references();
    without.flavors.erase("f");
    CHECK(
        find_activity(queue(""), without, true) ==
        inactive("FlavorNotFound", "references missing ResourceFlavor(s): f")
    );
    without = references();
    without.topologies.clear();
    CHECK(
        find_activity(queue(""), without, true) ==
        inactive("TopologyNotFound", "there is no Topology \"t\" for TAS flavor \"g\"")
    );
    CHECK(find_activity(queue(""), without, false).is_active);
}

TEST_CASE(
    "a flavor that only a webhook would refuse is as good as missing", "[workload][references]"
) {
    auto all = references();
    all.flavors["g"] =
        object<api::ResourceFlavor>("{metadata: {name: g}, spec: {nodeLabels: {tier: \"a b\"}}}");
    const auto found = find_activity(queue("stopPolicy: Hold"), all, true);
    CHECK(found.reason == "Stopped");
    const auto only = find_activity(queue(""), all, true);
    CHECK(only.reason == "FlavorNotFound");
    CHECK(
        only.message.starts_with("Can't admit new workloads: references invalid ResourceFlavor "
                                 "\"g\": spec.nodeLabels: Invalid value: \"a b\": ")
    );
    all.flavors.erase("f");
    CHECK(
        find_activity(queue(""), all, true)
            .message.starts_with("Can't admit new workloads: references missing ResourceFlavor(s): "
                                 "f, references invalid ResourceFlavor \"g\": ")
    );
}

TEST_CASE("a terminating ClusterQueue says that alone", "[workload][references]") {
    const auto gone =
        queue("stopPolicy: Hold", "name: q, deletionTimestamp: \"2026-01-01T00:00:00Z\"");
    const auto found = find_activity(gone, references(), true);
    CHECK(found.reason == "Terminating");
    CHECK(found.message == "Can't admit new workloads; clusterQueue is terminating");
}

TEST_CASE(
    "a field that a webhook would refuse makes the ClusterQueue inactive", "[workload][references]"
) {
    const auto found = activity("fairSharing: {weight: \"-1\"}");
    CHECK(
        found ==
        inactive(
            "Unknown", "spec.fairSharing: Invalid value: \"-1\": must be greater than or equal to 0"
        )
    );
}

TEST_CASE(
    "before a reservation the checks of all flavors are required, after it those of its own",
    "[workload][references]"
) {
    const auto made =
        queue(checks("{name: all}, {name: onf, onFlavors: [f]}, {name: both, onFlavors: [g, f]}"));
    using Names = std::set<std::string>;
    CHECK(required_checks(made, nullptr) == Names{"all", "both"});
    const Names f{"f"};
    CHECK(required_checks(made, &f) == Names{"all", "both", "onf"});
    const Names g{"g"};
    CHECK(required_checks(made, &g) == Names{"all", "both"});
}

}  // namespace sluice::workload
