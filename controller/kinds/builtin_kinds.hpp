// The entries of the kinds that Sluice is built with.
#pragma once

#include "controller/kinds/kind_entry.hpp"
#include "controller/kinds/registry.hpp"
#include "job_kinds/configured.hpp"

#include <string>
#include <vector>

/// The kinds that Sluice is built with: each has one entry, made in the file of the kind's name.
namespace sluice::controller {

KindEntry resource_flavor_kind();
KindEntry admission_check_kind();
KindEntry topology_kind();
KindEntry node_kind();
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
/// Pods none of which is a job. They are watched once an elastic Workload or a flavor with a
/// topology exists: pods of such Workloads are ungated, and all other pods take room on nodes.
KindEntry pod_kind_without_jobs();
/// Pods, some of which are jobs, alone or in groups (framework `pod`). `by_annotation`: gate
/// WorkloadIdentifierAnnotations.
KindEntry pod_kind(bool by_annotation);

/// Deployments, each pod of which is a job.
KindEntry deployment_kind();
/// ReplicaSets, which are the owners between a Deployment and its pods.
KindEntry replica_set_kind();
/// StatefulSets. Without `is_managed` they are watched only because LeaderWorkerSets own them.
KindEntry stateful_set_kind(bool is_managed);
KindEntry leader_worker_set_kind();

/// The name, in the flag --controllers, of the controller that ungates pods of elastic jobs.
inline constexpr char kElasticJobController[] = "elasticjob";

/// The name of the controller of Topologies in the flag --controllers.
inline constexpr char kTopologyController[] = "topology";

/// Jobs of a kind that is described as data. The controller's name is the kind's name in lower
/// case, or kJobKindsController for kinds that users describe. `names`: the kind of the
/// description; nullptr to create it here.
KindEntry described_job_kind(
    const job_kinds::ConfiguredKind& configured,
    std::shared_ptr<const kube::RunTimeKind> names = nullptr
);
/// Returns the entry of a kind whose description was removed. Jobs with a Workload that
/// needs_its_kind() are reconciled until they end; all other jobs are left as they are.
KindEntry withdrawn_job_kind(const KindEntry& entry);
/// Returns true if the Workload still needs the reconciler of its job's kind: it holds quota, or it
/// is finished or being deleted and still has its finalizer.
bool needs_its_kind(const api::Workload& workload);
/// Jobs that another controller manages with Kueue's library (integrations.externalFrameworks).
/// Only their metadata is kept.
KindEntry external_job_kind(std::shared_ptr<const kube::RunTimeKind> names);
/// Objects of a built-in kind whose integration is off. They may be owners between a job and the
/// object that manages it. Only their metadata is kept.
KindEntry passed_kind(std::shared_ptr<const kube::RunTimeKind> names);
/// ConfigMaps in namespace `ns` that describe kinds of jobs.
KindEntry job_kinds_config_map_kind(const std::string& ns);
/// Indexes objects of a described kind by the objects of other kinds that they refer to.
void index_references(KindEntry& entry, const job_kinds::Description& description);
/// Returns the kinds from which a described kind of jobs takes its pods: the runtimes of TrainJobs.
/// Their changes concern the jobs that refer to them.
std::vector<KindEntry> referenced_kinds(const KindEntry& jobs);

/// The name, in the flag --controllers, of the controller of kinds that users describe.
inline constexpr char kJobKindsController[] = "jobkinds";

/// Returns the entries of all kinds that a configuration enables, except the pods of elastic jobs.
/// `with_batch_jobs`: the framework batch/job is enabled; `more`: entries of other frameworks.
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
/// Visits the jobs of one kind that have the label of the WorkloadPriorityClass.
void visit_jobs_of_priority_class(
    const Stores& stores, Kind kind, const std::string& priority_class, const Visit& visit
);

}  // namespace sluice::controller
