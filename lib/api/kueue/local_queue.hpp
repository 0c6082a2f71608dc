// LocalQueue of kueue.x-k8s.io.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

struct LocalQueueSpec {
    std::string cluster_queue;
    std::string stop_policy = stop_policy::kNone;
    std::optional<FairSharing> fair_sharing;

    static const TypeInfo& type();
    friend bool operator==(const LocalQueueSpec&, const LocalQueueSpec&) = default;
};

struct LocalQueueResourceUsage {
    std::string name;
    Quantity total;

    static const TypeInfo& type();
    friend bool operator==(const LocalQueueResourceUsage&, const LocalQueueResourceUsage&) =
        default;
};

struct LocalQueueFlavorUsage {
    std::string name;
    std::vector<LocalQueueResourceUsage> resources;

    static const TypeInfo& type();
    friend bool operator==(const LocalQueueFlavorUsage&, const LocalQueueFlavorUsage&) = default;
};

/// The usage of a LocalQueue that admission fair sharing compares.
struct AdmissionFairSharingStatus {
    ResourceList consumed_resources;
    std::optional<Time> last_update;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionFairSharingStatus&, const AdmissionFairSharingStatus&) =
        default;
};

struct LocalQueueFairSharingStatus {
    std::int64_t weighted_share = 0;
    std::optional<AdmissionFairSharingStatus> admission_fair_sharing_status;

    static const TypeInfo& type();
    friend bool operator==(const LocalQueueFairSharingStatus&, const LocalQueueFairSharingStatus&) =
        default;
};

struct LocalQueueStatus {
    std::vector<Condition> conditions;
    std::int32_t pending_workloads = 0;
    std::int32_t reserving_workloads = 0;
    std::int32_t admitted_workloads = 0;
    std::vector<LocalQueueFlavorUsage> flavors_reservation;
    std::vector<LocalQueueFlavorUsage> flavors_usage;
    std::optional<LocalQueueFairSharingStatus> fair_sharing;

    static const TypeInfo& type();
    friend bool operator==(const LocalQueueStatus&, const LocalQueueStatus&) = default;
};

/// Gives the workloads of its namespace access to a ClusterQueue.
struct LocalQueue {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "LocalQueue";
    static constexpr std::string_view kPlural = "localqueues";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;
    LocalQueueSpec spec;
    LocalQueueStatus status;

    static const TypeInfo& type();
    friend bool operator==(const LocalQueue&, const LocalQueue&) = default;
};

}  // namespace sluice::api
