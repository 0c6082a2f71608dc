#include "validation/cluster_queue_rules.hpp"

#include "support/objects.hpp"
#include "validation/quota_rules.hpp"
#include "validation/resource_flavor_rules.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace sluice::validation {
namespace {

using config::FeatureGates;
using test::object;

api::ClusterQueue queue(std::string_view spec) {
    return object<api::ClusterQueue>(fmt::format("{{spec: {{{}}}}}", spec));
}

std::string group(std::string_view quota) {
    return fmt::format(
        "resourceGroups: [{{coveredResources: [cpu], flavors: [{{name: f, resources: [{{name: cpu, "
        "{}}}]}}]}}]",
        quota
    );
}

FeatureGates with(const char* gate) {
    return *FeatureGates::from_map({{gate, true}});
}

}  // namespace

TEST_CASE("every fault of a ClusterQueue is told", "[validation]") {
    CHECK(
        aggregate_text(
            validate(queue(group("nominalQuota: -1, borrowingLimit: -2")), FeatureGates())
        ) ==
        "[spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: Invalid value: \"-1\": must "
        "be greater than or equal to 0, "
        "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: Invalid value: \"-2\": "
        "must be nil when cohort is empty, "
        "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: Invalid value: \"-2\": "
        "must be greater than or equal to 0]"
    );
    CHECK(validate(
              queue("cohortName: c, " + group("nominalQuota: 1, borrowingLimit: 2")), FeatureGates()
    )
              .empty());
}

TEST_CASE("faults are told in the order of Kueue's", "[validation]") {
    const auto text_of = [](const api::FieldErrors& errors) { return aggregate_text(errors); };
    const std::string bad_group =
        "resourceGroups: [{coveredResources: ['@'], flavors: [{name: f, resources: [{name: cpu, "
        "nominalQuota: 1, lendingLimit: -2}]}]}], fairSharing: {weight: -1}";
    const std::string weight =
        "spec.fairSharing: Invalid value: \"-1\": must be greater than or equal to 0";
    const std::string flavor = "spec.resourceGroups[0].flavors[0].resources[0]";

    const auto queue_text =
        text_of(validate(queue("namespaceSelector: {matchLabels: {a: '!'}}, " + bad_group), {}));
    const auto places = {
        queue_text.find("spec.resourceGroups[0].coveredResources[0]: Invalid value: \"@\""),
        queue_text.find(flavor + ".name: Invalid value: \"cpu\": must match"),
        queue_text.find(flavor + ".lendingLimit: Invalid value: \"-2\": must be greater"),
        queue_text.find(flavor + ".lendingLimit: Invalid value: \"-2\": must be nil"),
        queue_text.find("spec.namespaceSelector.matchLabels: "),
        queue_text.find(weight),
    };
    CAPTURE(queue_text);
    CHECK(*std::ranges::max_element(places) != std::string::npos);
    CHECK(std::ranges::is_sorted(places));

    const auto cohort_text =
        text_of(validate(object<api::Cohort>(fmt::format("{{spec: {{{}}}}}", bad_group))));
    CHECK(cohort_text.starts_with("[" + weight + ", spec.resourceGroups[0].coveredResources[0]: "));
}

TEST_CASE("preemption that cannot borrow is shown as it was asked for", "[validation]") {
    const auto text = aggregate_text(validate(
        queue("preemption: {reclaimWithinCohort: Never, borrowWithinCohort: {policy: "
              "LowerPriority}}"),
        FeatureGates()
    ));
    CHECK(text.starts_with("spec.preemption: Invalid value: {"));
    CHECK(text.ends_with(": reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"));
}

TEST_CASE("a check that names no flavor of the queue may stay while both do", "[validation]") {
    const std::string check =
        ", admissionChecksStrategy: {admissionChecks: [{name: a, onFlavors: [none]}]}";
    const auto before = queue(group("nominalQuota: 1") + check);
    const auto more = queue(group("nominalQuota: 2") + check);
    const auto other = queue(
        "resourceGroups: [{coveredResources: [cpu], flavors: [{name: g, resources: [{name: cpu, "
        "nominalQuota: 1}]}]}]" +
        check
    );
    const std::string error =
        "spec.admissionChecksStrategy.admissionChecks[0].onFlavors[0]: Unsupported value: "
        "\"none\": supported values: ";
    CHECK(aggregate_text(validate(before, FeatureGates())) == error + "\"f\"");
    CHECK(validate_update(before, more, FeatureGates()).empty());
    CHECK(aggregate_text(validate_update(before, other, FeatureGates())) == error + "\"g\"");
    CHECK(
        aggregate_text(validate_update(before, more, with("RejectUpdatesToCQWithInvalidOnFlavors"))
        ) == error + "\"f\""
    );
}

TEST_CASE("the policy of concurrent admission does not change", "[validation]") {
    const std::string policy =
        ", concurrentAdmissionPolicy: {migration: {mode: TryPreferredFlavors}}";
    const auto without = queue(group("nominalQuota: 1"));
    const auto with_policy = queue(group("nominalQuota: 1") + policy);
    CHECK(validate_update(with_policy, with_policy, FeatureGates()).empty());
    CHECK(
        aggregate_text(validate_update(with_policy, without, FeatureGates())) ==
        "spec.concurrentAdmissionPolicy: Invalid value: null: field is immutable"
    );
}

TEST_CASE("concurrent admission wants one group and no strict order", "[validation]") {
    const std::string policy = ", concurrentAdmissionPolicy: {migration: {mode: ";
    const auto errors_of = [](const std::string& spec) {
        return aggregate_text(validate(queue(spec), with("ConcurrentAdmission")));
    };
    const std::string good = group("nominalQuota: 1") + policy;
    CHECK(
        errors_of(good + "TryPreferredFlavors, constraints: {lastAcceptableFlavorName: f}}}") == ""
    );
    CHECK(
        errors_of("resourceGroups: []" + policy + "TryPreferredFlavors}}") ==
        "spec.resourceGroups: Invalid value: 0: must have exactly one ResourceGroup when "
        "ConcurrentAdmissionPolicy is defined"
    );
    CHECK(
        errors_of("queueingStrategy: StrictFIFO, " + good + "TryPreferredFlavors}}") ==
        "spec.queueingStrategy: Invalid value: \"StrictFIFO\": StrictFIFO queueing strategy "
        "cannot be used when ConcurrentAdmissionPolicy is defined"
    );
    CHECK(
        errors_of(good + "TryPreferredFlavors, constraints: {lastAcceptableFlavorName: g}}}") ==
        "spec.concurrentAdmissionPolicy.migration.constraints.lastAcceptableFlavorName: Invalid "
        "value: \"g\": must be one of the flavors defined in the ClusterQueue: [f]"
    );
    CHECK(
        errors_of(good + "RetainFirstAdmission, constraints: {lastAcceptableFlavorName: f}}}") ==
        "spec.concurrentAdmissionPolicy.migration.constraints: Forbidden: may only be set when "
        "migration.mode is \"TryPreferredFlavors\" (got \"RetainFirstAdmission\")"
    );
    // Without the gate the policy means nothing.
    CHECK(validate(queue("resourceGroups: []" + policy + "X}}"), FeatureGates()).empty());
}

TEST_CASE("weights are zero or large enough", "[validation]") {
    const auto errors_of = [](std::string_view weight) {
        return aggregate_text(validate(
            object<api::Cohort>(fmt::format("{{spec: {{fairSharing: {{weight: {}}}}}}}", weight))
        ));
    };
    CHECK(errors_of("0") == "");
    CHECK(errors_of("2n") == "");
    CHECK(
        errors_of("1n") ==
        "spec.fairSharing: Invalid value: \"1n\": When not 0, weight must be > 10e-9"
    );
    CHECK(
        errors_of("-1") ==
        "spec.fairSharing: Invalid value: \"-1\": must be greater than or equal to 0"
    );
}

TEST_CASE("taints of a flavor are unique by key and effect", "[validation]") {
    const auto flavor = object<api::ResourceFlavor>(
        "{spec: {nodeTaints: [{key: a, effect: NoSchedule}, {key: a, value: b, effect: "
        "NoSchedule}, {key: a, effect: NoExecute}]}}"
    );
    CHECK(
        aggregate_text(validate(flavor)) ==
        "spec.nodeTaints[1]: Duplicate value: "
        "{\"key\":\"a\",\"value\":\"b\",\"effect\":\"NoSchedule\"}: taints must be unique by key "
        "and effect pair"
    );
}

}  // namespace sluice::validation
