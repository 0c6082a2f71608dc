// Explanation of insight.sluice.dev: why a Workload waits or runs, and what would admit it.
#pragma once

#include "api/insight/insight_names.hpp"
#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// Values of Explanation::state. Further values are the condition types Admitted, Evicted and
/// Finished.
namespace explanation_state {
inline constexpr char kPending[] = "Pending";    ///< waits for quota
inline constexpr char kHeldBack[] = "HeldBack";  ///< no queue tries it, see `reason`
inline constexpr char kReserved[] = "Reserved";  ///< has quota, and waits for admission checks
}  // namespace explanation_state

/// Values of Explanation::prospect.
namespace explanation_prospect {
inline constexpr char kRuns[] = "Runs";    ///< it runs or has run
inline constexpr char kWaits[] = "Waits";  ///< it may start without anybody changing anything
inline constexpr char kNever[] = "Never";  ///< it never starts as things are
}  // namespace explanation_prospect

/// Name of the workloads of namespaces that the asker may not read.
inline constexpr char kAnotherNamespace[] = "another namespace";

/// The object that the Workload is for.
struct ExplainedJob {
    std::string api_version;
    std::string kind;
    std::string name;

    static const TypeInfo& type();
    friend bool operator==(const ExplainedJob&, const ExplainedJob&) = default;
};

/// Positions from 1, among the pending workloads of the queue, with the keys of its order: the
/// preemptor first, then the LocalQueue that has used least, the priority and the time.
struct QueuePosition {
    std::int64_t in_cluster_queue = 0;
    std::int64_t of_cluster_queue = 0;
    std::int64_t in_local_queue = 0;
    std::int64_t of_local_queue = 0;
    bool preemptor = false;       ///< others are evicted for it: it goes first
    std::string fair_usage;       ///< past usage of its LocalQueue (KEP-4136); empty without
    std::int64_t boost = 0;       ///< the part of the priority that its annotation adds
    std::optional<Time> ordered;  ///< creation, or the eviction that moved it to the back

    static const TypeInfo& type();
    friend bool operator==(const QueuePosition&, const QueuePosition&) = default;
};

/// The requests of the pods of a podSet.
struct ExplainedPodSet {
    std::string name;
    std::int32_t count = 0;
    StringMap requests;  ///< of one pod
    StringMap total;

    static const TypeInfo& type();
    friend bool operator==(const ExplainedPodSet&, const ExplainedPodSet&) = default;
};

/// Quota and usage of a ClusterQueue or Cohort, for the flavor and resource that bind first.
struct ExplainedLevel {
    std::string node;  ///< "clusterQueue/<name>" or "cohort/<name>"
    std::string nominal;
    std::string used;
    std::string borrowed;
    std::string may_take;  ///< what the ClusterQueue may still take as far as this level goes
    std::string own;       ///< the part of `may_take` that is its own; ClusterQueues only
    std::string borrowing_limit;  ///< empty without one
    std::string lending_limit;    ///< empty without one
    bool binding = false;

    static const TypeInfo& type();
    friend bool operator==(const ExplainedLevel&, const ExplainedLevel&) = default;
};

/// A workload that holds some of the missing quota.
struct ExplainedHolder {
    std::string workload;  ///< "namespace/name", or kAnotherNamespace
    std::string amount;
    std::optional<std::int64_t> priority;
    std::optional<Time> since;  ///< when it got the quota
    std::optional<Time> bound;  ///< when its limit of execution time ends it at the latest
    bool evicted = false;
    bool reserved = false;

    static const TypeInfo& type();
    friend bool operator==(const ExplainedHolder&, const ExplainedHolder&) = default;
};

/// An obstacle, with the fields and kinds of `sluice schedule`.
struct ExplainedConstraint {
    std::string kind;
    std::string pod_set;
    std::string resource;
    std::string flavor;
    std::string node;
    std::string needed;
    std::string free;
    std::string limit;
    std::string nominal;
    std::string borrowed;
    std::string message;  ///< the obstacle in words
    std::vector<ExplainedHolder> holders;
    std::vector<std::string> remedies;
    std::string reclaim_within_cohort;

    static const TypeInfo& type();
    friend bool operator==(const ExplainedConstraint&, const ExplainedConstraint&) = default;
};

/// A change that was tried on a copy of the cluster, and admitted the workload there.
struct ExplainedRemedy {
    /// fewerPods, toleration, affinity, localQueue, priorityClass, nominalQuota, borrowingLimit,
    /// lendingLimit or stopPolicy.
    std::string kind;
    std::string change;                ///< in words
    std::string object;                ///< the object to change, as "clusterqueue/<name>"
    std::string value;                 ///< its new value; of quotas, "<resource>=<quantity>,…"
    std::string flavor;                ///< whose quota it raises
    std::vector<std::string> flavors;  ///< that the workload gets
    std::string free;                  ///< what is free there of the resource that binds first
    std::vector<std::string> evicts;   ///< workloads that lose their quota for it
    /// "AtItsTurn" if others come first and take what the change frees; empty if it starts at once.
    std::string when;
    std::string needs;  ///< "administrator" if a user of the queue may not make the change
    bool verified = true;

    static const TypeInfo& type();
    friend bool operator==(const ExplainedRemedy&, const ExplainedRemedy&) = default;
};

/// Why a Workload waits or runs. It is computed for each request and never stored: an aggregated
/// API server serves it as subresource `explanation` of `workloads`. Quantities are printed as
/// Kubernetes prints them.
struct Explanation {
    static constexpr std::string_view kGroup = kInsightGroup;
    static constexpr std::string_view kVersion = kInsightVersion;
    static constexpr std::string_view kKind = "Explanation";

    ObjectMeta metadata;  ///< name, namespace, uid and creation time of the Workload
    Time as_of;
    std::string state;
    std::string prospect;
    std::string summary;  ///< one sentence
    std::optional<ExplainedJob> job;
    std::string local_queue;
    std::string cluster_queue;
    std::optional<Time> since;  ///< when it entered its present state
    std::int64_t priority = 0;
    std::optional<QueuePosition> position;
    std::vector<ExplainedPodSet> pod_sets;
    std::string reason;                ///< of condition QuotaReserved, or of what holds it back
    std::string message;               ///< the most binding obstacle in words
    std::vector<std::string> flavors;  ///< of a workload that has quota
    std::optional<Time> bound;         ///< when its limit of execution time ends it
    std::vector<ExplainedLevel> levels;
    std::string level_flavor;  ///< the flavor and the resource of `levels`
    std::string level_resource;
    std::string shortage;                          ///< the amount that is missing there
    std::vector<ExplainedConstraint> constraints;  ///< the most binding first
    std::vector<ExplainedRemedy> remedies;
    std::vector<std::string> notes;

    static const TypeInfo& type();
    friend bool operator==(const Explanation&, const Explanation&) = default;
};

/// The explanations of the Workloads of a namespace or of all, by namespace and name, each without
/// levels, constraints and remedies. An aggregated API server serves it as `explanations`.
struct ExplanationList {
    static constexpr std::string_view kGroup = kInsightGroup;
    static constexpr std::string_view kVersion = kInsightVersion;
    static constexpr std::string_view kKind = "ExplanationList";

    ListMeta metadata;
    std::vector<Explanation> items;

    static const TypeInfo& type();
    friend bool operator==(const ExplanationList&, const ExplanationList&) = default;
};

}  // namespace sluice::api
