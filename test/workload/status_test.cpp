#include "workload/status/status.hpp"

#include "api/kueue/conditions.hpp"
#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::workload {
namespace {

using test::object;

using namespace std::chrono_literals;

const Time kThen = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
const Time kNow = kThen + 90s + 500ms;
const TranslationGates kGates;

api::ClusterQueue queue(std::string_view checks = "[]") {
    return object<api::ClusterQueue>(
        "{metadata: {name: q}, spec: {admissionChecksStrategy: {admissionChecks: " +
        std::string(checks) +
        "}, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, "
        "nominalQuota: "
        "1}]}]}]}}"
    );
}

api::Admission admission() {
    return object<api::Admission>(
        "{clusterQueue: q, podSetAssignments: [{name: main, count: 1, flavors: {cpu: f}, "
        "resourceUsage: {cpu: 1}}]}"
    );
}

api::Workload pending(std::string_view status = "{}") {
    return object<api::Workload>(
        "{metadata: {name: w, namespace: ns, generation: 3}, status: " + std::string(status) + "}"
    );
}

api::Workload admitted(std::string_view checks = "[]") {
    auto made = pending("{admissionChecks: " + std::string(checks) + "}");
    reserve_quota(made, admission(), queue(), kGates, kThen);
    return made;
}

/// "True Reason: message" of a condition, "" when there is none.
std::string condition(const api::Workload& workload, std::string_view type) {
    const auto* found = api::find_condition(workload.status.conditions, type);
    return found == nullptr ? "" : found->status + " " + found->reason + ": " + found->message;
}

}  // namespace

TEST_CASE("without checks a reservation is an admission", "[workload][status]") {
    auto made = pending("{resourceRequests: [{name: main, resources: {cpu: 1}}]}");
    reserve_quota(made, admission(), queue(), kGates, kNow);
    CHECK(
        condition(made, "QuotaReserved") == "True QuotaReserved: Quota reserved in ClusterQueue q"
    );
    CHECK(condition(made, "Admitted") == "True Admitted: The workload is admitted");
    CHECK(made.status.resource_requests.empty());
    const auto* reserved = api::find_condition(made.status.conditions, "QuotaReserved");
    CHECK(reserved->observed_generation == 3);
    CHECK(reserved->last_transition_time == kThen + 90s);
}

TEST_CASE("with checks a reservation waits for them", "[workload][status]") {
    SECTION("a check that status does not list yet leaves Admitted alone") {
        auto made = pending();
        reserve_quota(made, admission(), queue("[{name: c}]"), kGates, kNow);
        CHECK(condition(made, "Admitted").empty());
        CHECK(sync_admission_checks(made, queue("[{name: c}]"), kNow));
        CHECK(made.status.admission_checks.at(0).state == "Pending");
    }
    SECTION("a pending check") {
        auto made = pending("{admissionChecks: [{name: c, state: Pending}]}");
        reserve_quota(made, admission(), queue("[{name: c}]"), kGates, kNow);
        CHECK(
            condition(made, "Admitted") ==
            "False UnsatisfiedAdmissionChecks: The workload has not all checks ready"
        );
    }
    SECTION("a ready check") {
        auto made = pending("{admissionChecks: [{name: c, state: Ready}]}");
        reserve_quota(made, admission(), queue("[{name: c}]"), kGates, kNow);
        CHECK(api::is_true(made.status.conditions, "Admitted"));
    }
}

TEST_CASE("superfluous checks go, the others stay as they are", "[workload][status]") {
    auto made = pending(
        "{admissionChecks: [{name: b, state: Ready, message: m}, {name: old, state: Ready}]}"
    );
    CHECK(sync_admission_checks(made, queue("[{name: b}, {name: a}]"), kNow));
    REQUIRE(made.status.admission_checks.size() == 2);
    CHECK(made.status.admission_checks[0].name == "a");
    CHECK(made.status.admission_checks[1].message == "m");
    CHECK_FALSE(sync_admission_checks(made, queue("[{name: b}, {name: a}]"), kNow));
}

TEST_CASE("a refusal says why and that nothing is reserved", "[workload][status]") {
    auto made = pending();
    CHECK(unset_reservation(made, "WaitingForQuota", "no room", kGates, kNow));
    CHECK(condition(made, "QuotaReserved") == "False WaitingForQuota: no room");
    CHECK(condition(made, "Admitted") == "False NoReservation: The workload has no reservation");
    CHECK_FALSE(unset_reservation(made, "WaitingForQuota", "no room", kGates, kNow + 1h));
    SECTION("without the gate Admitted is not written before it was true") {
        auto older = pending();
        unset_reservation(
            older, "Pending", "no room", {.unadmitted_workloads_observability = false}, kNow
        );
        CHECK(condition(older, "Admitted").empty());
    }
}

TEST_CASE("a preemption keeps the quota until the release", "[workload][status]") {
    auto made =
        admitted("[{name: c, state: Ready, retryCount: 2}, {name: d, state: Retry, retryCount: 2}]"
        );
    made.status.admission_checks[1].state = "Retry";
    preempt(made, "InClusterQueue", "for another", kNow);
    CHECK(condition(made, "Preempted") == "True InClusterQueue: for another");
    CHECK(condition(made, "Evicted") == "True Preempted: for another");
    CHECK(api::find_condition(made.status.conditions, "Preempted")->observed_generation == 0);
    CHECK(made.status.admission);
    CHECK(made.status.scheduling_stats->evictions.at(0).count == 1);
    CHECK(
        made.status.admission_checks[0].message ==
        "Reset to Pending after eviction. Previously: Ready"
    );
    CHECK_FALSE(made.status.admission_checks[0].retry_count);
    CHECK(made.status.admission_checks[1].retry_count == 3);

    release_quota(made, kGates, kNow);
    CHECK(condition(made, "Requeued") == "True Preempted: for another");
    CHECK(condition(made, "QuotaReserved") == "False PendingEvaluation: for another");
    CHECK_FALSE(made.status.admission);

    reserve_quota(made, admission(), queue(), kGates, kNow + 1h);
    CHECK(condition(made, "Evicted") == "False QuotaReserved: Previously: for another");
    CHECK(condition(made, "Preempted") == "False QuotaReserved: Previously: for another");
}

TEST_CASE("what a lost admission had run is added up", "[workload][status]") {
    auto made = pending("{accumulatedPastExecutionTimeSeconds: 10}");
    reserve_quota(made, admission(), queue(), kGates, kThen);
    preempt(made, "InClusterQueue", "m", kNow);
    release_quota(made, kGates, kNow);
    CHECK(made.status.accumulated_past_execution_time_seconds == 100);
}

TEST_CASE("only preempted workloads queue again by themselves", "[workload][status]") {
    const auto released = [](std::string_view reason) {
        auto made = admitted();
        evict(made, {.reason = std::string(reason), .message = "m", .cause = ""}, kNow);
        release_quota(made, kGates, kNow);
        return condition(made, "Requeued");
    };
    CHECK(released("Preempted") == "True Preempted: m");
    CHECK(released("NodeFailures") == "True NodeFailures: m");
    CHECK(released("AdmissionCheck") == "False AdmissionCheck: m");
    CHECK(released("PodsReadyTimeout") == "False PodsReadyTimeout: m");
}

TEST_CASE("what a single pod owns does not queue again, if its gate is on", "[workload][status]") {
    const auto requeued = [](std::string_view metadata, const TranslationGates& gates) {
        auto made = admitted();
        made.metadata = object<api::Workload>("{metadata: " + std::string(metadata) + "}").metadata;
        evict(made, {.reason = "Preempted", .message = "m", .cause = ""}, kNow);
        release_quota(made, gates, kNow);
        return condition(made, "Requeued");
    };
    const std::string pod = "{apiVersion: v1, kind: Pod, name: p, uid: u}";
    const std::string job = "{apiVersion: batch/v1, kind: Job, name: j, uid: v}";
    const std::string group = "annotations: {kueue.x-k8s.io/is-group-workload: ";
    const std::string single = "{ownerReferences: [" + pod + "]}";
    CHECK(requeued(single, kGates) == "False Preempted: m");
    CHECK(requeued("{ownerReferences: [" + job + "]}", kGates) == "True Preempted: m");
    CHECK(requeued("{ownerReferences: [" + pod + ", " + job + "]}", kGates) == "True Preempted: m");
    const std::string owned = "{ownerReferences: [" + pod + "], " + group;
    CHECK(requeued(owned + "\"true\"}}", kGates) == "True Preempted: m");
    CHECK(requeued(owned + "\"false\"}}", kGates) == "False Preempted: m");
    CHECK(
        requeued(single, {.skip_reassignment_for_pod_owned_workloads = false}) ==
        "True Preempted: m"
    );
}

TEST_CASE("a release without eviction or quota changes nothing", "[workload][status]") {
    auto holding = admitted();
    const auto before = holding;
    release_quota(holding, kGates, kNow);
    CHECK(holding == before);
    auto waiting = pending();
    evict(waiting, {.reason = "Deactivated", .message = "m", .cause = "AdmissionCheck"}, kNow);
    CHECK(condition(waiting, "Evicted") == "True DeactivatedDueToAdmissionCheck: m");
    CHECK(waiting.status.scheduling_stats->evictions.at(0).underlying_cause == "AdmissionCheck");
    const auto evicted = waiting;
    release_quota(waiting, kGates, kNow);
    CHECK(waiting == evicted);
}

TEST_CASE("evictions are counted, and the gates of preemption close", "[workload][status]") {
    auto made = pending("{preemptionGates: [{name: g, position: Open}]}");
    CHECK(evict(made, {.reason = "Preempted", .message = "m", .cause = ""}, kNow));
    CHECK_FALSE(evict(made, {.reason = "Preempted", .message = "m", .cause = ""}, kNow));
    CHECK(made.status.scheduling_stats->evictions.at(0).count == 2);
    CHECK(made.status.preemption_gates.at(0).position == "Closed");
}

TEST_CASE(
    "a workload that gates block is so until a reservation or an eviction", "[workload][status]"
) {
    constexpr const char* kBlocked = "BlockedOnPreemptionGates";
    auto made = pending();
    CHECK(block_on_preemption_gates(made, "gated", kThen));
    CHECK(condition(made, kBlocked) == "True PreemptionGated: gated");
    CHECK(api::find_condition(made.status.conditions, kBlocked)->observed_generation == 3);
    CHECK_FALSE(block_on_preemption_gates(made, "gated", kNow));
    unset_reservation(made, "WaitingForQuota", "no room", kGates, kNow);
    CHECK(api::is_true(made.status.conditions, kBlocked));
    auto evicted = made;
    evict(evicted, {.reason = "Deactivated", .message = "m", .cause = ""}, kNow);
    CHECK(condition(evicted, kBlocked) == "False Deactivated: m");
    reserve_quota(made, admission(), queue(), kGates, kNow);
    CHECK(condition(made, kBlocked) == "False QuotaReserved: Previously: gated");
}

TEST_CASE("a requeue time only moves later", "[workload][status]") {
    auto made = pending();
    CHECK(delay_requeue(made, kNow));
    CHECK_FALSE(delay_requeue(made, kThen));
    CHECK(made.status.requeue_state->requeue_at == kNow);
    CHECK(delay_requeue(made, kNow + 1s));
}

}  // namespace sluice::workload
