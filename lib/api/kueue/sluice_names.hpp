#pragma once

/// Names of Sluice's own, which Kueue does not know.
namespace sluice::api {

namespace label {
/// "true" on a ConfigMap in Sluice's namespace: each of its keys describes a kind of jobs.
inline constexpr char kJobKinds[] = "sluice.dev/job-kinds";
}  // namespace label

namespace annotation {
/// On a Workload whose job is of a kind that a user describes: the framework of that kind. Only
/// Sluice starts such a job, and only while the description is there.
inline constexpr char kDescribedKind[] = "sluice.dev/described-kind";
}  // namespace annotation

namespace reason {
/// QuotaReserved=False of a Workload whose job nobody would start: its kind is not described.
inline constexpr char kJobKindNotDescribed[] = "JobKindNotDescribed";
/// Event on an object of any kind: its reconciles have failed for a minute.
inline constexpr char kReconcileFailing[] = "ReconcileFailing";
/// Event on a job that is suspended where jobs are not managed, although it names a queue.
inline constexpr char kNamespaceNotManaged[] = "NamespaceNotManaged";
/// Events on ConfigMaps that describe kinds of jobs.
inline constexpr char kJobKindDescribed[] = "JobKindDescribed";
inline constexpr char kInvalidJobKind[] = "InvalidJobKind";
inline constexpr char kDuplicateJobKind[] = "DuplicateJobKind";
}  // namespace reason

}  // namespace sluice::api
