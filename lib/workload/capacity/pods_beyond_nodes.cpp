#include "workload/capacity/pods_beyond_nodes.hpp"

#include "api/kueue/conditions.hpp"
#include "workload/capacity/flavor_choices.hpp"
#include "workload/capacity/flavor_nodes.hpp"
#include "workload/capacity/placed_pods.hpp"
#include "workload/capacity/pod_packing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace sluice::workload {
namespace {

/// Nodes that are looked at for all classes together: about a fifth of a second.
constexpr std::size_t kNodesLookedAt = 200'000;

class Search {
  public:
    explicit Search(const CapacityInput& input)
        : input_(input),
          nodes_(input.nodes, input.flavors, input.topologies),
          pods_(input.pods, nodes_) {
        for (const auto* queue : input.cluster_queues) {
            queues_[queue->metadata.name] = queue;
        }
        for (const auto* queue : input.local_queues) {
            local_queues_[queue->metadata.namespace_ + "/" + queue->metadata.name] =
                queue->spec.cluster_queue;
        }
    }

    std::vector<UnplaceablePods> run() {
        for (const auto* workload : input_.workloads) {
            const auto& conditions = workload->status.conditions;
            const auto& admission = workload->status.admission;
            if (api::is_true(conditions, api::condition::kFinished) ||
                !workload->spec.active.value_or(true)) {
                continue;
            }
            if (admission && api::is_true(conditions, api::condition::kQuotaReserved)) {
                if (!queues_.contains(admission->cluster_queue)) {
                    continue;
                }
                look_at_admitted(*workload, *admission);
            } else {
                look_at_pending(*workload);
            }
        }
        return std::move(found_);
    }

  private:
    /// The requests and the shape of the pods of a template.
    struct Pods {
        Amounts request;
        PodShape shape;
        std::string key;
    };

    const Pods& pods_of(const api::PodSet& pod_set) {
        const auto [at, is_new] = templates_.try_emplace(pod_set.template_.pointer().get());
        if (is_new) {
            Pods& made = at->second;
            made.request = node_amounts(pod_set.template_->spec);
            std::erase_if(made.request, [this](const auto& request) {
                return !input_.known_resources.contains(request.first);
            });
            made.shape = created_shape(pod_set.template_->spec, made.request);
            made.key = to_key(made.shape);
            for (const auto& [resource, amount] : made.request) {
                made.key += fmt::format(" {}={}", resource, amount.value());
            }
        }
        return at->second;
    }

    static UnplaceablePods asked(
        const api::Workload& workload,
        const std::string& cluster_queue,
        const api::PodSet& pod_set,
        std::int64_t count,
        bool is_admitted
    ) {
        return {
            .workload = workload.metadata.namespace_ + "/" + workload.metadata.name,
            .cluster_queue = cluster_queue,
            .pod_set = pod_set.name,
            .is_admitted = is_admitted,
            .pods = count,
            .request = {},
        };
    }

    void look_at_admitted(const api::Workload& workload, const api::Admission& admission) {
        const auto& assignments = admission.pod_set_assignments;
        const std::size_t pod_sets = std::min(assignments.size(), workload.spec.pod_sets.size());
        for (std::size_t i = 0; i < pod_sets; ++i) {
            const api::PodSet& pod_set = workload.spec.pod_sets[i];
            const std::int64_t count = admitted_pods(pod_set, assignments[i]);
            const Pods& pods = pods_of(pod_set);
            const auto flavors = flavors_of_assignment(assignments[i]);
            const std::string key = fmt::format("{} of {}", fmt::join(flavors, ","), count);
            take(asked(workload, admission.cluster_queue, pod_set, count, true), pods, key, [&] {
                return could_fit(pods, {flavors}, count);
            });
        }
    }

    void look_at_pending(const api::Workload& workload) {
        const auto local =
            local_queues_.find(workload.metadata.namespace_ + "/" + workload.spec.queue_name);
        const auto queue =
            local == local_queues_.end() ? queues_.end() : queues_.find(local->second);
        if (queue == queues_.end()) {
            return;
        }
        for (const api::PodSet& pod_set : workload.spec.pod_sets) {
            const std::int64_t count = pod_set.min_count.value_or(pod_set.count);
            const Pods& pods = pods_of(pod_set);
            const std::string key = fmt::format("{}: {}", queue->first, count);
            take(asked(workload, queue->first, pod_set, count, false), pods, key, [&] {
                return could_fit(pods, flavor_choices(*queue->second, pods.request), count);
            });
        }
    }

    /// Returns how many pods fit with the best of the choices.
    std::int64_t could_fit(
        const Pods& pods, const std::vector<std::vector<std::string>>& choices, std::int64_t count
    ) {
        std::int64_t most = 0;
        for (const auto& flavors : choices) {
            if (most >= count) {
                break;
            }
            for (const std::string& flavor : flavors) {
                const auto at = nodes_.flavors().find(flavor);
                looked_at_ += at == nodes_.flavors().end() ? 0 : at->second.usable.size();
            }
            const auto rooms = nodes_.accepting(flavors, pods.shape);
            most = std::max(most, count_fitting_if_empty(rooms, pods.request, count));
        }
        return most;
    }

    /// Takes the podSet if not all its pods fit. `could` counts those that do, once for a class.
    template <class Count>
    void take(UnplaceablePods asked, const Pods& pods, std::string key, const Count& could) {
        key += " " + pods.key;
        auto known = classes_.find(key);
        if (known == classes_.end()) {
            if (looked_at_ >= kNodesLookedAt) {
                return;
            }
            known = classes_.emplace(std::move(key), could()).first;
        }
        if (known->second < asked.pods) {
            asked.request = pods.request;
            asked.fit = known->second;
            asked.could = known->second;
            found_.push_back(std::move(asked));
        }
    }

    const CapacityInput& input_;
    ClusterNodes nodes_;
    PlacedPods pods_;  // it takes the requests of pods from their nodes
    std::map<std::string, const api::ClusterQueue*> queues_;
    std::map<std::string, std::string> local_queues_;
    std::map<const api::PodTemplateSpec*, Pods> templates_;
    std::map<std::string, std::int64_t> classes_;  // pods that fit, by class
    std::size_t looked_at_ = 0;
    std::vector<UnplaceablePods> found_;
};

}  // namespace

std::vector<UnplaceablePods> find_pods_beyond_nodes(const CapacityInput& input) {
    return Search(input).run();
}

}  // namespace sluice::workload
