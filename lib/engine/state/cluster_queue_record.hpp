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

/// A resource group with its names resolved.
struct ResolvedGroup {
    std::vector<ResourceIndex> resources;
    std::vector<FlavorIndex> flavors;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&ResolvedGroup::resources, &ResolvedGroup::flavors);
    }
};

/// The workload for which others are being evicted; under BestEffortFIFO it stays the head
/// until it is admitted or deleted, also before what has a higher priority.
struct Preemptor {
    WorkloadIndex workload;
    std::int64_t generation = 0;
    bool sticky = false;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&Preemptor::workload, &Preemptor::generation, &Preemptor::sticky);
    }
};

/// An eviction that is being written, or was: see WorkloadRecord::eviction.
struct ExpectedEviction {
    WorkloadIndex victim;
    std::uint32_t eviction = 0;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&ExpectedEviction::victim, &ExpectedEviction::eviction);
    }
};

/// What the state keeps of a ClusterQueue beside its node in the quota tree. Indexed by that node.
struct ClusterQueueRecord {
    bool exists = false;
    bool active = false;  ///< heads are taken from it
    ClusterQueue spec;
    std::vector<ResolvedGroup> groups;
    PendingQueue pending;
    WorkloadIndex inflight;
    Preemptor preemptor;
    /// The evictions that make it the preemptor, without those that failed; empty: it is sure to
    /// be.
    std::vector<ExpectedEviction> evictions;
    Preemptor preemptor_before;  ///< should all of them fail
    std::set<std::uint64_t> parked_classes;
    std::vector<WorkloadIndex> holders;
    std::vector<LocalQueueIndex> local_queues;

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

/// The records of ClusterQueues, by NodeIndex; those of cohorts are unused.
using ClusterQueueRecords = CowVector<ClusterQueueRecord, 4>;

/// A LocalQueue as the state keeps it.
struct LocalQueueRecord {
    std::string key;  ///< "namespace/name"
    bool exists = false;
    bool stopped = false;
    NodeIndex cluster_queue;
    NamespaceMatch namespace_match = NamespaceMatch::Matches;
    double weight = 1.0;
    std::vector<WorkloadIndex> workloads;  ///< all that name it, whatever their standing
    // Under admission fair sharing (KEP-4136):
    UsageLedger ledger;
    Usages admitted;          ///< what its Admitted workloads hold in its ClusterQueue
    double fair_usage = 0.0;  ///< the key by which its ClusterQueue orders it
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
