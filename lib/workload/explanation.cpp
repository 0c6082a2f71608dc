#include "workload/explanation.hpp"

#include "engine/preemption.hpp"
#include "workload/amounts.hpp"
#include "workload/decision_view.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace sluice::workload {
namespace {

using engine::Amount;
using engine::FlavorRefusal;
using engine::FlavorResourceIndex;
using engine::NodeIndex;
using engine::RefusalKind;
using engine::State;

constexpr std::size_t kHoldersMax = 10;

std::string node_text(const State& state, NodeIndex node) {
    return (state.tree().node(node).is_cluster_queue ? "clusterQueue/" : "cohort/") +
           state.node_name(node);
}

/// Where a resource could come from: flavors of one group are alternatives, groups are all needed.
struct Source {
    std::size_t pod_set = 0;
    std::size_t group = 0;
    engine::FlavorIndex flavor;
    friend auto operator<=>(const Source&, const Source&) = default;
};

/// Obstacles with what decides how much they bind.
struct Ranked {
    Constraint constraint;
    Source source = {};
    bool is_final = false;   ///< nothing can help under today's policies
    bool is_choice = false;  ///< of the flavor that it would take
    double want = 0;         ///< the part of the need that is missing
};

/// How far a flavor is from serving: of its obstacles the worst.
struct Distance {
    bool is_final = false;
    bool is_other = true;  ///< not what it would take
    double want = 0;
    std::size_t found_at = 0;
    friend auto operator<=>(const Distance&, const Distance&) = default;
};

/// The most binding first; see explain().
void sort_by_binding(std::vector<Ranked>& all) {
    std::map<Source, Distance> sources;
    for (std::size_t i = 0; i < all.size(); ++i) {
        Distance& distance = sources.emplace(all[i].source, Distance{.found_at = i}).first->second;
        distance.is_final = distance.is_final || all[i].is_final;
        distance.is_other = distance.is_other && !all[i].is_choice;
        distance.want = std::max(distance.want, all[i].want);
    }
    std::map<std::pair<std::size_t, std::size_t>, Source> nearest;
    for (const auto& [source, distance] : sources) {
        const auto [at, is_new] = nearest.emplace(std::pair(source.pod_set, source.group), source);
        if (!is_new && distance < sources.at(at->second)) {
            at->second = source;
        }
    }
    const auto rank = [&](const Ranked& ranked) {
        const Source& source = ranked.source;
        const bool binds = nearest.at(std::pair(source.pod_set, source.group)) == source;
        const Distance& distance = sources.at(source);
        // Of what binds the worst group first, of other flavors the nearest.
        return binds ? std::tuple(0, !distance.is_final, -distance.want, distance.found_at)
                     : std::tuple(1, distance.is_final, distance.want, distance.found_at);
    };
    std::ranges::stable_sort(all, [&](const Ranked& a, const Ranked& b) {
        const auto rank_a = std::tuple_cat(rank(a), std::tuple(!a.is_final, -a.want));
        const auto rank_b = std::tuple_cat(rank(b), std::tuple(!b.is_final, -b.want));
        return rank_a < rank_b;
    });
}

/// The nodes and limits that keep a ClusterQueue from ever having more of it.
struct Ceiling {
    NodeIndex node;
    bool is_borrowing_limit = false;
    Amount kept_back;  ///< by lending limits of others
    NodeIndex keeper;  ///< of most of that
    Amount most_kept;
};

class Explainer {
  public:
    Explainer(const State& state, const engine::CycleResult& result, std::size_t refused)
        : state_(state),
          refusal_(result.refused[refused]),
          asking_(state.workload(refusal_.workload)),
          queue_(state.cluster_queue(refusal_.cluster_queue)),
          view_(
              state,
              result,
              refused,
              refusal_.shortages.empty() ? DecisionView::Of::PodSets : DecisionView::Of::Shortages
          ) {}

    std::vector<Constraint> run() {
        if (refusal_.kind != RefusalKind::WaitingForPodsReady) {
            find();
        }
        if (ranked_.empty()) {
            return {without_numbers()};
        }
        sort_by_binding(ranked_);
        std::vector<Constraint> made;
        made.reserve(ranked_.size() + 1);
        if (refusal_.kind == RefusalKind::PreemptionGated) {
            made.push_back(ranked_.front().constraint);
            made.front().kind = "gate";
            made.front().remedies = {"wait"};
        }
        for (auto& ranked : ranked_) {
            made.push_back(std::move(ranked.constraint));
        }
        return made;
    }

  private:
    void find() {
        for (const auto& shortage : refusal_.shortages) {
            Constraint made{.pod_set = only_pod_set_with(shortage.resource)};
            add(shortage, std::move(made), asking_.pod_sets.size());
        }
        if (!refusal_.shortages.empty()) {
            return;
        }
        for (const auto& pod_set : refusal_.pod_sets) {
            for (const auto& found : pod_set.flavors) {
                Constraint made{.pod_set = asking_.pod_sets[pod_set.pod_set].name};
                add(found, std::move(made), pod_set.pod_set);
            }
        }
    }

    /// Shortages are of all podSets together.
    std::string only_pod_set_with(engine::ResourceIndex resource) const {
        std::string name;
        std::size_t count = 0;
        for (const auto& pod_set : asking_.pod_sets) {
            const bool asks = resource == state_.pods_resource() ||
                              std::ranges::any_of(pod_set.requests, [&](const auto& request) {
                                  return request.resource == resource;
                              });
            if (asks) {
                ++count;
                name = pod_set.name;
            }
        }
        return count == 1 ? name : "";
    }

    Source source_of(const FlavorRefusal& refusal, std::size_t pod_set) const {
        const auto& groups = queue_.groups;
        const auto at = std::ranges::find_if(groups, [&](const engine::ResolvedGroup& group) {
            return refusal.resource.is_valid()
                       ? std::ranges::find(group.resources, refusal.resource) !=
                             group.resources.end()
                       : std::ranges::find(group.flavors, refusal.flavor) != group.flavors.end();
        });
        return {
            .pod_set = pod_set,
            .group = static_cast<std::size_t>(at - groups.begin()),
            .flavor = refusal.flavor,
        };
    }

    void add(const FlavorRefusal& refusal, Constraint made, std::size_t pod_set) {
        made.resource = refusal.resource.is_valid() ? state_.resource_name(refusal.resource) : "";
        made.flavor = refusal.flavor.is_valid() ? state_.flavor_name(refusal.flavor) : "";
        const Source source = source_of(refusal, pod_set);
        using enum FlavorRefusal::Kind;
        switch (refusal.kind) {
            case ResourceUnavailable:
                made.kind = "undeclaredResource";
                made.node = node_text(state_, refusal_.cluster_queue);
                break;
            case FlavorNotFound:
                made.kind = "inactive";
                break;
            case UntoleratedTaint:
                made.kind = "taint";
                break;
            case NodeAffinity:
            case InvalidAffinity:
                made.kind = "affinity";
                break;
            case NotOfReplacedSlice:
                made.kind = "replacedSlice";
                break;
            case TopologyUnsupported:
            case TopologyOnly:
            case TopologyMissing:
            case TopologyLevelMissing:
            case NoTopologyInQueue:
            case NoTopologyFlavor:
            case TwoTopologyFlavors:
                made.kind = "topology";
                break;
            case NotNominated:
                return;  // says nothing about the cluster
            case InsufficientUnused:
                add_shortage(refusal, std::move(made), source);
                return;
            case ExceedsCapacity:
                add_excess(refusal, std::move(made), source);
                return;
        }
        ranked_.push_back(
            {.constraint = std::move(made), .source = source, .is_final = true, .want = 1}
        );
    }

    void set_amounts(const FlavorRefusal& refusal, FlavorResourceIndex pair, Constraint& made) {
        const auto quantity = [&](Amount amount) {
            return to_quantity(made.resource, amount).to_string();
        };
        made.needed = quantity(refusal.wanted());
        made.free = quantity(refusal.free);
        made.limit = quantity(refusal.capacity);
        made.nominal = quantity(state_.tree().cell(refusal_.cluster_queue, pair).nominal);
        made.borrowed = quantity(state_.borrowed(refusal_.cluster_queue, pair));
    }

    static double part_of(Amount missing, Amount wanted) {
        return static_cast<double>(missing.value()) /
               static_cast<double>(std::max<std::int64_t>(1, wanted.value()));
    }

    /// More than can ever be had.
    void add_excess(const FlavorRefusal& refusal, Constraint made, const Source& source) {
        const auto pair = state_.flavor_resource_of(refusal.flavor, refusal.resource);
        set_amounts(refusal, pair, made);
        const Ceiling ceiling = find_ceiling(pair);
        const Amount missing = refusal.wanted() - refusal.capacity;
        const bool is_kept_back = !ceiling.is_borrowing_limit && ceiling.kept_back >= missing;
        made.kind = ceiling.is_borrowing_limit ? "borrowingLimit"
                    : is_kept_back             ? "lendingLimit"
                                               : "quota";
        made.node = node_text(state_, is_kept_back ? ceiling.keeper : ceiling.node);
        ranked_.push_back(
            {.constraint = std::move(made),
             .source = source,
             .is_final = true,
             .want = part_of(missing, refusal.wanted())}
        );
    }

    Ceiling find_ceiling(FlavorResourceIndex pair) const {
        const auto& tree = state_.tree();
        Ceiling found{.node = refusal_.cluster_queue};
        while (tree.node(found.node).parent.is_valid()) {
            const auto cell = tree.cell(found.node, pair);
            const NodeIndex parent = tree.node(found.node).parent;
            if (cell.borrowing_limit && cell.subtree + *cell.borrowing_limit <
                                            cell.local() + tree.potential_available(parent, pair)) {
                found.is_borrowing_limit = true;
                return found;
            }
            for (const NodeIndex sibling : tree.node(parent).children) {
                if (sibling != found.node) {
                    add_kept_back(sibling, pair, found);
                }
            }
            found.node = parent;
        }
        return found;
    }

    void add_kept_back(NodeIndex node, FlavorResourceIndex pair, Ceiling& found) const {
        const Amount local = state_.tree().cell(node, pair).local();
        found.kept_back += local;
        if (local > found.most_kept) {
            found.most_kept = local;
            found.keeper = node;
        }
        for (const NodeIndex child : state_.tree().node(node).children) {
            add_kept_back(child, pair, found);
        }
    }

    /// More than was free.
    void add_shortage(const FlavorRefusal& refusal, Constraint made, const Source& source) {
        const auto pair = state_.flavor_resource_of(refusal.flavor, refusal.resource);
        const Subtree subtree = view_.subtree(refusal.node, pair);
        set_amounts(refusal, pair, made);
        const bool is_kept_back =
            !refusal.at_borrowing_limit && subtree.kept_back >= refusal.needed;
        made.kind = refusal.at_borrowing_limit ? "borrowingLimit"
                    : is_kept_back             ? "lendingLimit"
                                               : "quota";
        made.node = node_text(state_, is_kept_back ? subtree.keeper : refusal.node);
        add_holders(subtree.holders, made);
        // A larger slice may come to grief over a quota that is gone: only its growth was measured.
        const bool is_final = refusal.wanted() > refusal.capacity;
        if (!is_final) {
            made.remedies = remedies(refusal, pair, subtree.holders);
        }
        const double want = part_of(refusal.needed, refusal.wanted());
        std::optional<Constraint> priority;
        if (refusal.is_spared_by_priority && !refusal.has_victims && !is_final) {
            priority = made;
            priority->kind = "priority";
            priority->remedies = {"wait"};
            priority->holders.clear();
            std::vector<Held> spared = subtree.holders;
            std::erase_if(spared, [&](const Held& held) {
                return held.is_reserved ||
                       state_.workload(held.workload).priority < asking_.priority;
            });
            add_holders(spared, *priority);
        }
        const bool is_choice = refusal.is_choice;
        ranked_.push_back({std::move(made), source, is_final, is_choice, want});
        if (priority) {  // the policies are there, the priority is not
            ranked_.push_back({std::move(*priority), source, false, is_choice, want});
        }
    }

    void add_holders(const std::vector<Held>& holders, Constraint& made) const {
        for (const auto& held : holders) {
            if (made.holders.size() == kHoldersMax) {
                return;
            }
            const auto& record = state_.workload(held.workload);
            made.holders.push_back(
                {.workload = record.key,
                 .amount = to_quantity(made.resource, held.amount).to_string(),
                 .priority = record.priority,
                 .evicted = record.holding != nullptr && record.holding->evicted,
                 .reserved = held.is_reserved}
            );
        }
    }

    bool is_gated() const {
        return state_.options().gates.preemption_gates && asking_.preemption_gated;
    }

    std::vector<std::string> remedies(
        const FlavorRefusal& refusal, FlavorResourceIndex pair, const std::vector<Held>& holders
    ) const {
        std::vector<std::string> made{"wait"};
        const bool is_pending = refusal_.kind == RefusalKind::PendingPreemption ||
                                refusal_.kind == RefusalKind::DeferredFit;
        if (is_pending && refusal.is_choice) {
            return made;  // what helps is under way
        }
        const auto cell = state_.tree().cell(refusal_.cluster_queue, pair);
        const Amount usage = view_.subtree(refusal_.cluster_queue, pair).usage + refusal.wanted();
        if (usage > cell.subtree && usage <= refusal.capacity) {
            made.emplace_back("borrow");
        }
        const bool may_preempt =
            refusal.has_victims || (refusal_.kind == RefusalKind::NoLongerFits &&
                                    has_victim(holders, pair, refusal.wanted()));
        if (may_preempt && !is_gated()) {
            made.emplace_back("preempt");
        }
        return made;
    }

    /// Whether the policies allow to evict somebody for it. Asked where the cycle looked for
    /// nobody, because it fitted at first.
    bool has_victim(const std::vector<Held>& holders, FlavorResourceIndex pair, Amount wanted)
        const {
        const auto& tree = state_.tree();
        const auto& policies = queue_.spec.preemption;
        const auto own = tree.cell(refusal_.cluster_queue, pair);
        const bool borrows = own.usage + wanted > own.nominal;
        const bool stays_in_subtree =
            tree.lowest_fit(refusal_.cluster_queue, pair, wanted).may_reclaim;
        return std::ranges::any_of(holders, [&](const Held& held) {
            if (held.is_reserved) {
                return false;
            }
            const auto& holder = state_.workload(held.workload);
            if (held.cluster_queue == refusal_.cluster_queue) {
                return engine::allows(policies.within_cluster_queue, asking_, holder);
            }
            const bool while_borrowing =
                state_.options().fair_sharing || stays_in_subtree ||
                (policies.borrow_within_cohort && holder.priority < asking_.priority &&
                 !(policies.max_priority_threshold &&
                   holder.priority > *policies.max_priority_threshold));
            return tree.is_borrowing_with(held.cluster_queue, pair, Amount()) &&
                   (!borrows || while_borrowing) &&
                   engine::allows(policies.reclaim_within_cohort, asking_, holder);
        });
    }

    Constraint without_numbers() const {
        Constraint made{.node = node_text(state_, refusal_.cluster_queue)};
        using enum RefusalKind;
        switch (refusal_.kind) {
            case FailedChecks:
                made.kind = "check";
                made.remedies = {"wait"};
                break;
            case ClusterQueueInactive:
            case ClusterQueueNotFound:
                made.kind = "inactive";
                break;
            case NamespaceMismatch:
            case NamespaceNotFound:
                made.kind = "namespace";
                break;
            case InvalidRequests:
                made.kind = "requests";
                break;
            case WaitingForPodsReady:
                made.kind = "gate";
                made.remedies = {"wait"};
                add_not_ready(made);
                break;
            case PreemptionGated:
            case DeferredFit:
            case NoLongerFits:
            case OverlappingTargets:
            case Assignment:
            case PendingPreemption:
                made.kind = "quota";
                made.remedies = {"wait"};
                break;
        }
        return made;
    }

    /// Those whose pods admission waits for.
    void add_not_ready(Constraint& made) const {
        for (const auto& [name, node] : state_.tree().cluster_queues_by_name()) {
            const auto& queue = state_.cluster_queue(node);
            for (const auto index : queue.holders) {
                const auto& record = state_.workload(index);
                if (queue.exists && !record.pods_ready) {
                    made.holders.push_back(
                        {.workload = record.key,
                         .amount = "",
                         .priority = record.priority,
                         .evicted = record.holding->evicted}
                    );
                }
            }
        }
        std::ranges::sort(made.holders, {}, &Holder::workload);
        made.holders.resize(std::min(made.holders.size(), kHoldersMax));
    }

    const State& state_;
    const engine::RefusalDecision& refusal_;
    const engine::WorkloadRecord& asking_;
    const engine::ClusterQueueRecord& queue_;
    DecisionView view_;
    std::vector<Ranked> ranked_;
};

}  // namespace

std::vector<Constraint> explain(
    const State& state, const engine::CycleResult& result, std::size_t refused
) {
    return Explainer(state, result, refused).run();
}

}  // namespace sluice::workload
