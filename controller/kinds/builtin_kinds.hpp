#pragma once

#include "controller/kinds/kind_entry.hpp"
#include "controller/kinds/registry.hpp"
#include "job_kinds/configured.hpp"

#include <string>
#include <vector>

/// The kinds that Sluice is built with: an entry each, in a file of its own.
namespace sluice::controller {

KindEntry resource_flavor_kind();
KindEntry admission_check_kind();
KindEntry topology_kind();
KindEntry namespace_kind();
KindEntry limit_range_kind();
KindEntry runtime_class_kind();
KindEntry priority_class_kind();
KindEntry workload_priority_class_kind();
KindEntry cohort_kind();
KindEntry cluster_queue_kind();
KindEntry local_queue_kind();
KindEntry job_kind();
KindEntry workload_kind();
/// Pods of jobs that Sluice started. Followed from the first elastic Workload on.
KindEntry elastic_pod_kind();
/// All pods: those that are jobs, by themselves or in groups (framework `pod`), and those of
/// elastic jobs. `by_annotation`: gate WorkloadIdentifierAnnotations.
KindEntry pod_kind(bool by_annotation);

/// Deployments, whose pods are jobs by themselves.
KindEntry deployment_kind();
/// What stands between a Deployment and its pods.
KindEntry replica_set_kind();
/// StatefulSets. Not `is_managed`: they are followed for LeaderWorkerSets alone.
KindEntry stateful_set_kind(bool is_managed);
KindEntry leader_worker_set_kind();

/// The controller that opens the gates of these pods, in the flag --controllers.
inline constexpr char kElasticJobController[] = "elasticjob";

/// The controller of Topologies, in the same flag.
inline constexpr char kTopologyController[] = "topology";

/// Jobs of a kind that is described as data. Its controller is the kind's name in lower case, or
/// kJobKindsController for kinds that users describe. `names`: those of the description; null: they
/// are made.
KindEntry described_job_kind(
    const job_kinds::ConfiguredKind& configured,
    std::shared_ptr<const kube::RunTimeKind> names = nullptr
);
/// The same kind when its description was taken back: jobs without quota are left as they are, the
/// others are seen to their end.
KindEntry withdrawn_job_kind(const KindEntry& entry);
/// Whether the Workload's job is one of the others.
bool needs_its_kind(const api::Workload& workload);
/// Jobs of another controller that manages them by Kueue's library
/// (integrations.externalFrameworks). Only their metadata is kept.
KindEntry external_job_kind(std::shared_ptr<const kube::RunTimeKind> names);
/// Objects of a built-in kind whose integration is off, which may stand between jobs and what
/// manages them. Only their metadata is kept.
KindEntry passed_kind(std::shared_ptr<const kube::RunTimeKind> names);
/// ConfigMaps of that namespace which describe kinds of jobs.
KindEntry job_kinds_config_map_kind(const std::string& ns);
/// Indexes objects of the described kind by the objects of other kinds that they refer to.
void index_references(KindEntry& entry, const job_kinds::Description& description);
/// The kinds that a described kind of jobs takes its pods from: runtimes of TrainJobs. Their
/// changes concern the jobs that refer to them.
std::vector<KindEntry> referenced_kinds(const KindEntry& jobs);

/// The controller of the kinds that users describe, in the flag --controllers.
inline constexpr char kJobKindsController[] = "jobkinds";

/// All that a configuration turns on but the pods of elastic jobs; `with_batch_jobs`: batch/job is
/// one of its frameworks, `more`: entries of others.
Registry make_registry(
    const std::vector<job_kinds::ConfiguredKind>& job_kinds,
    bool with_batch_jobs,
    std::vector<KindEntry> more = {}
);

void visit_cluster_queues_of_flavor(
    const Stores& stores, const std::string& flavor, const Visit& visit
);
void visit_workloads_of_queue(
    const Stores& stores, const kube::NamespacedName& queue, const Visit& visit
);
/// The first pod of a row of slices, as slices_of_pod() names it, for which the whole row is
/// reconciled; none while pods are not followed.
void visit_first_pod_of_slice(const Stores& stores, const std::string& slice, const Visit& visit);
/// Jobs of one kind with the label of the WorkloadPriorityClass.
void visit_jobs_of_priority_class(
    const Stores& stores, Kind kind, const std::string& priority_class, const Visit& visit
);

}  // namespace sluice::controller
