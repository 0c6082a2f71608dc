#include "api/kueue/visibility.hpp"

namespace sluice::api {

const TypeInfo& PendingWorkload::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PendingWorkload::metadata>("metadata"),
                field<&PendingWorkload::priority>("priority", "R"),
                field<&PendingWorkload::local_queue_name>("localQueueName", "R"),
                field<&PendingWorkload::position_in_cluster_queue>("positionInClusterQueue", "R"),
                field<&PendingWorkload::position_in_local_queue>("positionInLocalQueue", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& PendingWorkloadsSummary::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PendingWorkloadsSummary::metadata>("metadata"),
                field<&PendingWorkloadsSummary::items>("items", "R"),
            },
        .kind = kKind,
        .api_version = kVisibilityApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
