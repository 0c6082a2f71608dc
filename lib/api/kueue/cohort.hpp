// Cohort of kueue.x-k8s.io.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

struct CohortSpec {
    std::string parent_name;
    std::vector<ResourceGroup> resource_groups;
    std::optional<FairSharing> fair_sharing;

    static const TypeInfo& type();
    friend bool operator==(const CohortSpec&, const CohortSpec&) = default;
};

struct CohortStatus {
    std::optional<FairSharingStatus> fair_sharing;

    static const TypeInfo& type();
    friend bool operator==(const CohortStatus&, const CohortStatus&) = default;
};

/// A node of the quota tree above ClusterQueues. A cohort exists as soon as another object names
/// it; a Cohort object adds quota, limits, a parent and a weight.
struct Cohort {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "Cohort";
    static constexpr std::string_view kPlural = "cohorts";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    CohortSpec spec;
    CohortStatus status;

    static const TypeInfo& type();
    friend bool operator==(const Cohort&, const Cohort&) = default;
};

}  // namespace sluice::api
