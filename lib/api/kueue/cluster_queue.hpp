#pragma once

#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

/// What a queue or cohort owns of one resource in one flavor.
struct ResourceQuota {
    std::string name;
    Quantity nominal_quota;
    std::optional<Quantity> borrowing_limit;  ///< absent: no limit
    std::optional<Quantity> lending_limit;    ///< absent: everything may be lent

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

/// Resources that are always assigned together, in flavors that are tried in order.
struct ResourceGroup {
    std::vector<std::string> covered_resources;
    std::vector<FlavorQuotas> flavors;

    static const TypeInfo& type();
    friend bool operator==(const ResourceGroup&, const ResourceGroup&) = default;
};

/// The weight in fair sharing; the schema's default is 1 where the struct is present.
struct FairSharing {
    std::optional<Quantity> weight;

    static const TypeInfo& type();
    friend bool operator==(const FairSharing&, const FairSharing&) = default;
};

/// What the flavor scan does when a flavor would need borrowing or preemption.
struct FlavorFungibility {
    std::string when_can_borrow = "MayStopSearch";
    std::string when_can_preempt = "TryNextFlavor";
    std::string preference;

    static const TypeInfo& type();
    friend bool operator==(const FlavorFungibility&, const FlavorFungibility&) = default;
};

/// Preemption of others in the cohort while borrowing.
struct BorrowWithinCohort {
    std::string policy = "Never";
    std::optional<std::int32_t> max_priority_threshold;

    static const TypeInfo& type();
    friend bool operator==(const BorrowWithinCohort&, const BorrowWithinCohort&) = default;
};

/// Which workloads the queue's workloads may preempt.
struct ClusterQueuePreemption {
    std::string reclaim_within_cohort = "Never";
    std::optional<BorrowWithinCohort> borrow_within_cohort;
    std::string within_cluster_queue = "Never";

    static const TypeInfo& type();
    friend bool operator==(const ClusterQueuePreemption&, const ClusterQueuePreemption&) = default;
};

/// An admission check and the flavors it concerns (none: all).
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
    std::optional<LabelSelector> namespace_selector;  ///< absent selects nothing, empty all
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

/// Usage of one resource in one flavor; `borrowed` is what exceeds the nominal quota.
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

/// A queue that owns quota; workloads reach it through LocalQueues.
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

/// The v1beta1-only part of a fair sharing status (core-semantics: only LocalQueues carry it on).
Field v1beta1_admission_fair_sharing_status();

}  // namespace sluice::api
