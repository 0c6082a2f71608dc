#pragma once

#include "engine/reference_snapshot.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/options.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::reference {

/// Where the search for flavors stopped: tried index by resource, by podSet.
struct ScanState {
    std::vector<std::map<std::string, int>> tried;
    std::uint64_t generation = 0;
    std::uint64_t cycle = 0;
    std::uint64_t scheduling_class = 0;

    bool has_progress() const;
};

/// What all pods of a podSet request together.
struct PodSetTotal {
    std::int32_t count = 0;
    std::map<std::string, Amount> requests;
};

/// Flavors by podSet name and resource to which a repeated assignment is held.
using NominatedFlavors = std::map<std::string, std::map<std::string, std::string>>;

/// A head under nomination.
struct Head {
    const engine::Workload* workload = nullptr;
    int cluster_queue = -1;
    std::vector<PodSetTotal> totals;
    std::optional<ScanState> scan;
    std::optional<NominatedFlavors> nominated;
    /// The slice whose place it takes: of a larger job only the difference is asked
    /// for.
    const Holder* slice = nullptr;

    /// What of that slice stands at the same place as the podSet; an empty one where nothing does:
    /// there upstream's scheduler crashes.
    HeldPodSet held_at(std::size_t pod_set) const;
    /// What the podSet of that name holds there of the resource.
    Amount held_by(const std::string& pod_set, const std::string& resource) const;
};

enum class Mode : std::uint8_t { NoFit, Preempt, DeferredFit, Fit };

/// The flavor of one resource of a podSet.
struct Choice {
    std::string flavor;
    Mode mode = Mode::Fit;
    int tried = -1;
    int level = 0;
};

/// One considered flavor, for the reason of a NoFit.
struct Attempt {
    std::string flavor;
    bool no_fit = false;
    std::optional<engine::WaitingReason> reason;
};

/// One entry of a podSet's message, with names.
struct Complaint {
    engine::FlavorRefusal refusal;
    std::string flavor;
    std::string resource;
    std::string other = {};  ///< what FlavorRefusal::held or ::node stands for
};

struct PodSetResult {
    std::size_t index = 0;
    std::int32_t count = 0;
    std::map<std::string, Amount> requests;
    std::map<std::string, Choice> choices;
    std::vector<Complaint> complaints;
    std::vector<Attempt> attempts;
    bool failed = false;

    Mode mode() const;
};

/// What the flavor assigner found for a workload.
struct Assignment {
    std::vector<PodSetResult> pod_sets;
    Quantities usage;
    int level = 0;
    ScanState scan;
    bool deferred = false;
    std::optional<engine::WaitingReason> no_fit_reason;

    Mode mode() const;
    std::set<int> pairs_needing_preemption(const Snapshot& snapshot) const;
    /// Usage on the pairs of which the podSets themselves request anything: what victims are
    /// searched for. Upstream adds `pods` to a copy, which this search does not see.
    Quantities requested(const Snapshot& snapshot) const;
    /// The same for a head that replaces a slice: what its pods request beyond the number that the
    /// slice has, be it partly admitted or not.
    Quantities requested_beyond_slice(const Snapshot& snapshot, const Head& head) const;
};

/// What does not change while a cycle assigns flavors.
struct Rules {
    const engine::Options* options = nullptr;
    const std::map<std::string, engine::ResourceFlavor>* flavors = nullptr;
    const std::map<std::uint32_t, engine::PodShape>* shapes = nullptr;
    std::uint64_t cycle = 0;
    Time now;
    std::map<std::string, std::uint64_t> generations;  ///< of ClusterQueues
};

/// Totals of a pending workload's podSets.
std::vector<PodSetTotal> totals_of(
    const engine::Workload& workload, const engine::Options& options
);

/// 0 when classes are off: equal to none.
std::uint64_t class_of(const engine::Workload& workload, const engine::Options& options);

/// Assigns flavors to all podSets, of `counts` pods where given.
Assignment assign(
    Snapshot& snapshot,
    const Rules& rules,
    const Head& head,
    const std::vector<std::int32_t>& counts
);

}  // namespace sluice::reference
