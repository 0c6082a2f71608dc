#include "api/kueue/cluster_queue.hpp"

#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

const TypeInfo& ResourceQuota::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ResourceQuota::name>("name", "R", "=", "Resource name."),
                field<&ResourceQuota::nominal_quota>(
                    "nominalQuota", "R", "=", "Amount that this queue or cohort owns."
                ),
                field<&ResourceQuota::borrowing_limit>(
                    "borrowingLimit",
                    "",
                    "=",
                    "Amount that may be borrowed from the cohort. Unlimited if absent."
                ),
                field<&ResourceQuota::lending_limit>(
                    "lendingLimit",
                    "",
                    "=",
                    "Amount of unused quota that others may borrow. All of it if absent."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& FlavorQuotas::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&FlavorQuotas::name>("name", "..253 SUB R", "=", "Name of a ResourceFlavor."),
                field<&FlavorQuotas::resources>(
                    "resources",
                    "1..64 map(name) R",
                    "=",
                    "Quota of each covered resource in this flavor."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ResourceGroup::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ResourceGroup::covered_resources>(
                    "coveredResources",
                    "1..64 atomic R",
                    "1..64 R",
                    "Resources that get their flavor together."
                ),
                field<&ResourceGroup::flavors>(
                    "flavors",
                    "1..64 map(name) R",
                    "=",
                    "Flavors of these resources, in the order in which they are tried."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& FairSharing::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&FairSharing::weight>(
                    "weight",
                    "D(1)",
                    "=",
                    "Share relative to the siblings; 0 makes every borrowed amount count as "
                    "infinite."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& FlavorFungibility::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&FlavorFungibility::when_can_borrow>(
                    "whenCanBorrow",
                    "E(MayStopSearch, TryNextFlavor) D(\"MayStopSearch\")",
                    "E(MayStopSearch, TryNextFlavor, Borrow) D(\"MayStopSearch\")",
                    "MayStopSearch stops the search at a flavor that fits by borrowing."
                ),
                field<&FlavorFungibility::when_can_preempt>(
                    "whenCanPreempt",
                    "E(MayStopSearch, TryNextFlavor) D(\"TryNextFlavor\")",
                    "E(MayStopSearch, TryNextFlavor, Preempt) D(\"TryNextFlavor\")",
                    "MayStopSearch stops the search at a flavor that fits by preemption."
                ),
                field<&FlavorFungibility::preference>(
                    "preference",
                    "E(BorrowingOverPreemption, PreemptionOverBorrowing)",
                    "=",
                    "Preference between a flavor that needs borrowing and one that needs "
                    "preemption."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& BorrowWithinCohort::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&BorrowWithinCohort::policy>(
                    "policy",
                    "E(Never, LowerPriority) D(\"Never\")",
                    "=",
                    "Policy for preemption in other queues by a workload that borrows."
                ),
                field<&BorrowWithinCohort::max_priority_threshold>(
                    "maxPriorityThreshold",
                    "",
                    "=",
                    "Only workloads of at most this priority are preempted."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ClusterQueuePreemption::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ClusterQueuePreemption::reclaim_within_cohort>(
                    "reclaimWithinCohort",
                    "E(Never, LowerPriority, Any) D(\"Never\")",
                    "=",
                    "Which workloads of borrowing queues are preempted to get the nominal quota "
                    "back."
                ),
                field<&ClusterQueuePreemption::borrow_within_cohort>(
                    "borrowWithinCohort",
                    "D({})",
                    "=",
                    "Preemption in the cohort on behalf of a workload that borrows."
                ),
                field<&ClusterQueuePreemption::within_cluster_queue>(
                    "withinClusterQueue",
                    "E(Never, LowerPriority, LowerOrNewerEqualPriority) D(\"Never\")",
                    "=",
                    "Which workloads of this queue may be preempted."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionCheckStrategyRule::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionCheckStrategyRule::name>(
                    "name", "1..316 R", "..316 R", "Name of an AdmissionCheck."
                ),
                field<&AdmissionCheckStrategyRule::on_flavors>(
                    "onFlavors",
                    "[..253 SUB] ..64 set",
                    "[..253 SUB]",
                    "Flavors that the check applies to. Empty means all flavors."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionChecksStrategy::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionChecksStrategy::admission_checks>(
                    "admissionChecks",
                    "1..64 map(name) R",
                    "",
                    "Checks and the flavors they concern."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionScope::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionScope::admission_mode>(
                    "admissionMode",
                    "E(UsageBasedAdmissionFairSharing, NoAdmissionFairSharing) R",
                    "R",
                    "UsageBasedAdmissionFairSharing orders workloads by the past usage of their "
                    "LocalQueue."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ConcurrentAdmissionConstraints::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ConcurrentAdmissionConstraints::last_acceptable_flavor_name>(
                    "lastAcceptableFlavorName", "..253 SUB", "-", "Last flavor worth migrating to."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ConcurrentAdmissionMigration::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ConcurrentAdmissionMigration::mode>(
                    "mode",
                    "..253 E(TryPreferredFlavors, RetainFirstAdmission) R",
                    "-",
                    "TryPreferredFlavors moves an admitted workload to a preferred flavor."
                ),
                field<&ConcurrentAdmissionMigration::constraints>(
                    "constraints", "", "-", "Limits of the migration."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ConcurrentAdmissionPolicy::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ConcurrentAdmissionPolicy::migration>(
                    "migration", "R", "-", "Migration when a better flavor becomes free."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ClusterQueueSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ClusterQueueSpec::resource_groups>(
                    "resourceGroups", "..16 atomic [C11]", "=", "Quotas by resource and flavor."
                ),
                v1beta1_field(
                    "cohort", "str ..253 SUB", "Cohort that this queue borrows from and lends to."
                ),
                field<&ClusterQueueSpec::cohort_name>(
                    "cohortName",
                    "..253 SUB",
                    "-",
                    "Cohort that this queue borrows from and lends to; it need not exist as an "
                    "object."
                ),
                field<&ClusterQueueSpec::queueing_strategy>(
                    "queueingStrategy",
                    "E(StrictFIFO, BestEffortFIFO) D(\"BestEffortFIFO\")",
                    "=",
                    "StrictFIFO blocks the workloads behind one that does not fit. BestEffortFIFO "
                    "tries them."
                ),
                field<&ClusterQueueSpec::namespace_selector>(
                    "namespaceSelector",
                    "atomic",
                    "=",
                    "Namespaces whose workloads may use this queue. Absent selects no namespace, "
                    "empty selects all."
                ),
                field<&ClusterQueueSpec::flavor_fungibility>(
                    "flavorFungibility", "D({}) C14", "=", "When the search for flavors stops."
                ),
                field<&ClusterQueueSpec::preemption>(
                    "preemption",
                    "D({}) C15",
                    "=",
                    "Which workloads give way to those of this queue."
                ),
                v1beta1_field(
                    "admissionChecks",
                    "[str ..316]",
                    "Names of admission checks that concern all flavors."
                ),
                field<&ClusterQueueSpec::admission_checks_strategy>(
                    "admissionChecksStrategy",
                    "",
                    "=",
                    "Checks that a workload must pass after it has quota."
                ),
                field<&ClusterQueueSpec::stop_policy>(
                    "stopPolicy",
                    "E(None, Hold, HoldAndDrain) D(\"None\")",
                    "=",
                    "Hold admits no new workloads. HoldAndDrain also evicts admitted ones."
                ),
                field<&ClusterQueueSpec::fair_sharing>(
                    "fairSharing", "", "=", "Weight in fair sharing."
                ),
                field<&ClusterQueueSpec::admission_scope>(
                    "admissionScope", "", "=", "Fair sharing between the LocalQueues of this queue."
                ),
                field<&ClusterQueueSpec::concurrent_admission_policy>(
                    "concurrentAdmissionPolicy", "", "-", "Trying several flavors at once."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ResourceUsage::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ResourceUsage::name>("name", "R", "=", "Resource name."),
                field<&ResourceUsage::total>(
                    "total", "P", "=", "Quota in use, the borrowed part included."
                ),
                field<&ResourceUsage::borrowed>(
                    "borrowed", "P", "=", "Part of the total that exceeds the nominal quota."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& FlavorUsage::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&FlavorUsage::name>("name", "..253 SUB R", "=", "Name of the flavor."),
                field<&FlavorUsage::resources>(
                    "resources", "..64 map(name) R", "=", "Usage by resource."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& FairSharingStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&FairSharingStatus::weighted_share>(
                    "weightedShare",
                    "R",
                    "=",
                    "Largest ratio of borrowed to lendable amount over the resources, divided by "
                    "the weight, in thousandths."
                ),
                v1beta1_admission_fair_sharing_status(),
            },
    };
    return kInfo;
}

const TypeInfo& ClusterQueueStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ClusterQueueStatus::conditions>(
                    "conditions",
                    "..16 map(type)",
                    "map(type)",
                    "Current state. Active is True if workloads can be admitted."
                ),
                field<&ClusterQueueStatus::flavors_reservation>(
                    "flavorsReservation",
                    "..64 map(name)",
                    "=",
                    "Quota held by workloads with a reservation."
                ),
                field<&ClusterQueueStatus::flavors_usage>(
                    "flavorsUsage", "..64 map(name)", "=", "Quota held by admitted workloads."
                ),
                field<&ClusterQueueStatus::pending_workloads>(
                    "pendingWorkloads", "P", "=", "Number of workloads that wait."
                ),
                field<&ClusterQueueStatus::reserving_workloads>(
                    "reservingWorkloads", "P", "=", "Number of workloads that hold quota."
                ),
                field<&ClusterQueueStatus::admitted_workloads>(
                    "admittedWorkloads",
                    "P",
                    "=",
                    "Number of admitted workloads that have not finished."
                ),
                field<&ClusterQueueStatus::fair_sharing>(
                    "fairSharing", "", "=", "Current share of this queue."
                ),
                v1beta1_field(
                    "pendingWorkloadsStatus",
                    "obj",
                    "No longer filled in.",
                    {
                        v1beta1_field(
                            "clusterQueuePendingWorkload",
                            "[obj] atomic",
                            "",
                            {
                                v1beta1_field("name", "str R"),
                                v1beta1_field("namespace", "str R"),
                            }
                        ),
                        v1beta1_field("lastChangeTime", "time R"),
                    }
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ClusterQueue::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ClusterQueue::metadata>("metadata", "", "=", ""),
                field<&ClusterQueue::spec>(
                    "spec", "C12", "C13", "Quota of this queue, and the workloads that may use it."
                ),
                field<&ClusterQueue::status>(
                    "status", "", "=", "Current usage and state of this queue."
                ),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

Field v1beta1_admission_fair_sharing_status() {
    return v1beta1_field(
        "admissionFairSharingStatus",
        "obj",
        "Only LocalQueues fill this in.",
        {v1beta1_field("consumedResources", "{qty} R"), v1beta1_field("lastUpdate", "time R")}
    );
}

}  // namespace sluice::api
