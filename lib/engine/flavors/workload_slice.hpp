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

/// a - b of numbers that bound what is asked for, where the largest is a number as others are and
/// not "unlimited". Saturates.
constexpr Amount number_difference(Amount a, Amount b) {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(a.value(), b.value(), &difference)) {
        return a.value() < 0 ? Amount::lowest() : Amount::unlimited();
    }
    return Amount(difference);
}

/// Returns true if both are of one namespace and of one elastic job, known by its uid, or if
/// neither has an owner. Anybody may write the annotation workload-slice-replacement-for, and it
/// frees quota: the name of a slice alone proves nothing.
bool are_slices_of_one_job(const WorkloadRecord& replacement, const WorkloadRecord& slice);

/// What a workload holds that another one, of the same job grown larger, takes the place of
/// (elastic jobs, KEP-77). The new one needs room for the difference alone, on the same flavors.
class ReplacedSlice {
  public:
    /// Returns nullopt if the workload replaces none, or if that one holds no quota in this
    /// ClusterQueue, is of another job or is among `removed`. Then it is a workload like any other.
    static std::optional<ReplacedSlice> find(
        const State& state,
        WorkloadIndex replacement,
        NodeIndex cluster_queue,
        const std::set<WorkloadIndex>& removed
    );

    WorkloadIndex workload() const { return workload_; }
    /// The flavor that the podSet at that position of the admission has for the resource; invalid:
    /// none.
    FlavorIndex flavor_of(std::size_t pod_set, ResourceIndex resource) const;
    /// What that podSet holds of the resource.
    Amount held_of(std::size_t pod_set, ResourceIndex resource) const;
    /// Likewise of the podSet of that name.
    Amount held_of(std::string_view pod_set, ResourceIndex resource) const;
    /// What the replacement's pods beyond those of the slice would use, on the flavors of
    /// `assignment`. Never `pods` themselves: the search for victims does not know them.
    Usages growth(const PodSets& pod_sets, const Assignment& assignment) const;

  private:
    ReplacedSlice(const State& state, WorkloadIndex workload);
    const Usage* find_usage(const HeldPodSet& pod_set, ResourceIndex resource) const;

    const State* state_;
    WorkloadIndex workload_;
    std::vector<HeldPodSet> pod_sets_;
};

/// What its cycle counted for an admission: all that it asks for, or what each podSet asks for
/// beyond the podSet of that name of the slice that it takes the place of, on whatever flavor that
/// has it.
Usages counted_usage(const State& state, const AdmissionDecision& decision);

}  // namespace sluice::engine
