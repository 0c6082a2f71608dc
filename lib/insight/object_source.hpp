// The objects of the API that explanations read in addition to the engine's state.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/priority_class.hpp"
#include "api/kueue/workload.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace sluice::insight {

/// Finds the objects that explanations read in addition to the engine's state. Each function
/// returns nullptr or nothing for objects that do not exist.
class ObjectSource {
  public:
    virtual ~ObjectSource() = default;
    virtual std::shared_ptr<const api::Workload> find_workload(
        std::string_view ns, std::string_view name
    ) const = 0;
    /// Returns at most `limit` Workloads of the namespace, of all if it is empty, in the order of
    /// "namespace/name", from the one after `after`.
    virtual std::vector<std::shared_ptr<const api::Workload>> list_workloads(
        std::string_view ns, std::string_view after, std::size_t limit
    ) const = 0;
    virtual std::shared_ptr<const api::LocalQueue> find_local_queue(
        std::string_view ns, std::string_view name
    ) const = 0;
    virtual std::shared_ptr<const api::ClusterQueue> find_cluster_queue(std::string_view name
    ) const = 0;
    virtual std::shared_ptr<const api::Cohort> find_cohort(std::string_view name) const = 0;
    /// Returns the LocalQueues of the namespace, by name.
    virtual std::vector<std::shared_ptr<const api::LocalQueue>> local_queues_of(std::string_view ns
    ) const = 0;
    /// Returns all WorkloadPriorityClasses, by name.
    virtual std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> priority_classes(
    ) const = 0;
};

}  // namespace sluice::insight
