#pragma once

#include "engine/quota/usage_view.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::reference {

/// Where two quota trees differ in what can be read of them; none: nowhere. `with_marks`: also in
/// generations and in what waits, which the parking of workloads changes.
std::optional<std::string> find_difference(
    const engine::QuotaTree& a, const engine::QuotaTree& b, bool with_marks
);

/// Where the usage of two views of one tree's shape differs; "" if nowhere.
std::string usage_difference(
    const engine::QuotaTree& tree, const engine::UsageView& a, const engine::UsageView& b
);

/// What must hold of a cycle's decisions by the rules' plain words, whatever engine and reference
/// make of them: made before the cycle, asked after it.
class Witness {
  public:
    explicit Witness(const engine::State& before);

    /// The first thing that should not be: an admission beyond quota, limits or the choice of
    /// flavors; a victim that held nothing, was on its way out already or is protected by policy; a
    /// decision on a workload that was not the head of its ClusterQueue; usage of what-ifs that
    /// stayed.
    std::optional<std::string> find_fault(
        const engine::State& after, const engine::CycleResult& result
    ) const;

  private:
    struct Holder {
        engine::NodeIndex cluster_queue;
        engine::Usages usages;
        bool evicted = false;
    };
    bool was_head(engine::WorkloadIndex workload, engine::NodeIndex cluster_queue) const;
    std::optional<std::string> fault_of(
        const engine::State& after, const engine::AdmissionDecision& decision
    ) const;
    std::optional<std::string> fault_of(
        const engine::State& after, const engine::PreemptionDecision& decision
    ) const;
    std::optional<std::string> find_overuse(const engine::CycleResult& result) const;
    std::optional<std::string> find_leftover(
        const engine::State& after, const engine::CycleResult& result
    ) const;
    engine::Usages usage_of(const engine::AdmissionDecision& decision) const;
    /// The slice that it is to replace, if that holds quota.
    std::optional<engine::WorkloadIndex> replaced_by(engine::WorkloadIndex workload) const;

    const engine::State& state_;
    engine::QuotaTree tree_;
    bool was_stale_;
    std::map<engine::NodeIndex, engine::WorkloadIndex> heads_;
    std::map<engine::WorkloadIndex, Holder> holders_;
};

}  // namespace sluice::reference
