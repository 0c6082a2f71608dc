#pragma once

#include "engine/flavors/assignment.hpp"
#include "engine/flavors/workload_slice.hpp"
#include "engine/preemption/preemption.hpp"
#include "engine/state/state.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace sluice::engine {

/// Chooses a flavor for each resource of each podSet of a pending workload
/// (pkg/scheduler/flavorassigner/flavorassigner.go).
class FlavorAssigner {
  public:
    /// `pinned`: keep to these flavors (recomputation within a cycle); nullptr: all may be tried.
    /// `replaced`: needs no more than what it grows by beyond this slice; nullptr: it is none.
    FlavorAssigner(
        const State& state,
        PreemptionSearch& search,
        WorkloadIndex workload,
        NodeIndex cluster_queue,
        const LastAssignment* progress,
        const Assignment* pinned,
        const ReplacedSlice* replaced
    );

    /// Assigns for all pods, or for `counts` pods a podSet (partial admission).
    Assignment assign(const std::vector<std::int32_t>* counts = nullptr);

  private:
    struct Preference {
        FlavorMode mode = FlavorMode::NoFit;
        std::int32_t level = 0;
    };
    struct QuotaVerdict {
        FlavorMode mode = FlavorMode::NoFit;
        std::int32_t level = 0;
        WaitingReason no_fit_reason = WaitingReason::Unspecified;
    };
    struct Attempt {
        FlavorIndex flavor;
        std::size_t group = 0;
        FlavorMode mode = FlavorMode::NoFit;
        std::int32_t level = 0;  // the highest of its resources
        WaitingReason reason = WaitingReason::Unspecified;
        // Of refusals_, its own:
        std::size_t refusals_begin = 0;
        std::size_t refusals_end = 0;
    };
    /// PodSets that get their flavors together.
    struct Group {
        SmallVector<std::size_t, 2> members;  // positions in Assignment::pod_sets-to-be
        SmallVector<Request, 4> requests;     // summed, in request order
    };
    struct Found {
        FlavorChoices flavors;
        std::vector<ConsideredFlavor> skipped;  // unless it fits
        bool fits = false;
        bool ok = false;
    };
    struct Beyond {
        Amount amount;
        bool is_on_flavor = true;
    };

    PodSetChoices pod_set_requests(const std::vector<std::int32_t>* counts) const;
    SmallVector<Group, 1> group_pod_sets(const PodSetChoices& pod_sets) const;
    bool assign_group(const Group& group, PodSetChoices& pod_sets, Assignment& result);
    Found find_flavor(
        const Group& group,
        std::size_t resource_group,
        ResourceIndex resource,
        const Usages& assumed
    );
    /// The verdicts on the first `count` flavors of a resource group, which a search passes over.
    /// Leaves no trace.
    std::vector<ConsideredFlavor> consider_skipped(
        const Group& group, std::size_t resource_group, std::size_t count, const Usages& assumed
    );
    bool shape_allows(const Group& group, std::size_t resource_group, FlavorIndex flavor);
    // Topology-aware scheduling (KEP-2724), in flavor_assigner_topology.cpp. Placement, once there
    // is one, follows require_one_topology().
    bool is_for_topology_alone() const;
    bool requests_topology() const;
    /// Why pods of that podSet may not go to the existing flavor, as far as their shape does not
    /// say so.
    std::optional<FlavorRefusal::Kind> topology_refusal(
        std::size_t pod_set, std::size_t resource_group, FlavorIndex flavor
    ) const;
    /// Gives the podSet of a group what was chosen for its own requests.
    void take_choices(const FlavorChoices& chosen, PodSetChoice& pod_set, Assignment& result) const;
    /// A podSet that requests nothing goes where its group goes.
    void add_topology_of_group(const FlavorChoices& chosen, PodSetChoice& pod_set) const;
    /// Of an assignment that would do: refuses it where a podSet has not exactly one flavor with
    /// topology, or must run within one domain of it. `reasons`: in the first case, by podSet.
    void require_one_topology(Assignment& assignment, const SmallVector<WaitingReason, 1>& reasons)
        const;
    std::vector<FlavorRefusal> topology_faults(const PodSetChoice& pod_set) const;
    /// Names the flavor with topology that the podSet got.
    std::vector<FlavorRefusal> unplaced(const PodSetChoice& pod_set) const;
    bool is_pinned_elsewhere(const Group& group, FlavorIndex flavor, ResourceIndex resource) const;
    Preference try_flavor(
        const Group& group,
        std::size_t resource_group,
        FlavorIndex flavor,
        const Usages& assumed,
        FlavorChoices& choices
    );
    /// What of the request the replaced slice does not hold yet. Where a podSet of it has another
    /// flavor, there is a refusal, and what the podSets before it hold counts alone.
    Beyond beyond_replaced(const Group& group, FlavorIndex flavor, const Request& request);
    QuotaVerdict fits_quota(FlavorResourceIndex pair, Amount assumed, Amount requested);
    bool is_preferred(const Preference& a, const Preference& b) const;
    bool should_try_next(const Preference& preference) const;
    /// The attempts in that resource group that did not simply fit.
    void note_considered(std::size_t resource_group, std::vector<ConsideredFlavor>& into) const;
    std::size_t group_covering(ResourceIndex resource) const;
    void note_attempts_reason(WaitingReason& overall) const;

    const State& state_;
    PreemptionSearch& search_;
    WorkloadIndex workload_;
    NodeIndex cluster_queue_;
    const WorkloadRecord& record_;
    const ClusterQueueRecord& queue_;
    const LastAssignment* progress_;  // nullptr: none
    const Assignment* pinned_;
    const ReplacedSlice* replaced_;
    ResourceIndex pods_;
    bool implies_topology_;                // a podSet that asks for no topology gets one too
    bool looks_at_topology_;               // some podSet gets one
    std::vector<FlavorRefusal> refusals_;  // of the group at work
    SmallVector<Attempt, 4> attempts_;     // likewise
};

/// The more severe of two reasons why nothing fits.
WaitingReason more_severe(WaitingReason a, WaitingReason b);

}  // namespace sluice::engine
