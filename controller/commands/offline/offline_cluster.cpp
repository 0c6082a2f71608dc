#include "controller/commands/offline/offline_cluster.hpp"

#include "insight/explain.hpp"
#include "insight/situation.hpp"
#include "workload/status/pending_order.hpp"

#include <algorithm>
#include <utility>

namespace sluice::commands {
namespace {

std::string join_key(std::string_view ns, std::string_view name) {
    return std::string(ns).append(1, '/').append(name);
}

/// Refers to an object that outlives the pointer.
template <class T>
std::shared_ptr<const T> borrow(const T& object) {
    return {std::shared_ptr<const T>(), &object};
}

std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> take_classes(ScheduleCluster& cluster
) {
    std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> made;
    for (auto& given : cluster.priority_classes) {
        made.push_back(std::make_shared<const api::WorkloadPriorityClass>(std::move(given)));
    }
    std::ranges::sort(made, {}, [](const auto& given) -> const std::string& {
        return given->metadata.name;
    });
    return made;
}

std::map<std::string, std::shared_ptr<const api::Cohort>, std::less<>> copy_cohorts(
    const ScheduleCluster& cluster
) {
    std::map<std::string, std::shared_ptr<const api::Cohort>, std::less<>> made;
    for (const auto& cohort : cluster.cohorts) {
        made.emplace(cohort.metadata.name, std::make_shared<const api::Cohort>(cohort));
    }
    return made;
}

}  // namespace

/// The order of the pending workloads, in a fork: an order records the changes of its state.
class OfflineCluster::Order {
  public:
    explicit Order(const engine::State& state) : state_(state.fork()), order_(state_) {}

    std::optional<workload::PlaceInQueues> find(engine::WorkloadIndex workload) {
        return order_.find(workload);
    }

  private:
    engine::State state_;
    workload::PendingOrder order_;
};

OfflineCluster::OfflineCluster(
    ScheduleCluster cluster, ScheduleConfiguration configuration, Time now
)
    : priority_classes_(take_classes(cluster)),
      cohorts_(copy_cohorts(cluster)),
      world_(
          std::move(cluster),
          std::move(configuration.settings),
          std::move(configuration.options),
          now
      ),
      order_(std::make_unique<Order>(world_.state())) {}

OfflineCluster::~OfflineCluster() = default;

insight::Surroundings OfflineCluster::surroundings() const {
    return {
        .state = world_.state(),
        .translator = world_.translator(),
        .objects = *this,
        .find_place = [this](engine::WorkloadIndex workload) { return order_->find(workload); },
        .now = world_.now(),
    };
}

std::optional<api::Explanation> OfflineCluster::explain(std::string_view ns, std::string_view name)
    const {
    auto situation = insight::take_situation(surroundings(), ns, name);
    if (!situation) {
        return std::nullopt;
    }
    return insight::Draft(*std::move(situation)).finish([](std::string_view) { return true; });
}

std::vector<api::Explanation> OfflineCluster::explain_all(std::string_view ns) const {
    std::vector<api::Explanation> made;
    for (auto& situation :
         insight::take_situations(surroundings(), ns, "", world_.workloads().size())) {
        made.push_back(insight::Draft(std::move(situation)).finish([](std::string_view) {
            return true;
        }));
    }
    return made;
}

std::vector<std::shared_ptr<const api::Workload>> OfflineCluster::list_workloads(
    std::string_view ns, std::string_view after, std::size_t limit
) const {
    std::vector<std::shared_ptr<const api::Workload>> made;
    for (const auto& workload : world_.workloads()) {
        const auto& metadata = workload.metadata;
        if ((ns.empty() || metadata.namespace_ == ns) &&
            join_key(metadata.namespace_, metadata.name) > after) {
            made.push_back(borrow(workload));
        }
    }
    std::ranges::sort(made, {}, [](const auto& workload) {
        return std::pair(workload->metadata.namespace_, workload->metadata.name);
    });
    made.resize(std::min(made.size(), limit));
    return made;
}

std::shared_ptr<const api::Workload> OfflineCluster::find_workload(
    std::string_view ns, std::string_view name
) const {
    const auto at = world_.places().find(join_key(ns, name));
    return at == world_.places().end() ? nullptr : borrow(world_.workloads()[at->second]);
}

std::shared_ptr<const api::LocalQueue> OfflineCluster::find_local_queue(
    std::string_view ns, std::string_view name
) const {
    const auto at = world_.local_queues().find(join_key(ns, name));
    return at == world_.local_queues().end() ? nullptr : borrow(at->second);
}

std::shared_ptr<const api::ClusterQueue> OfflineCluster::find_cluster_queue(std::string_view name
) const {
    const auto* found = world_.find_queue(std::string(name));
    return found == nullptr ? nullptr : borrow(*found);
}

std::shared_ptr<const api::Cohort> OfflineCluster::find_cohort(std::string_view name) const {
    const auto at = cohorts_.find(name);
    return at == cohorts_.end() ? nullptr : at->second;
}

std::vector<std::shared_ptr<const api::LocalQueue>> OfflineCluster::local_queues_of(
    std::string_view ns
) const {
    std::vector<std::shared_ptr<const api::LocalQueue>> made;
    for (const auto& [key, queue] : world_.local_queues()) {
        if (queue.metadata.namespace_ == ns) {
            made.push_back(borrow(queue));
        }
    }
    std::ranges::sort(made, {}, [](const auto& queue) -> const std::string& {
        return queue->metadata.name;
    });
    return made;
}

std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> OfflineCluster::priority_classes(
) const {
    return priority_classes_;
}

}  // namespace sluice::commands
