// The kinds of visibility.kueue.x-k8s.io, which are computed and have no CRD.
#pragma once

#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::api {

/// One pending Workload of a PendingWorkloadsSummary. `metadata` has the Workload's name, labels,
/// owners and creation time.
struct PendingWorkload {
    ObjectMeta metadata;
    std::int32_t priority = 0;
    std::string local_queue_name;
    /// Positions from 0, among all pending workloads of the queue, parked ones included.
    std::int32_t position_in_cluster_queue = 0;
    std::int32_t position_in_local_queue = 0;

    static const TypeInfo& type();
    friend bool operator==(const PendingWorkload&, const PendingWorkload&) = default;
};

/// The pending workloads of a ClusterQueue or LocalQueue, in the order of the queue. It is computed
/// for each request and never stored, so it has no CRD: an aggregated API server serves it as
/// subresource `pendingworkloads` of `clusterqueues` and `localqueues`, with equal fields in
/// v1beta1.
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

}  // namespace sluice::api
