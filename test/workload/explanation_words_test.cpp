#include "workload/explanation/explanation_words.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::workload {
namespace {

using engine::RefusalKind;

Constraint quota() {
    return {
        .kind = "quota",
        .pod_set = "main",
        .resource = "cpu",
        .flavor = "default",
        .node = "cohort/org",
        .needed = "6",
        .free = "4",
        .limit = "8",
        .nominal = "4",
        .borrowed = "0",
        .holders = {{.workload = "a/owner", .amount = "4", .priority = 1}},
        .remedies = {"wait", "borrow"},
    };
}

std::string words(RefusalKind kind, const Constraint& constraint, std::uint32_t preemptions = 0) {
    engine::RefusalDecision refusal;
    refusal.kind = kind;
    refusal.preemptions = preemptions;
    return in_words(refusal, {constraint});
}

}  // namespace

TEST_CASE("a shortage is told with its numbers and holders", "[workload][explanation]") {
    CHECK(
        words(RefusalKind::Assignment, quota()) ==
        "needs 6 cpu in default, 4 free (of at most 8) in cohort org; held by a/owner (4); "
        "it may borrow what becomes free"
    );
    auto constraint = quota();
    constraint.kind = "borrowingLimit";
    constraint.node = "clusterQueue/q";
    constraint.holders = {
        {.workload = "a/x", .amount = "4", .evicted = true},
        {.workload = "a/y", .amount = "3", .reserved = true},
        {.workload = "a/z", .amount = "2"},
        {.workload = "a/u", .amount = "1"},
    };
    constraint.remedies = {"wait", "borrow", "preempt"};
    CHECK(
        words(RefusalKind::Assignment, constraint) ==
        "needs 6 cpu in default, 4 free (of at most 8), as much as the borrowing limit of "
        "ClusterQueue q "
        "leaves; held by a/x (4, being evicted), a/y (3, reserved), a/z (2), others; "
        "it may borrow what becomes free or preempt"
    );
    constraint.kind = "lendingLimit";
    constraint.holders.clear();
    constraint.remedies = {"wait"};
    CHECK(
        words(RefusalKind::Assignment, constraint) ==
        "needs 6 cpu in default, 4 free (of at most 8), and the lending limit of ClusterQueue q "
        "keeps back "
        "the "
        "rest"
    );
}

TEST_CASE(
    "what withholds a queue's own quota is told, and what is left out", "[workload][explanation]"
) {
    auto constraint = quota();
    constraint.holders.clear();
    constraint.remedies = {"wait"};
    const std::string same = "needs 6 cpu in default, 4 free (of at most 8) in cohort org";
    constraint.reclaim = "Never";
    CHECK(
        words(RefusalKind::Assignment, constraint) ==
        same + "; its own quota of 4 would do, but preemption.reclaimWithinCohort is Never"
    );
    constraint.reclaim.clear();
    constraint.passed_over = true;
    CHECK(
        words(RefusalKind::Assignment, constraint) ==
        same + "; flavor default is tried again after those behind it"
    );
    constraint.passed_over = false;
    engine::RefusalDecision refusal;
    CHECK(in_words(refusal, {constraint, constraint}) == same + " (and 1 more constraint)");
    CHECK(in_words(refusal, {constraint, quota(), quota()}) == same + " (and 2 more constraints)");
}

TEST_CASE("what became of the turn stands before the constraint", "[workload][explanation]") {
    auto constraint = quota();
    constraint.holders.clear();
    constraint.remedies = {"wait"};
    const std::string same = "needs 6 cpu in default, 4 free (of at most 8) in cohort org";
    CHECK(words(RefusalKind::PendingPreemption, constraint, 1) == "waits for an eviction: " + same);
    CHECK(words(RefusalKind::PendingPreemption, constraint, 2) == "waits for 2 evictions: " + same);
    CHECK(words(RefusalKind::NoLongerFits, constraint) == "others came first: " + same);
    CHECK(
        words(RefusalKind::DeferredFit, constraint) ==
        "fits once workloads evicted for others are gone: " + same
    );
    CHECK(
        words(RefusalKind::OverlappingTargets, constraint) ==
        "another workload evicts the same ones: " + same
    );
    CHECK(
        words(RefusalKind::PreemptionGated, constraint) ==
        "a closed gate keeps it from preempting: " + same
    );
}

TEST_CASE("what can never be had says what caps it", "[workload][explanation]") {
    auto constraint = quota();
    constraint.remedies.clear();
    CHECK(
        words(RefusalKind::Assignment, constraint) ==
        "needs 6 cpu in default, more than the 8 that the quota of cohort org can ever allow"
    );
    constraint.kind = "borrowingLimit";
    constraint.node = "clusterQueue/q";
    CHECK(words(RefusalKind::Assignment, constraint)
              .ends_with("the borrowing limit of ClusterQueue q can ever allow"));
    constraint.kind = "lendingLimit";
    CHECK(words(RefusalKind::Assignment, constraint)
              .ends_with("the lending limit of ClusterQueue q can ever allow"));
}

TEST_CASE("constraints without numbers have their sentence or none", "[workload][explanation]") {
    const auto of = [](std::string kind) {
        return words(
            RefusalKind::Assignment,
            {.kind = std::move(kind), .resource = "fpga", .flavor = "spot", .node = "clusterQueue/q"
            }
        );
    };
    CHECK(
        of("quota") == "there is room in flavor spot, which is tried again after those behind it"
    );
    CHECK(of("taint") == "its pods do not tolerate a taint of flavor spot");
    CHECK(of("affinity") == "its pods' node selector or affinity excludes flavor spot");
    CHECK(of("undeclaredResource") == "ClusterQueue q has no quota for fpga");
    CHECK(of("replacedSlice") == "the slice that it replaces is not on flavor spot");
    CHECK(of("inactive") == "flavor spot does not exist");
    CHECK(of("requests").empty());
    CHECK(of("check").empty());
    CHECK(
        words(
            RefusalKind::WaitingForPodsReady,
            {.kind = "gate", .node = "clusterQueue/q", .holders = {{.workload = "a/x"}}}
        ) == "waits until the pods of a/x are ready"
    );
    CHECK(in_words({}, {}).empty());
}

}  // namespace sluice::workload
