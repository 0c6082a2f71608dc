#include "workload/explanation.hpp"

#include "workload/amounts.hpp"

#include <algorithm>
#include <optional>

namespace sluice::workload {
namespace {

using engine::Amount;
using engine::FlavorRefusal;
using engine::NodeIndex;
using engine::State;

constexpr std::size_t kHoldersMax = 10;

std::string node_text(const State& state, NodeIndex node) {
    return (state.tree().node(node).is_cluster_queue ? "clusterQueue/" : "cohort/") +
           state.node_name(node);
}

/// The node whose quota or limit leaves the ClusterQueue as little as it has.
struct Bottleneck {
    NodeIndex node;
    bool is_borrowing_limit = false;
};

/// Climbs as long as the parent, and not the node's own borrowing limit, decides what is left
/// (spec 4.2).
Bottleneck find_bottleneck(const State& state, NodeIndex node, engine::FlavorResourceIndex pair) {
    const auto& tree = state.tree();
    while (tree.node(node).parent.is_valid() && !tree.node(node).in_cycle) {
        const auto cell = tree.cell(node, pair);
        const NodeIndex parent = tree.node(node).parent;
        if (cell.borrowing_limit) {
            const Amount own =
                (cell.subtree - cell.local()) - max(Amount(), cell.usage - cell.local());
            if (own + *cell.borrowing_limit <= tree.available(parent, pair)) {
                return {.node = node, .is_borrowing_limit = true};
            }
        }
        node = parent;
    }
    return {.node = node, .is_borrowing_limit = false};
}

/// Whether some node of the tree keeps quota of that pair to itself.
bool is_quota_hidden(
    const State& state, NodeIndex node, NodeIndex asking, engine::FlavorResourceIndex pair
) {
    const auto& children = state.tree().node(node).children;
    return std::ranges::any_of(children, [&](NodeIndex child) {
        return (child != asking && state.tree().cell(child, pair).local() > Amount()) ||
               is_quota_hidden(state, child, asking, pair);
    });
}

std::vector<Holder> find_holders(
    const State& state,
    NodeIndex node,
    engine::FlavorResourceIndex pair,
    const std::string& resource
) {
    struct Found {
        Amount amount;
        engine::WorkloadIndex workload;
    };
    std::vector<Found> found;
    const auto add_from = [&](NodeIndex queue) {
        for (const auto index : state.cluster_queue(queue).holders) {
            const auto& holding = state.workload(index).holding;
            const Amount amount = holding ? engine::amount_of(holding->usages, pair) : Amount();
            if (amount > Amount()) {
                found.push_back({amount, index});
            }
        }
    };
    if (state.tree().node(node).is_cluster_queue) {
        add_from(node);
    } else {
        // Of the tree, those ClusterQueues that have this node above them.
        for (const NodeIndex queue : state.tree().cluster_queues_of(state.tree().node(node).root)) {
            NodeIndex above = queue;
            while (above.is_valid() && above != node) {
                above = state.tree().node(above).parent;
            }
            if (above == node) {
                add_from(queue);
            }
        }
    }
    std::ranges::sort(found, [&](const Found& a, const Found& b) {
        return a.amount != b.amount
                   ? a.amount > b.amount
                   : state.workload_key(a.workload) < state.workload_key(b.workload);
    });
    found.resize(std::min(found.size(), kHoldersMax));
    std::vector<Holder> holders;
    for (const auto& [amount, index] : found) {
        const auto& record = state.workload(index);
        holders.push_back({record.key, to_text(resource, amount), record.priority});
    }
    return holders;
}

/// Obstacles with the order in which they bind.
struct Ranked {
    Constraint constraint;
    bool is_final = false;  ///< nothing can help under today's policies
    double want = 0;        ///< the part of the need that is missing
};

class Explainer {
  public:
    Explainer(
        const State& state, const engine::RefusalDecision& refusal, const api::Workload& workload
    )
        : state_(state), refusal_(refusal), workload_(workload) {}

    std::vector<Constraint> run() {
        for (const auto& pod_set : refusal_.pod_sets) {
            const auto& all = workload_.spec.pod_sets;
            pod_set_ = pod_set.pod_set < all.size() ? all[pod_set.pod_set].name : "";
            for (const auto& flavor : pod_set.flavors) {
                add(flavor);
            }
        }
        if (ranked_.empty()) {
            add_without_flavors();
        }
        std::ranges::stable_sort(ranked_, [](const Ranked& a, const Ranked& b) {
            return a.is_final != b.is_final ? a.is_final : a.want > b.want;
        });
        std::vector<Constraint> made;
        for (auto& [constraint, is_final, want] : ranked_) {
            made.push_back(std::move(constraint));
        }
        return made;
    }

  private:
    void add(const FlavorRefusal& refusal) {
        Constraint made{.pod_set = pod_set_};
        made.resource = refusal.resource.is_valid() ? state_.resource_name(refusal.resource) : "";
        made.flavor = refusal.flavor.is_valid() ? state_.flavor_name(refusal.flavor) : "";
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
            case NotNominated:
                return;  // says nothing about the cluster
            case InsufficientUnused:
            case ExceedsCapacity:
                add_quota(refusal, std::move(made));
                return;
        }
        ranked_.push_back({.constraint = std::move(made), .is_final = true});
    }

    void add_quota(const FlavorRefusal& refusal, Constraint made) {
        const auto pair = state_.find_flavor_resource(made.flavor, made.resource);
        const auto queue = refusal_.cluster_queue;
        const auto& tree = state_.tree();
        const bool is_final = refusal.kind == FlavorRefusal::Kind::ExceedsCapacity;
        const Amount free = max(Amount(), tree.available(queue, pair));
        const Amount needed =
            is_final ? refusal.assumed + refusal.requested : free + refusal.needed;
        const auto quantity = [&](Amount amount) { return to_text(made.resource, amount); };
        const auto bottleneck = find_bottleneck(state_, queue, pair);
        const auto cell = tree.cell(bottleneck.node, pair);
        const auto own = tree.cell(queue, pair);
        made.kind = bottleneck.is_borrowing_limit                           ? "borrowingLimit"
                    : is_quota_hidden(state_, bottleneck.node, queue, pair) ? "lendingLimit"
                                                                            : "quota";
        made.node = node_text(state_, bottleneck.node);
        made.needed = quantity(needed);
        made.free = quantity(free);
        made.limit = quantity(
            is_final                        ? refusal.capacity
            : bottleneck.is_borrowing_limit ? cell.subtree + *cell.borrowing_limit
                                            : cell.subtree
        );
        made.nominal = quantity(own.nominal);
        made.borrowed = quantity(state_.borrowed(queue, pair));
        made.holders = find_holders(state_, bottleneck.node, pair, made.resource);
        if (!is_final) {
            made.remedies = remedies(own, pair, needed, bottleneck.is_borrowing_limit);
        }
        const auto part = static_cast<double>((needed - free).value()) /
                          static_cast<double>(std::max<std::int64_t>(1, needed.value()));
        const bool is_priority = !is_final && may_ever_preempt() && !has_victim(pair);
        Constraint priority;
        if (is_priority) {
            priority = made;
            priority.kind = "priority";
            priority.remedies = {"wait"};
        }
        ranked_.push_back({.constraint = std::move(made), .is_final = is_final, .want = part});
        if (is_priority) {  // the policies are there, the priority is not
            ranked_.push_back({.constraint = std::move(priority), .is_final = false, .want = part});
        }
    }

    bool may_ever_preempt() const {
        const auto& policies = state_.cluster_queue(refusal_.cluster_queue).spec.preemption;
        return policies.within_cluster_queue != engine::PreemptionPolicy::Never ||
               policies.reclaim_within_cohort != engine::PreemptionPolicy::Never;
    }

    std::vector<std::string> remedies(
        const engine::QuotaCell& own,
        engine::FlavorResourceIndex pair,
        Amount needed,
        bool is_borrowing_limit
    ) const {
        std::vector<std::string> made{"wait"};
        const auto& spec = state_.cluster_queue(refusal_.cluster_queue).spec;
        const bool must_borrow = own.usage + needed > own.nominal;
        if (must_borrow && !is_borrowing_limit && !spec.cohort.empty()) {
            made.emplace_back("borrow");
        }
        if (has_victim(pair)) {
            made.emplace_back("preempt");
        }
        return made;
    }

    /// Whether the policies allow to preempt some workload that holds the resource.
    bool has_victim(engine::FlavorResourceIndex pair) const {
        const auto& tree = state_.tree();
        const NodeIndex own = refusal_.cluster_queue;
        const auto queues = tree.node(own).parent.is_valid()
                                ? tree.cluster_queues_of(tree.node(own).root)
                                : std::vector<NodeIndex>{own};
        const auto& policies = state_.cluster_queue(own).spec.preemption;
        return std::ranges::any_of(queues, [&](NodeIndex queue) {
            if (queue != own && !tree.is_borrowing_with(queue, pair, Amount())) {
                return false;
            }
            const auto policy =
                queue == own ? policies.within_cluster_queue : policies.reclaim_within_cohort;
            return std::ranges::any_of(state_.cluster_queue(queue).holders, [&](auto index) {
                const auto& holder = state_.workload(index);
                return holder.holding &&
                       engine::amount_of(holder.holding->usages, pair) > Amount() &&
                       may_preempt(policy, holder);
            });
        });
    }

    bool may_preempt(engine::PreemptionPolicy policy, const engine::WorkloadRecord& holder) const {
        const auto& asking = state_.workload(refusal_.workload);
        using enum engine::PreemptionPolicy;
        switch (policy) {
            case Never:
                return false;
            case LowerPriority:
                return holder.priority < asking.priority;
            case LowerOrNewerEqualPriority:
                return holder.priority < asking.priority ||
                       (holder.priority == asking.priority &&
                        asking.queue_order < holder.queue_order);
            case Any:
                return true;
        }
        return false;
    }

    void add_without_flavors() {
        const auto add_kind = [&](std::string kind, std::vector<std::string> remedies) {
            Constraint made{
                .kind = std::move(kind), .node = node_text(state_, refusal_.cluster_queue)
            };
            made.remedies = std::move(remedies);
            ranked_.push_back({.constraint = std::move(made)});
        };
        using enum engine::RefusalKind;
        switch (refusal_.kind) {
            case FailedChecks:
                return add_kind("check", {"wait"});
            case ClusterQueueInactive:
            case ClusterQueueNotFound:
                return add_kind("inactive", {});
            case NamespaceMismatch:
            case NamespaceNotFound:
                return add_kind("namespace", {});
            case PreemptionGated:
            case WaitingForPodsReady:
                return add_kind("gate", {"wait"});
            case DeferredFit:
            case NoLongerFits:
            case OverlappingTargets:
                return add_kind("quota", {"wait"});
            case InvalidRequests:  // the message says all there is
            case Assignment:
            case PendingPreemption:
                return;
        }
    }

    const State& state_;
    const engine::RefusalDecision& refusal_;
    const api::Workload& workload_;
    std::string pod_set_;
    std::vector<Ranked> ranked_;
};

}  // namespace

std::vector<Constraint> explain(
    const engine::State& state,
    const engine::RefusalDecision& refusal,
    const api::Workload& workload
) {
    return Explainer(state, refusal, workload).run();
}

}  // namespace sluice::workload
