// ClusterQueue of kueue.x-k8s.io, with the quota types that Cohort shares.
#pragma once

#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

/// The quota that a queue or cohort has for one resource in one flavor.
struct ResourceQuota {
    std::string name;
    Quantity nominal_quota;
    std::optional<Quantity> borrowing_limit;  ///< absent: unlimited
    std::optional<Quantity> lending_limit;    ///< absent: all of it may be lent

    static const TypeInfo& type();
    friend bool operator==(const ResourceQuota&, const ResourceQuota&) = default;
};

/// The quotas of one flavor.
struct FlavorQuotas {
    std::string name;
    std::vector<ResourceQuota> resources;

    static const TypeInfo& type();
    friend bool operator==(const FlavorQuotas&, const FlavorQuotas&) = default;
};

/// Resources that always get the same flavor. Flavors are tried in their order.
struct ResourceGroup {
    std::vector<std::string> covered_resources;
    std::vector<FlavorQuotas> flavors;

    static const TypeInfo& type();
    friend bool operator==(const ResourceGroup&, const ResourceGroup&) = default;
};

/// The weight in fair sharing. The schema's default is 1 if the struct is present.
struct FairSharing {
    std::optional<Quantity> weight;

    static const TypeInfo& type();
    friend bool operator==(const FairSharing&, const FairSharing&) = default;
};

/// Controls if the search for flavors stops at a flavor that needs borrowing or preemption.
struct FlavorFungibility {
    std::string when_can_borrow = "MayStopSearch";
    std::string when_can_preempt = "TryNextFlavor";
    std::string preference;

    static const TypeInfo& type();
    friend bool operator==(const FlavorFungibility&, const FlavorFungibility&) = default;
};

/// Preemption in the cohort by a workload that borrows.
struct BorrowWithinCohort {
    std::string policy = "Never";
    std::optional<std::int32_t> max_priority_threshold;

    static const TypeInfo& type();
    friend bool operator==(const BorrowWithinCohort&, const BorrowWithinCohort&) = default;
};

/// Policies for which workloads the queue's workloads may preempt.
struct ClusterQueuePreemption {
    std::string reclaim_within_cohort = "Never";
    std::optional<BorrowWithinCohort> borrow_within_cohort;
    std::string within_cluster_queue = "Never";

    static const TypeInfo& type();
    friend bool operator==(const ClusterQueuePreemption&, const ClusterQueuePreemption&) = default;
};

/// An admission check and the flavors that it applies to; an empty list means all flavors.
struct AdmissionCheckStrategyRule {
    std::string name;
    std::vector<std::string> on_flavors;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionCheckStrategyRule&, const AdmissionCheckStrategyRule&) =
        default;
};

struct AdmissionChecksStrategy {
    std::vector<AdmissionCheckStrategyRule> admission_checks;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionChecksStrategy&, const AdmissionChecksStrategy&) =
        default;
};

struct AdmissionScope {
    std::string admission_mode;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionScope&, const AdmissionScope&) = default;
};

struct ConcurrentAdmissionConstraints {
    std::string last_acceptable_flavor_name;

    static const TypeInfo& type();
    friend bool
    operator==(const ConcurrentAdmissionConstraints&, const ConcurrentAdmissionConstraints&) =
        default;
};

struct ConcurrentAdmissionMigration {
    std::string mode;
    std::optional<ConcurrentAdmissionConstraints> constraints;

    static const TypeInfo& type();
    friend bool
    operator==(const ConcurrentAdmissionMigration&, const ConcurrentAdmissionMigration&) = default;
};

struct ConcurrentAdmissionPolicy {
    ConcurrentAdmissionMigration migration;

    static const TypeInfo& type();
    friend bool operator==(const ConcurrentAdmissionPolicy&, const ConcurrentAdmissionPolicy&) =
        default;
};

struct ClusterQueueSpec {
    std::vector<ResourceGroup> resource_groups;
    std::string cohort_name;
    std::string queueing_strategy = "BestEffortFIFO";
    /// Absent selects no namespace, empty selects all.
    std::optional<LabelSelector> namespace_selector;
    FlavorFungibility flavor_fungibility;
    ClusterQueuePreemption preemption;
    std::optional<AdmissionChecksStrategy> admission_checks_strategy;
    std::string stop_policy = stop_policy::kNone;
    std::optional<FairSharing> fair_sharing;
    std::optional<AdmissionScope> admission_scope;
    std::optional<ConcurrentAdmissionPolicy> concurrent_admission_policy;

    static const TypeInfo& type();
    friend bool operator==(const ClusterQueueSpec&, const ClusterQueueSpec&) = default;
};

/// Usage of one resource in one flavor. `borrowed` is the part that exceeds the nominal quota.
struct ResourceUsage {
    std::string name;
    Quantity total;
    Quantity borrowed;

    static const TypeInfo& type();
    friend bool operator==(const ResourceUsage&, const ResourceUsage&) = default;
};

struct FlavorUsage {
    std::string name;
    std::vector<ResourceUsage> resources;

    static const TypeInfo& type();
    friend bool operator==(const FlavorUsage&, const FlavorUsage&) = default;
};

/// The current share of a ClusterQueue or Cohort.
struct FairSharingStatus {
    std::int64_t weighted_share = 0;

    static const TypeInfo& type();
    friend bool operator==(const FairSharingStatus&, const FairSharingStatus&) = default;
};

struct ClusterQueueStatus {
    std::vector<Condition> conditions;
    std::vector<FlavorUsage> flavors_reservation;
    std::vector<FlavorUsage> flavors_usage;
    std::int32_t pending_workloads = 0;
    std::int32_t reserving_workloads = 0;
    std::int32_t admitted_workloads = 0;
    std::optional<FairSharingStatus> fair_sharing;

    static const TypeInfo& type();
    friend bool operator==(const ClusterQueueStatus&, const ClusterQueueStatus&) = default;
};

/// A queue that has quota. Workloads reach it through LocalQueues.
struct ClusterQueue {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "ClusterQueue";
    static constexpr std::string_view kPlural = "clusterqueues";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    ClusterQueueSpec spec;
    ClusterQueueStatus status;

    static const TypeInfo& type();
    friend bool operator==(const ClusterQueue&, const ClusterQueue&) = default;
};

/// Returns the field of a fair sharing status that only v1beta1 has. Only LocalQueues fill it in.
Field v1beta1_admission_fair_sharing_status();

}  // namespace sluice::api
