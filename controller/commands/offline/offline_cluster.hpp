// A cluster read from files or through its API server, on which questions are answered.
#pragma once

#include "api/insight/explanation.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"
#include "controller/commands/schedule/schedule_configuration.hpp"
#include "controller/commands/schedule/schedule_world.hpp"
#include "insight/object_source.hpp"
#include "insight/situation.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

/// The objects of a cluster at one moment, and the engine that sees them. It answers as the
/// controller would.
class OfflineCluster final : public insight::ObjectSource {
  public:
    OfflineCluster(ScheduleCluster cluster, ScheduleConfiguration configuration, Time now);
    ~OfflineCluster() override;

    /// Explains the workload; nullopt if it does not exist.
    std::optional<api::Explanation> explain(std::string_view ns, std::string_view name) const;

    /// Explains all Workloads of the namespace, of all if it is empty, by "namespace/name"; each
    /// without levels, constraints and remedies.
    std::vector<api::Explanation> explain_all(std::string_view ns) const;

    const ScheduleWorld& world() const { return world_; }

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

    /// Returns the state and the objects, for questions. *Lifetime*: that of this object.
    insight::Surroundings surroundings() const;

  private:
    class Order;

    std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> priority_classes_;
    std::map<std::string, std::shared_ptr<const api::Cohort>, std::less<>> cohorts_;
    ScheduleWorld world_;
    std::unique_ptr<Order> order_;
};

}  // namespace sluice::commands
