// Flavors chosen for the podSets of a workload, or the reasons against them.
#pragma once

#include "base/small_vector.hpp"
#include "engine/placement/workload_placer.hpp"
#include "engine/quota/quota_tree.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/ids.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace sluice::engine {

/// How far an assignment of flavors gets, worst first. The worst of its resources decides.
enum class AssignmentMode : std::uint8_t { NoFit, Preempt, DeferredFit, Fit };

/// The flavor chosen for one resource of a podSet.
struct FlavorChoice {
    ResourceIndex resource;
    FlavorIndex flavor;
    FlavorResourceIndex flavor_resource;
    AssignmentMode mode = AssignmentMode::NoFit;
    std::int32_t level = 0;  ///< borrowing level
    /// Position of the flavor at which the search stopped; -1 for the last.
    std::int32_t tried = -1;
};

using FlavorChoices = SmallVector<FlavorChoice, 4>;

struct PodSetChoice {
    std::uint32_t pod_set = 0;
    std::int32_t count = 0;
    SmallVector<Request, 4> requests;  ///< totals of all pods
    FlavorChoices flavors;
    std::vector<FlavorRefusal> refusals;
    std::vector<ConsideredFlavor> considered;
    std::vector<ConsideredFlavor> skipped;  ///< see PodSetRefusal
    bool failed = false;  ///< a resource found no flavor, or the flavors found are refused
    DelayedTopology delayed = DelayedTopology::None;

    AssignmentMode mode() const;
    const FlavorChoice* find(ResourceIndex resource) const;
};

using PodSetChoices = SmallVector<PodSetChoice, 1>;

/// Places on nodes.
struct Places {
    std::vector<PodSetToPlace> to_place;  ///< podSets to place, with the flavors chosen
    std::vector<PlacedPodSet> placed;     ///< those of them that got places
    std::vector<LeafDemand> leaves;       ///< what the places add to the use of nodes
};

/// Flavors for all podSets of a workload, or why they were not found.
struct Assignment {
    PodSetChoices pod_sets;
    Usages usage;
    std::int32_t level = 0;  ///< highest borrowing level of the choices
    AssignmentMode mode = AssignmentMode::NoFit;
    WaitingReason no_fit_reason = WaitingReason::NoMatchingFlavor;
    std::unique_ptr<Places> places;  ///< null if quota alone decides, which is usual

    const std::vector<PodSetToPlace>& to_place() const {
        static const std::vector<PodSetToPlace> kNone;
        return places == nullptr ? kNone : places->to_place;
    }
    LeafDemands leaves() const { return places == nullptr ? LeafDemands() : places->leaves; }
    Places& write_places() {
        if (places == nullptr) {
            places = std::make_unique<Places>();
        }
        return *places;
    }
    /// Makes the mode of all choices of the podSet this one.
    void set_mode(std::uint32_t pod_set, AssignmentMode made);
};

}  // namespace sluice::engine
