#pragma once

#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::api {

/// One waiting Workload of a PendingWorkloadsSummary. `metadata` is the Workload's own: names,
/// labels, owners and creation time.
struct PendingWorkload {
    ObjectMeta metadata;
    std::int32_t priority = 0;
    std::string local_queue_name;
    /// Both count from 0, over all that waits there, parked or under consideration too.
    std::int32_t position_in_cluster_queue = 0;
    std::int32_t position_in_local_queue = 0;

    static const TypeInfo& type();
    friend bool operator==(const PendingWorkload&, const PendingWorkload&) = default;
};

/// What waits in a ClusterQueue or LocalQueue, in the order of the queue. It is computed for each
/// request and never stored, so it has no CRD: an aggregated API server serves it as subresource
/// `pendingworkloads` of `clusterqueues` and `localqueues`, with the same fields in v1beta1.
struct PendingWorkloadsSummary {
    static constexpr std::string_view kGroup = kVisibilityGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "PendingWorkloadsSummary";

    ObjectMeta metadata;
    std::vector<PendingWorkload> items;

    static const TypeInfo& type();
    friend bool operator==(const PendingWorkloadsSummary&, const PendingWorkloadsSummary&) =
        default;
};

/// Which part of a queue is asked for; in a request these are query parameters.
struct PendingWorkloadOptions {
    static constexpr std::string_view kGroup = kVisibilityGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "PendingWorkloadOptions";

    /// Position of the first Workload, from 0.
    std::int64_t offset = 0;
    /// How many at most; 0 stands for 1000, a negative number for none.
    std::int64_t limit = 0;

    static const TypeInfo& type();
    friend bool operator==(const PendingWorkloadOptions&, const PendingWorkloadOptions&) = default;
};

}  // namespace sluice::api
