// The slice of an elastic job that another workload replaces (KEP-77).
#pragma once

#include "engine/flavors/assignment.hpp"
#include "engine/state/state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace sluice::engine {

/// Returns a - b for requested amounts, for which the largest amount is an ordinary number and not
/// "unlimited". Saturates.
constexpr Amount number_difference(Amount a, Amount b) {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(a.value(), b.value(), &difference)) {
        return a.value() < 0 ? Amount::lowest() : Amount::unlimited();
    }
    return Amount(difference);
}

/// Returns true if both workloads are in one namespace and either belong to the same elastic job,
/// known by its uid, or both have no owner. The name of a slice is not proof enough: anybody may
/// write the annotation workload-slice-replacement-for, and it frees quota.
bool are_slices_of_one_job(const WorkloadRecord& replacement, const WorkloadRecord& slice);

/// The quota that a slice holds and that a larger workload of the same elastic job replaces
/// (KEP-77). The new workload needs quota only for the difference, on the same flavors.
class ReplacedSlice {
  public:
    /// Returns nullopt if the workload does not replace a slice, or if the slice holds no quota in
    /// this ClusterQueue, belongs to another job or is in `removed`. Such a workload is treated
    /// like any other workload.
    static std::optional<ReplacedSlice> find(
        const State& state,
        WorkloadIndex replacement,
        NodeIndex cluster_queue,
        const std::set<WorkloadIndex>& removed
    );

    WorkloadIndex workload() const { return workload_; }
    /// Returns the flavor that the podSet at that position of the admission has for the resource;
    /// an invalid index if it has none.
    FlavorIndex flavor_of(std::size_t pod_set, ResourceIndex resource) const;
    /// Returns the amount of the resource that this podSet holds.
    Amount held_of(std::size_t pod_set, ResourceIndex resource) const;
    /// Returns the amount of the resource that the podSet of that name holds.
    Amount held_of(std::string_view pod_set, ResourceIndex resource) const;
    /// Returns the number of pods that the podSet of that name has in the flavor, which enforces
    /// capacity.
    std::int64_t pods_on_nodes(std::string_view pod_set, FlavorIndex flavor) const;
    /// Returns the topology of the podSet of that name in the flavor; nullptr if it has none.
    const HeldTopology* find_topology(std::string_view pod_set, FlavorIndex flavor) const;
    /// Returns what the replacement's additional pods would use on the flavors of `assignment`.
    /// Excludes the resource `pods`, which the search for victims does not know.
    Usages growth(const PodSets& pod_sets, const Assignment& assignment) const;

  private:
    ReplacedSlice(const State& state, WorkloadIndex workload);
    const Usage* find_usage(const HeldPodSet& pod_set, ResourceIndex resource) const;

    const State* state_;
    WorkloadIndex workload_;
    std::vector<HeldPodSet> pod_sets_;
};

/// Returns the usage that the cycle counted for an admission: all that the workload requests, or,
/// if it replaces a slice, what each podSet requests beyond the slice's podSet of the same name,
/// whatever flavor that podSet has.
Usages counted_usage(const State& state, const AdmissionDecision& decision);

}  // namespace sluice::engine
