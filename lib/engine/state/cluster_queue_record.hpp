#pragma once

#include "engine/quota/quota_tree.hpp"
#include "engine/state/pending_queue.hpp"
#include "engine/state/usage_ledger.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace sluice::engine {

/// A resource group with its names resolved.
struct ResolvedGroup {
    std::vector<ResourceIndex> resources;
    std::vector<FlavorIndex> flavors;
};

/// The workload for which others are being evicted; under BestEffortFIFO it stays the head
/// until it is admitted or deleted, also before what has a higher priority.
struct Preemptor {
    WorkloadIndex workload;
    std::int64_t generation = 0;
    bool sticky = false;
};

/// An eviction that is being written, or was: see WorkloadRecord::eviction.
struct ExpectedEviction {
    WorkloadIndex victim;
    std::uint32_t eviction = 0;
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
};

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
};

}  // namespace sluice::engine
