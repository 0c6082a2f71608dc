#include "api/kueue/local_queue.hpp"

#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

const TypeInfo& LocalQueueSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LocalQueueSpec::cluster_queue>(
                    "clusterQueue",
                    "..253 SUB C16",
                    "=",
                    "ClusterQueue that the workloads go to; cannot be changed."
                ),
                field<&LocalQueueSpec::stop_policy>(
                    "stopPolicy",
                    "E(None, Hold, HoldAndDrain) D(\"None\")",
                    "=",
                    "Hold admits no new workloads. HoldAndDrain also evicts admitted ones."
                ),
                field<&LocalQueueSpec::fair_sharing>(
                    "fairSharing",
                    "",
                    "=",
                    "Weight against the other LocalQueues of the ClusterQueue."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& LocalQueueResourceUsage::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LocalQueueResourceUsage::name>("name", "R", "=", "Resource name."),
                field<&LocalQueueResourceUsage::total>("total", "P", "=", "Quota in use."),
            },
    };
    return kInfo;
}

const TypeInfo& LocalQueueFlavorUsage::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LocalQueueFlavorUsage::name>(
                    "name", "..253 SUB R", "=", "Name of the flavor."
                ),
                field<&LocalQueueFlavorUsage::resources>(
                    "resources", "..64 map(name) R", "=", "Usage by resource."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionFairSharingStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionFairSharingStatus::consumed_resources>(
                    "consumedResources", "R", "=", "Usage over time, older usage counting less."
                ),
                field<&AdmissionFairSharingStatus::last_update>(
                    "lastUpdate", "R", "=", "When the usage was last computed."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& LocalQueueFairSharingStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LocalQueueFairSharingStatus::weighted_share>(
                    "weightedShare", "R", "=", "Share of this queue relative to its weight."
                ),
                field<&LocalQueueFairSharingStatus::admission_fair_sharing_status>(
                    "admissionFairSharingStatus",
                    "",
                    "=",
                    "Usage that admission fair sharing compares."
                ),
            },
    };
    return kInfo;
}

// NOLINTNEXTLINE(readability-function-size): a table
const TypeInfo& LocalQueueStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LocalQueueStatus::conditions>(
                    "conditions",
                    "..16 map(type)",
                    "map(type)",
                    "Current state. Active is True if workloads can be admitted."
                ),
                field<&LocalQueueStatus::pending_workloads>(
                    "pendingWorkloads", "P", "=", "Number of workloads that wait."
                ),
                field<&LocalQueueStatus::reserving_workloads>(
                    "reservingWorkloads", "P", "=", "Number of workloads that hold quota."
                ),
                field<&LocalQueueStatus::admitted_workloads>(
                    "admittedWorkloads",
                    "P",
                    "=",
                    "Number of admitted workloads that have not finished."
                ),
                field<&LocalQueueStatus::flavors_reservation>(
                    "flavorsReservation",
                    "..64 map(name)",
                    "=",
                    "Quota held by workloads with a reservation."
                ),
                field<&LocalQueueStatus::flavors_usage>(
                    "flavorsUsage", "..64 map(name)", "-", "Quota held by admitted workloads."
                ),
                v1beta1_field(
                    "flavorUsage",
                    "[obj] ..64 map(name)",
                    "Quota held by admitted workloads.",
                    {
                        v1beta1_field("name", "str ..253 SUB R"),
                        v1beta1_field(
                            "resources",
                            "[obj] ..64 map(name) R",
                            "",
                            {
                                v1beta1_field("name", "str R"),
                                v1beta1_field("total", "qty"),
                            }
                        ),
                    }
                ),
                v1beta1_field(
                    "flavors",
                    "[obj] ..64 map(name)",
                    "No longer filled in.",
                    {
                        v1beta1_field("name", "str ..253 SUB R"),
                        v1beta1_field("nodeLabels", "{str} ..8 atomic"),
                        v1beta1_field(
                            "nodeTaints",
                            "[obj] ..8 atomic",
                            "",
                            {
                                v1beta1_field("effect", "str R"),
                                v1beta1_field("key", "str R"),
                                v1beta1_field("timeAdded", "time"),
                                v1beta1_field("value", "str"),
                            }
                        ),
                        v1beta1_field("resources", "[str] ..64 set"),
                        v1beta1_field(
                            "topology",
                            "obj",
                            "",
                            {
                                v1beta1_field("levels", "[str] 1..16 atomic R"),
                                v1beta1_field("name", "str ..253 SUB R"),
                            }
                        ),
                    }
                ),
                field<&LocalQueueStatus::fair_sharing>(
                    "fairSharing", "", "=", "Current share of this queue."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& LocalQueue::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LocalQueue::metadata>("metadata", "", "=", ""),
                field<&LocalQueue::spec>(
                    "spec", "P", "=", "Where the workloads of this namespace go."
                ),
                field<&LocalQueue::status>(
                    "status", "", "=", "Current usage and state of this queue."
                ),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
