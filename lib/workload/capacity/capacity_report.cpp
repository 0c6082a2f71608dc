#include "workload/capacity/capacity_report.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "engine/types/topology_objects.hpp"
#include "workload/capacity/capacity_rule.hpp"
#include "workload/capacity/flavor_choices.hpp"
#include "workload/capacity/flavor_nodes.hpp"
#include "workload/capacity/placed_pods.hpp"
#include "workload/capacity/pod_packing.hpp"
#include "workload/capacity/queue_quotas.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/pods/node_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::workload {
namespace {

using engine::Amount;

std::string full_name(const api::Workload& workload) {
    return workload.metadata.namespace_ + "/" + workload.metadata.name;
}

bool holds_quota(const api::Workload& workload) {
    return workload.status.admission &&
           api::is_true(workload.status.conditions, api::condition::kQuotaReserved);
}

std::vector<const NodeRoom*> read_only(const std::vector<NodeRoom*>& rooms) {
    return {rooms.begin(), rooms.end()};
}

class ReportMaker {
  public:
    explicit ReportMaker(const CapacityInput& input)
        : input_(input),
          nodes_(input.nodes, input.flavors, input.topologies),
          pods_(input.pods, nodes_),
          quotas_(sum_quotas(input.cluster_queues, input.cohorts)) {
        for (const auto* queue : input.cluster_queues) {
            queues_[queue->metadata.name] = queue;
        }
        for (const auto* queue : input.local_queues) {
            local_queues_[queue->metadata.namespace_ + "/" + queue->metadata.name] =
                queue->spec.cluster_queue;
        }
    }

    CapacityReport make() {
        // Pods that wait for one host come before those that any node does for.
        for (const bool is_assigned : {true, false}) {
            for (const auto* workload : input_.workloads) {
                const auto& admission = workload->status.admission;
                if (admission && holds_quota(*workload) && !is_finished(*workload)) {
                    take_admitted(*workload, *admission, is_assigned);
                }
            }
        }
        for (const auto* workload : input_.workloads) {
            if (!holds_quota(*workload) && !is_finished(*workload) &&
                workload->spec.active.value_or(true)) {
                try_pending(*workload);
            }
        }
        add_flavors();
        add_excesses();
        report_.faults = nodes_.faults();
        for (const auto* flavor : input_.flavors) {
            if (const auto rule = read_capacity_rule(*flavor); !rule) {
                report_.faults.push_back(
                    fmt::format("ResourceFlavor {}: {}", flavor->metadata.name, rule.error().detail)
                );
            }
        }
        return std::move(report_);
    }

  private:
    static bool is_finished(const api::Workload& workload) {
        return api::is_true(workload.status.conditions, api::condition::kFinished);
    }

    static std::int64_t reclaimable(const api::Workload& workload, const std::string& pod_set) {
        std::int64_t pods = 0;
        for (const auto& each : workload.status.reclaimable_pods) {
            pods += each.name == pod_set ? each.count : 0;
        }
        return pods;
    }

    /// Takes the podSets with a topology, or those without.
    void take_admitted(
        const api::Workload& workload, const api::Admission& admission, bool is_assigned
    ) {
        const auto& assignments = admission.pod_set_assignments;
        // The pods of an evicted workload are ending: those that have no node get none.
        const bool is_ending = api::is_true(workload.status.conditions, api::condition::kEvicted);
        for (std::size_t i = 0; i < std::min(assignments.size(), workload.spec.pod_sets.size());
             ++i) {
            const api::PodSet& pod_set = workload.spec.pod_sets[i];
            if (assignments[i].topology_assignment.has_value() != is_assigned) {
                continue;
            }
            add_usage(assignments[i], pod_set.count, reclaimable(workload, pod_set.name));
            if (!is_ending) {
                place_admitted(workload, admission.cluster_queue, pod_set, assignments[i]);
            }
        }
    }

    /// Adds the quota that a podSet holds, without that of pods that need none any more.
    void add_usage(const api::PodSetAssignment& assignment, std::int64_t count, std::int64_t over) {
        const std::int64_t pods = std::max<std::int64_t>(1, assignment.count.value_or(count));
        const std::int64_t left = std::clamp<std::int64_t>(std::min(pods, count) - over, 0, pods);
        for (const auto& [resource, quantity] : assignment.resource_usage) {
            if (const auto flavor = assignment.flavors.find(resource);
                flavor != assignment.flavors.end()) {
                const Amount one{request_amount(resource, quantity).value() / pods};
                used_[{flavor->second, resource}] +=
                    left == pods ? request_amount(resource, quantity) : one * left;
            }
        }
    }

    /// Takes room for the admitted pods that have no node yet.
    void place_admitted(
        const api::Workload& workload,
        const std::string& cluster_queue,
        const api::PodSet& pod_set,
        const api::PodSetAssignment& assignment
    ) {
        const Amounts request = node_amounts(pod_set.template_->spec);
        std::int64_t left =
            admitted_pods(pod_set, assignment) - reclaimable(workload, pod_set.name);
        auto placed = pods_.take(workload, pod_set.name, request, left);
        for (const auto& [node, pods] : placed) {
            left -= pods;
        }
        if (assignment.topology_assignment) {
            left -= place_assigned(*assignment.topology_assignment, request, left, placed);
        }
        const auto rooms = nodes_.accepting(
            flavors_of_assignment(assignment), created_shape(pod_set.template_->spec, request)
        );
        const std::int64_t found = count_placed(place_pods(rooms, request, left));
        if (found < left) {
            report_.unplaceable.push_back({
                .workload = full_name(workload),
                .cluster_queue = cluster_queue,
                .pod_set = pod_set.name,
                .is_admitted = true,
                .pods = admitted_pods(pod_set, assignment),
                .request = request,
                .fit = admitted_pods(pod_set, assignment) - (left - found),
                .could = count_fitting_if_empty(rooms, request, pod_set.count),
            });
        }
    }

    /// Takes room on the hosts that a topology assigns, for the pods that are not there yet.
    /// Returns how many those are.
    std::int64_t place_assigned(
        const api::TopologyAssignment& topology,
        const Amounts& request,
        std::int64_t left,
        std::map<std::string, std::int64_t>& placed
    ) {
        const auto assignment = api::decode(topology);
        std::int64_t taken = 0;
        if (assignment.levels.empty() || assignment.levels.back() != engine::kHostnameLevel) {
            return 0;
        }
        for (const auto& domain : assignment.domains) {
            NodeRoom* room = nodes_.find_host(domain.values.back());
            if (room == nullptr) {
                continue;
            }
            const std::int64_t there = placed[room->node->metadata.name];
            const std::int64_t missing = std::min(domain.count - there, left - taken);
            if (missing > 0) {
                add_amounts(room->ours, request, missing);
                taken += missing;
            }
        }
        return taken;
    }

    const api::ClusterQueue* queue_of(const api::Workload& workload) const {
        const auto local =
            local_queues_.find(workload.metadata.namespace_ + "/" + workload.spec.queue_name);
        if (local == local_queues_.end()) {
            return nullptr;
        }
        const auto queue = queues_.find(local->second);
        return queue == queues_.end() ? nullptr : queue->second;
    }

    /// Reports the podSets of a pending workload that no choice of flavors has room for now.
    void try_pending(const api::Workload& workload) {
        const auto* queue = queue_of(workload);
        if (queue == nullptr) {
            return;
        }
        // The podSets are placed one after the other, and then taken away again.
        std::vector<std::pair<PodsOnNode, Amounts>> placed;
        for (const auto& pod_set : workload.spec.pod_sets) {
            const Amounts request = node_amounts(pod_set.template_->spec);
            const PodShape shape = created_shape(pod_set.template_->spec, request);
            const std::int64_t wanted = pod_set.min_count.value_or(pod_set.count);
            std::int64_t fit = -1;
            std::int64_t could = 0;
            std::vector<NodeRoom*> best;
            for (const auto& flavors : flavor_choices(*queue, request)) {
                auto rooms = nodes_.accepting(flavors, shape);
                could = std::max(could, count_fitting_if_empty(rooms, request, wanted));
                if (const auto room = count_fitting(read_only(rooms), request, wanted);
                    room > fit) {
                    fit = room;
                    best = std::move(rooms);
                }
            }
            for (const PodsOnNode& each : place_pods(best, request, fit)) {
                placed.emplace_back(each, request);
            }
            if (fit < wanted) {
                report_.unplaceable.push_back({
                    .workload = full_name(workload),
                    .cluster_queue = queue->metadata.name,
                    .pod_set = pod_set.name,
                    .is_admitted = false,
                    .pods = wanted,
                    .request = request,
                    .fit = std::max<std::int64_t>(0, fit),
                    .could = could,
                });
            }
        }
        for (const auto& [each, request] : placed) {
            add_amounts(each.node->ours, request, -each.pods);
        }
    }

    void add_flavors() {
        FlavorAmounts total;
        for (const auto& quota : quotas_) {
            if (quota.is_root) {
                for (const auto& [pair, amount] : quota.nominal) {
                    total[pair] += amount;
                }
            }
        }
        for (const auto& [pair, amount] : total) {
            const auto nodes = nodes_.flavors().find(pair.first);
            if (nodes == nodes_.flavors().end()) {
                continue;
            }
            FlavorCapacity made = capacity_of(nodes->second, pair.second);
            made.quota = amount;
            made.used = used_.contains(pair) ? used_.at(pair) : Amount();
            const PoolAmounts& pool = pool_amounts(pair);
            made.pool_quota = amount;
            made.pool_can_give = pool.can_give;
            for (const std::string& name : nodes_.pool_of(pair.first)) {
                if (const auto other = total.find({name, pair.second});
                    name != pair.first && other != total.end()) {
                    made.shares_with.push_back(name);
                    made.pool_quota += other->second;
                }
            }
            report_.flavors.push_back(std::move(made));
        }
    }

    struct PoolAmounts {
        Amount can_give;         ///< by the nodes of all flavors of the pool, each once
        bool is_listed = false;  ///< a node of the pool has the resource, or some node had it
    };

    const PoolAmounts& pool_amounts(const std::pair<std::string, std::string>& pair) {
        const auto& pool = nodes_.pool_of(pair.first);
        const auto [at, is_new] = pools_.try_emplace({pool.front(), pair.second});
        if (is_new) {
            at->second.is_listed = input_.known_resources.contains(pair.second);
            std::set<const NodeRoom*> seen;
            for (const std::string& name : pool) {
                const FlavorNodes& nodes = nodes_.flavors().at(name);
                for (const NodeRoom* room : nodes.usable) {
                    if (seen.insert(room).second) {
                        at->second.can_give += room->given(pair.second);
                        at->second.is_listed |= room->allocatable.contains(pair.second);
                    }
                }
                for (const UnusableNode& unusable : nodes.unusable) {
                    at->second.is_listed |= unusable.room->allocatable.contains(pair.second);
                }
            }
        }
        return at->second;
    }

    FlavorCapacity capacity_of(const FlavorNodes& nodes, const std::string& resource) const {
        FlavorCapacity made{
            .flavor = nodes.flavor->metadata.name, .resource = resource, .may_come = nodes.may_come
        };
        for (const NodeRoom* room : nodes.usable) {
            const Amount free = max(Amount(), room->free(resource));
            made.usable += amount_of(room->allocatable, resource);
            made.foreign += amount_of(room->foreign, resource);
            made.can_give += room->given(resource);
            made.free += free;
            made.largest_free = max(made.largest_free, free);
            if (!room->is_whole(resource)) {
                made.fragmented += free;
            }
        }
        made.nodes = made.usable;
        for (const UnusableNode& unusable : nodes.unusable) {
            const Amount amount = amount_of(unusable.room->allocatable, resource);
            made.nodes += amount;
            if (amount > Amount()) {
                made.losses.push_back({
                    .amount = amount,
                    .node = unusable.room->node->metadata.name,
                    .reason = unusable.reason,
                });
            }
        }
        if (input_.counts_gangs) {
            add_gangs(nodes, made);
        }
        return made;
    }

    std::int64_t gang_pods(const NodeRoom& room, const std::string& resource) const {
        if (!input_.gang_pod) {
            return room.is_whole(resource) ? 1 : 0;
        }
        Amounts request = *input_.gang_pod;
        request.try_emplace("pods", Amount(1));
        return room.fitting(request);
    }

    void add_gangs(const FlavorNodes& nodes, FlavorCapacity& made) const {
        for (std::size_t depth = 0; depth <= nodes.levels.size(); ++depth) {
            const std::vector<std::string> levels(
                nodes.levels.begin(), nodes.levels.begin() + static_cast<std::ptrdiff_t>(depth)
            );
            if (!levels.empty() && levels.back() == engine::kHostnameLevel && !input_.gang_pod) {
                break;  // one whole-node pod, or none
            }
            std::map<std::string, std::int64_t> domains;
            for (const NodeRoom* room : nodes.usable) {
                if (const auto path = place_of(*room->node, *nodes.flavor, levels)) {
                    domains[fmt::format("{}", fmt::join(*path, "/"))] +=
                        gang_pods(*room, made.resource);
                }
            }
            const auto largest = std::ranges::max_element(domains, {}, [](const auto& entry) {
                return entry.second;
            });
            made.gangs.push_back({
                .level = levels.empty() ? "" : levels.back(),
                .domain = largest == domains.end() ? "" : largest->first,
                .pods = largest == domains.end() ? 0 : largest->second,
            });
        }
    }

    /// Compares the quota that a queue has in each flavor with its nodes, and then that in all
    /// flavors of the same nodes, none of which exceeds its nodes alone.
    void add_excesses() {
        FlavorAmounts can_give;
        for (const auto& entry : report_.flavors) {
            can_give[{entry.flavor, entry.resource}] = entry.can_give;
        }
        for (const auto& quota : quotas_) {
            std::map<std::pair<std::string, std::string>, QuotaExcess> sums;  // by pool, resource
            for (const auto& [pair, amount] : quota.nominal) {
                const auto own = can_give.find(pair);
                if (own == can_give.end() || !pool_amounts(pair).is_listed) {
                    continue;
                }
                QuotaExcess alone{
                    .is_cohort = quota.is_cohort,
                    .name = quota.name,
                    .flavor = pair.first,
                    .resource = pair.second,
                    .quota = amount,
                    .usable = own->second
                };
                if (amount > own->second) {
                    report_.excesses.push_back(std::move(alone));
                    continue;
                }
                const auto [sum, is_new] = sums.try_emplace(
                    {nodes_.pool_of(pair.first).front(), pair.second}, std::move(alone)
                );
                if (!is_new) {
                    sum->second.flavor += ", " + pair.first;
                    sum->second.quota += amount;
                }
                sum->second.usable = pool_amounts(pair).can_give;
            }
            for (const auto& [pool, sum] : sums) {
                if (sum.quota > sum.usable) {
                    report_.excesses.push_back(sum);
                }
            }
        }
    }

    const CapacityInput& input_;
    ClusterNodes nodes_;
    PlacedPods pods_;
    std::vector<QueueQuota> quotas_;
    std::map<std::string, const api::ClusterQueue*> queues_;
    std::map<std::string, std::string> local_queues_;  // by namespace/name
    FlavorAmounts used_;
    std::map<std::pair<std::string, std::string>, PoolAmounts> pools_;
    CapacityReport report_;
};

}  // namespace

CapacityReport make_capacity_report(const CapacityInput& input) {
    return ReportMaker(input).make();
}

}  // namespace sluice::workload
