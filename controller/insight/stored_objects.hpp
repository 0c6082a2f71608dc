// The objects of the stores, for explanations.
#pragma once

#include "controller/reconcile/stores.hpp"
#include "insight/object_source.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// Finds the objects of the stores. Thread: that of the stores.
class StoredObjects final : public insight::ObjectSource {
  public:
    /// Lifetime: `stores` must outlive this object.
    explicit StoredObjects(const Stores& stores) : stores_(stores) {}

    std::shared_ptr<const api::Workload> find_workload(std::string_view ns, std::string_view name)
        const override;
    std::vector<std::shared_ptr<const api::Workload>> list_workloads(
        std::string_view ns, std::string_view after, std::size_t limit
    ) const override;
    std::shared_ptr<const api::LocalQueue> find_local_queue(
        std::string_view ns, std::string_view name
    ) const override;
    std::shared_ptr<const api::ClusterQueue> find_cluster_queue(std::string_view name
    ) const override;
    std::shared_ptr<const api::Cohort> find_cohort(std::string_view name) const override;
    std::vector<std::shared_ptr<const api::LocalQueue>> local_queues_of(std::string_view ns
    ) const override;
    std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> priority_classes(
    ) const override;

  private:
    const Stores& stores_;
};

}  // namespace sluice::controller
