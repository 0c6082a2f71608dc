#include "controller/kinds/builtin_kinds.hpp"

#include <utility>

namespace sluice::controller {

Registry make_registry(
    const std::vector<job_kinds::ConfiguredKind>& job_kinds,
    bool with_batch_jobs,
    std::vector<KindEntry> more
) {
    Registry registry;
    // The order in which the engine gets the objects: dependencies first.
    registry.add(resource_flavor_kind());
    registry.add(admission_check_kind());
    registry.add(topology_kind());
    registry.add(node_kind());
    registry.add(namespace_kind());
    registry.add(limit_range_kind());
    registry.add(runtime_class_kind());
    registry.add(priority_class_kind());
    registry.add(workload_priority_class_kind());
    registry.add(cohort_kind());
    registry.add(cluster_queue_kind());
    registry.add(local_queue_kind());
    if (with_batch_jobs) {
        registry.add(job_kind());
    }
    for (const job_kinds::ConfiguredKind& configured : job_kinds) {
        KindEntry entry = described_job_kind(configured);
        for (KindEntry& referenced : referenced_kinds(entry)) {
            registry.add(std::move(referenced));
        }
        registry.add(std::move(entry));
    }
    for (KindEntry& entry : more) {
        registry.add(std::move(entry));
    }
    registry.add(workload_kind());
    return registry;
}

}  // namespace sluice::controller
