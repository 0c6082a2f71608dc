// The members of a state, in a plain struct.
#pragma once

#include "base/cow.hpp"
#include "engine/names/names.hpp"
#include "engine/names/pod_sets.hpp"
#include "engine/quota/quota_tree.hpp"
#include "engine/state/cluster_queue_record.hpp"
#include "engine/state/host_record.hpp"
#include "engine/state/workload_index.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/topology/flavor_topology.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"
#include "engine/types/options.hpp"
#include "engine/types/time.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::engine {

/// A reason why pods of a shape cannot run on a flavor.
struct ShapeVerdict {
    ShapeRefusalKind kind = ShapeRefusalKind::NodeAffinity;
    std::uint32_t taint = 0;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&ShapeVerdict::kind, &ShapeVerdict::taint);
    }
};

/// A pod shape as the state keeps it.
struct ShapeRecord {
    std::map<FlavorIndex, ShapeVerdict> refusals;
    std::optional<TopologyRequest> topology;
    std::vector<ResourceIndex> resources;
    std::map<FlavorIndex, CowPtr<HostVerdicts>> nodes;
    std::string placement_fault;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &ShapeRecord::refusals,
            &ShapeRecord::topology,
            &ShapeRecord::resources,
            &ShapeRecord::nodes,
            &ShapeRecord::placement_fault
        );
    }
};

/// The end of a back-off. A workload may have two back-offs that end at the same time; each is
/// removed separately.
struct BackOffEnd {
    Time at;
    WorkloadIndex workload;
    BackOff back_off = BackOff::Requeue;
    friend auto operator<=>(const BackOffEnd&, const BackOffEnd&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&BackOffEnd::at, &BackOffEnd::workload, &BackOffEnd::back_off);
    }
};

/// A holder for which a topology is to be assigned.
struct SecondPassTurn {
    std::uint32_t attempts = 0;
    Time due;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&SecondPassTurn::attempts, &SecondPassTurn::due);
    }
};

/// The members of a State, whose functions read them. The editors change them, and keep them
/// consistent with each other.
struct StateData {
    explicit StateData(Options given)
        : options(std::make_shared<const Options>(std::move(given))),
          flavors(options->hash_seed),
          resources(options->hash_seed),
          host_names(options->hash_seed),
          local_queue_names(options->hash_seed),
          workload_index(options->hash_seed),
          pod_set_pool(options->hash_seed) {}

    std::shared_ptr<const Options> options;
    Names<FlavorIndex> flavors;
    Cow<std::vector<bool>> flavor_exists;
    Cow<std::vector<bool>> flavor_topology;
    /// Levels of the flavors with a topology, and of those that enforce capacity.
    Cow<std::map<FlavorIndex, FlavorLevels>> flavor_levels;
    /// Flavors that enforce capacity, with the number of their node labels.
    Cow<std::map<FlavorIndex, std::uint32_t>> enforcing_flavors;
    Names<ResourceIndex> resources;
    Cow<std::vector<std::uint64_t>> resource_hashes;
    /// For each resource, the number of pairs, podSets of the pool, pod shapes and resource groups
    /// that name it. At 0 the name is erased, because users invent names.
    Cow<std::vector<std::uint32_t>> resource_uses;
    ResourceIndex pods;
    Cow<std::map<std::pair<FlavorIndex, ResourceIndex>, FlavorResourceIndex>> pair_index;
    Cow<std::vector<std::pair<FlavorIndex, ResourceIndex>>> pairs;
    QuotaTree tree;
    Names<HostIndex> host_names;
    HostRecords hosts;
    /// Made of `flavor_levels`, `hosts` and holders; not saved.
    Topologies topologies;
    /// Set if `topologies` must be made again before they are read: those of these flavors, of
    /// flavors that have none yet, and the use of all.
    bool topologies_stale = false;
    std::set<FlavorIndex> stale_topologies;
    Cow<std::set<WorkloadIndex>> placed_holders;  ///< holders with a topology or nodes
    /// Holders with pods that have neither a node nor room for one.
    Cow<std::set<WorkloadIndex>> holders_without_room;
    /// Set if some of these may have room now; not saved.
    bool has_new_room = true;
    /// Set if pods need less room than before, in flavors that enforce capacity; apply() then wakes
    /// the workloads that may use it. Not saved.
    bool has_eased = false;
    /// Set if nodes may be gone or too full on which pods have room; not saved.
    bool has_lost_nodes = true;
    Cow<std::map<WorkloadIndex, SecondPassTurn>> second_passes;
    ClusterQueueRecords cluster_queues;
    /// Nodes of the tree that may have lost their last use; see NamesEditor::end_unused_nodes().
    std::vector<NodeIndex> nodes_to_check;
    Names<LocalQueueIndex> local_queue_names;
    LocalQueueRecords local_queues;
    WorkloadIndexByKey workload_index;
    PodSetPool pod_set_pool;
    WorkloadRecords workloads;
    Cow<std::vector<WorkloadIndex>> free_workloads;
    Cow<std::map<std::uint32_t, ShapeRecord>> shapes;
    Cow<std::map<std::string, NodeIndex>> with_heap;  ///< ClusterQueues with waiting workloads
    Cow<std::map<NodeIndex, Time>> wake_due;          ///< by root
    Cow<std::set<BackOffEnd>> back_offs;
    Cow<std::set<std::pair<Time, LocalQueueIndex>>> samples;  ///< when usage is sampled next
    Cow<std::map<NodeIndex, Cohort>> cohorts;                 ///< their objects
    std::uint64_t version = 0;
    std::uint64_t cycle = 0;
    std::uint32_t evictions = 0;  ///< number of evictions decided so far
    /// Number of holders that are not PodsReady, in ClusterQueues that exist; for blockAdmission.
    std::uint64_t not_ready_holders = 0;
    bool blocked_until_ready = false;
    WorkloadIndex held_back;
    bool keeps_queue_changes = false;
    Cow<std::vector<WorkloadIndex>> queue_changes;  ///< unique, see WorkloadRecord::queue_changed

    /// All members except the options, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &StateData::flavors,
            &StateData::flavor_exists,
            &StateData::flavor_topology,
            &StateData::flavor_levels,
            &StateData::enforcing_flavors,
            &StateData::resources,
            &StateData::resource_hashes,
            &StateData::resource_uses,
            &StateData::pods,
            &StateData::pair_index,
            &StateData::pairs,
            &StateData::tree,
            &StateData::host_names,
            &StateData::hosts,
            &StateData::placed_holders,
            &StateData::holders_without_room,
            &StateData::second_passes,
            &StateData::cluster_queues,
            &StateData::nodes_to_check,
            &StateData::local_queue_names,
            &StateData::local_queues,
            &StateData::workload_index,
            &StateData::pod_set_pool,
            &StateData::workloads,
            &StateData::free_workloads,
            &StateData::shapes,
            &StateData::with_heap,
            &StateData::wake_due,
            &StateData::back_offs,
            &StateData::samples,
            &StateData::cohorts,
            &StateData::version,
            &StateData::cycle,
            &StateData::evictions,
            &StateData::not_ready_holders,
            &StateData::blocked_until_ready,
            &StateData::held_back,
            &StateData::keeps_queue_changes,
            &StateData::queue_changes
        );
    }
};

}  // namespace sluice::engine
