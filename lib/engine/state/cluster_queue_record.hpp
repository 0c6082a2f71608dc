// ClusterQueues and LocalQueues as the state keeps them.
#pragma once

#include "base/cow.hpp"
#include "engine/quota/quota_tree.hpp"
#include "engine/state/pending_queue.hpp"
#include "engine/state/usage_ledger.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace sluice::engine {

/// A resource group with indices in place of names.
struct ResolvedGroup {
    std::vector<ResourceIndex> resources;
    std::vector<FlavorIndex> flavors;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&ResolvedGroup::resources, &ResolvedGroup::flavors);
    }
};

/// The workload for which other workloads are being evicted. A `sticky` one, under BestEffortFIFO,
/// stays the head of its ClusterQueue until it is admitted or deleted, even before workloads of
/// higher priority.
struct Preemptor {
    WorkloadIndex workload;
    std::int64_t generation = 0;
    bool sticky = false;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&Preemptor::workload, &Preemptor::generation, &Preemptor::sticky);
    }
};

/// An eviction that is being written or was written; see WorkloadRecord::eviction.
struct ExpectedEviction {
    WorkloadIndex victim;
    std::uint32_t eviction = 0;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&ExpectedEviction::victim, &ExpectedEviction::eviction);
    }
};

/// The part of a ClusterQueue that is not in the quota tree. Indexed by its node in that tree.
struct ClusterQueueRecord {
    bool exists = false;
    bool active = false;  ///< heads are taken from it
    ClusterQueue spec;
    std::vector<ResolvedGroup> groups;
    PendingQueue pending;
    WorkloadIndex inflight;
    Preemptor preemptor;
    /// The evictions that made `preemptor` the preemptor, without those whose write failed. Empty
    /// if the preemptor does not depend on them.
    std::vector<ExpectedEviction> evictions;
    Preemptor preemptor_before;  ///< restored if all of them fail
    std::set<std::uint64_t> parked_classes;
    std::vector<WorkloadIndex> holders;
    std::vector<LocalQueueIndex> local_queues;

    bool uses_flavor(FlavorIndex flavor) const {
        return std::ranges::any_of(groups, [flavor](const ResolvedGroup& group) {
            return std::ranges::find(group.flavors, flavor) != group.flavors.end();
        });
    }

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &ClusterQueueRecord::exists,
            &ClusterQueueRecord::active,
            &ClusterQueueRecord::spec,
            &ClusterQueueRecord::groups,
            &ClusterQueueRecord::pending,
            &ClusterQueueRecord::inflight,
            &ClusterQueueRecord::preemptor,
            &ClusterQueueRecord::evictions,
            &ClusterQueueRecord::preemptor_before,
            &ClusterQueueRecord::parked_classes,
            &ClusterQueueRecord::holders,
            &ClusterQueueRecord::local_queues
        );
    }
};

/// The records of ClusterQueues, by NodeIndex; records of cohorts are unused.
using ClusterQueueRecords = CowVector<ClusterQueueRecord, 1>;

/// A LocalQueue as the state keeps it.
struct LocalQueueRecord {
    std::string key;  ///< "namespace/name"
    bool exists = false;
    bool stopped = false;
    NodeIndex cluster_queue;
    NamespaceMatch namespace_match = NamespaceMatch::Matches;
    double weight = 1.0;
    std::vector<WorkloadIndex> workloads;  ///< all that name it, pending or not
    // For admission fair sharing (KEP-4136):
    UsageLedger ledger;
    Usages admitted;          ///< usage of its Admitted workloads in its ClusterQueue
    double fair_usage = 0.0;  ///< the usage by which its ClusterQueue orders it
    std::optional<Time> sample_at;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &LocalQueueRecord::key,
            &LocalQueueRecord::exists,
            &LocalQueueRecord::stopped,
            &LocalQueueRecord::cluster_queue,
            &LocalQueueRecord::namespace_match,
            &LocalQueueRecord::weight,
            &LocalQueueRecord::workloads,
            &LocalQueueRecord::ledger,
            &LocalQueueRecord::admitted,
            &LocalQueueRecord::fair_usage,
            &LocalQueueRecord::sample_at
        );
    }
};

/// The records of LocalQueues, by LocalQueueIndex.
using LocalQueueRecords = CowVector<LocalQueueRecord, 4>;

}  // namespace sluice::engine
