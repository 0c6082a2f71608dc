// The search for flavors of a pending workload (KEP-582).
#pragma once

#include "engine/flavors/assignment.hpp"
#include "engine/flavors/workload_slice.hpp"
#include "engine/preemption/preemption.hpp"
#include "engine/state/state.hpp"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace sluice::engine {

/// Chooses a flavor for each resource of each podSet of a pending workload
/// (pkg/scheduler/flavorassigner/flavorassigner.go).
class FlavorAssigner {
  public:
    /// `pinned`: the assignment whose flavors a recomputation within a cycle has to keep; nullptr
    /// if all flavors may be tried. `replaced`: the slice that the workload replaces, which needs
    /// quota only for what it has grown by; nullptr if it replaces none. `explains`: the search
    /// also looks at the flavors that it skips.
    FlavorAssigner(
        const State& state,
        PreemptionSearch& search,
        WorkloadIndex workload,
        NodeIndex cluster_queue,
        const LastAssignment* progress,
        const Assignment* pinned,
        const ReplacedSlice* replaced,
        bool explains
    );

    /// Assigns flavors for all pods, or for `counts` pods of each podSet (partial admission), and
    /// places on nodes. A workload that holds quota keeps its flavors.
    Assignment assign(const std::vector<std::int32_t>* counts = nullptr);
    /// Replaces the places of an assignment with those that `leaves` has room for, if any. `kept`:
    /// see WorkloadPlacer.
    void place_again(
        Assignment& assignment, const LeafView& leaves, Occupancy occupancy, KeptPods kept
    ) const;

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
        std::int32_t level = 0;  // the highest level of its resources
        WaitingReason reason = WaitingReason::Unspecified;
        // Its range in refusals_:
        std::size_t refusals_begin = 0;
        std::size_t refusals_end = 0;
    };
    /// PodSets that get their flavors together.
    struct Group {
        SmallVector<std::size_t, 2> members;  // positions in the workload's podSets
        SmallVector<Request, 4> requests;     // summed over the members, in request order
    };
    struct Found {
        FlavorChoices flavors;
        std::vector<ConsideredFlavor> skipped;  // set unless the flavor fits
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
    /// Returns the verdicts on the first `count` flavors of a resource group, which a search skips.
    /// Leaves refusals_ and attempts_ unchanged.
    std::vector<ConsideredFlavor> consider_skipped(
        const Group& group, std::size_t resource_group, std::size_t count, const Usages& assumed
    );
    bool shape_allows(const Group& group, std::size_t resource_group, FlavorIndex flavor);
    /// Takes the flavors of a workload that holds quota.
    Assignment held_assignment(const std::vector<std::int32_t>* counts) const;
    // Topology-aware scheduling (KEP-2724), in flavor_assigner_topology.cpp.
    bool is_for_topology_alone() const;
    bool requests_topology() const;
    /// Returns why topology-aware scheduling keeps pods of that podSet off the existing flavor;
    /// nullopt if it does not. The refusals of the pod shape are separate.
    std::optional<FlavorRefusal::Kind> topology_refusal(
        std::size_t pod_set, std::size_t resource_group, FlavorIndex flavor
    ) const;
    /// Gives the podSet of a group the choices for its own requests.
    void take_choices(const FlavorChoices& chosen, PodSetChoice& pod_set, Assignment& result) const;
    /// Gives a podSet that requests nothing the flavors with topology of its group.
    void add_topology_of_group(const FlavorChoices& chosen, PodSetChoice& pod_set) const;
    using Attempts = SmallVector<Attempt, 4>;
    /// Finds the podSets that get a topology. Turns the assignment into NoFit if one of them does
    /// not have exactly one flavor with a topology. `attempts`: by podSet.
    void require_one_topology(Assignment& assignment, const std::vector<Attempts>& attempts) const;
    std::vector<FlavorRefusal> topology_faults(const PodSetChoice& pod_set) const;
    /// Returns why the elastic job cannot have the topology that it asks for.
    std::vector<FlavorRefusal> elastic_faults(const PodSetChoice& pod_set) const;
    /// Returns the places that PodSetToPlace says, or why they are not known.
    std::variant<std::vector<LeafPods>, FlavorRefusal> kept_by(
        const PodSetChoice& pod_set, FlavorIndex flavor
    ) const;
    /// Refuses the flavors chosen for the podSet at that position of `assignment.pod_sets`.
    void refuse_flavors(
        Assignment& assignment,
        std::size_t choice,
        std::vector<FlavorRefusal> faults,
        const std::vector<Attempts>& attempts
    ) const;
    /// Returns true if the podSet has a topology that stays as it is.
    bool keeps_topology(const PodSetChoice& pod_set) const;
    bool has_unhealthy_nodes() const;
    /// Returns true if the podSet of a workload that holds quota has a topology.
    bool has_topology_of(std::uint32_t pod_set) const;
    DelayedTopology delay_of(const PodSetChoice& pod_set, FlavorIndex flavor) const;
    /// Gives the podSets places. Without room the assignment becomes one for which others are
    /// evicted, or NoFit if there would be none without them either.
    bool is_held_to_nodes() const;
    /// Adds the podSets whose flavors enforce capacity to those that need places.
    void hold_to_nodes(Assignment& assignment) const;
    void find_places(Assignment& assignment, const std::vector<Attempts>& attempts) const;
    void take_places(Assignment& assignment, WorkloadPlacement found) const;
    /// Returns the part of the places that the workload does not use already.
    LeafDemand added_by(const PlacedPodSet& placed) const;
    bool is_pinned_elsewhere(const Group& group, FlavorIndex flavor, ResourceIndex resource) const;
    Preference try_flavor(
        const Group& group,
        std::size_t resource_group,
        FlavorIndex flavor,
        const Usages& assumed,
        FlavorChoices& choices
    );
    /// Returns the part of the request that the replaced slice does not hold yet. If a podSet of
    /// the slice has another flavor, adds a refusal and subtracts only what the podSets before it
    /// hold.
    Beyond beyond_replaced(const Group& group, FlavorIndex flavor, const Request& request);
    QuotaVerdict fits_quota(FlavorResourceIndex pair, Amount assumed, Amount requested);
    bool is_preferred(const Preference& a, const Preference& b) const;
    bool should_try_next(const Preference& preference) const;
    /// Adds the attempts in that resource group, except those that fit without borrowing.
    void note_considered(std::size_t resource_group, std::vector<ConsideredFlavor>& into) const;
    std::size_t group_covering(ResourceIndex resource) const;
    static WaitingReason more_severe_of(WaitingReason overall, const Attempts& attempts);

    const State& state_;
    PreemptionSearch& search_;
    WorkloadIndex workload_;
    NodeIndex cluster_queue_;
    const WorkloadRecord& record_;
    const ClusterQueueRecord& queue_;
    const LastAssignment* progress_;  // nullptr if it has none
    const Assignment* pinned_;
    const ReplacedSlice* replaced_;
    bool explains_;
    const HeldPlacement* held_;  // of a workload that holds quota; nullptr if it holds none
    ResourceIndex pods_;
    bool implies_topology_;                // podSets that ask for no topology get one too
    bool looks_at_topology_;               // at least one podSet gets a topology
    bool looks_at_nodes_;                  // a flavor of the queue enforces capacity
    std::vector<FlavorRefusal> refusals_;  // of the current resource
    Attempts attempts_;                    // of the current group
};

/// Returns the more severe of two reasons why no flavor fits.
WaitingReason more_severe(WaitingReason a, WaitingReason b);

}  // namespace sluice::engine
