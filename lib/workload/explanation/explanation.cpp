#include "workload/explanation/explanation.hpp"

#include "engine/flavors/workload_slice.hpp"
#include "engine/quota/usage_view.hpp"
#include "workload/explanation/binding_order.hpp"
#include "workload/explanation/decision_view.hpp"
#include "workload/explanation/eviction_prospects.hpp"
#include "workload/pods/amounts.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace sluice::workload {

/// The data that the explanations of all refusals of a cycle share.
struct Explanations::Cycle {
    const engine::State& state;
    const engine::CycleResult& result;
    DecisionView view;
    EvictionProspects prospects;
    Holdings without_holders;  ///< shows the effect of lending limits alone
};

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

class Explainer {
  public:
    Explainer(
        const State& state,
        const engine::CycleResult& result,
        std::size_t refused,
        DecisionView& view,
        EvictionProspects& prospects,
        Holdings& without_holders
    )
        : state_(state),
          refused_(refused),
          refusal_(result.refused[refused]),
          asking_(state.workload(refusal_.workload)),
          queue_(state.cluster_queue(refusal_.cluster_queue)),
          holdings_(view.at(
              refused,
              refusal_.shortages.empty() ? DecisionView::Of::PodSets : DecisionView::Of::Shortages
          )),
          prospects_(prospects),
          without_holders_(without_holders),
          slice_(find_slice()) {}

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
            if (!made.front().remedies.empty()) {
                made.front().remedies = {"wait"};
            }
        }
        for (auto& ranked : ranked_) {
            made.push_back(std::move(ranked.constraint));
        }
        return made;
    }

  private:
    /// Returns the slice that the workload was to replace.
    std::optional<engine::ReplacedSlice> find_slice() const {
        // A shortage in the workload's turn was computed after the slice had left to make room.
        static const std::set<engine::WorkloadIndex> kNone;
        const bool has_left = !refusal_.shortages.empty() && !refusal_.is_recomputed;
        return engine::ReplacedSlice::find(
            state_, refusal_.workload, refusal_.cluster_queue, has_left ? kNone : holdings_.absent()
        );
    }
    bool is_shortage(std::size_t pod_set) const { return pod_set == asking_.pod_sets.size(); }

    void find() {
        for (const auto& shortage : refusal_.shortages) {
            Constraint made{.pod_set = only_pod_set_with(shortage.resource)};
            add(shortage, std::move(made), asking_.pod_sets.size());
        }
        if (!refusal_.shortages.empty()) {
            return;
        }
        const auto& fewest = refusal_.fewest_pods;
        for (const auto& pod_set : fewest.empty() ? refusal_.pod_sets : fewest) {
            const Constraint empty{.pod_set = asking_.pod_sets[pod_set.pod_set].name};
            for (const auto& found : pod_set.flavors) {
                add(found, empty, pod_set.pod_set);
            }
            Constraint behind = empty;
            behind.passed_over = true;
            for (const auto& skipped : pod_set.skipped) {
                for (const auto& found : skipped.refusals) {
                    add(found, behind, pod_set.pod_set);
                }
                if (skipped.mode == engine::FlavorMode::Fit) {
                    add_untried(skipped.flavor, behind, pod_set.pod_set);
                }
            }
        }
    }

    /// Adds a flavor that has room, but that the search skipped because it started at a later
    /// flavor.
    void add_untried(engine::FlavorIndex flavor, Constraint made, std::size_t pod_set) {
        made.kind = "quota";
        made.flavor = state_.flavor_name(flavor);
        made.node = node_text(state_, refusal_.cluster_queue);
        made.remedies = {"wait"};
        const FlavorRefusal none{.flavor = flavor};
        ranked_.push_back({.constraint = std::move(made), .source = source_of(none, pod_set)});
    }

    /// Returns the only podSet that requests the resource; empty if several do, because shortages
    /// are summed over all podSets.
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
            case NotPlaced:
                add_placement(refusal, std::move(made), source);
                return;
            case NotNominated:
                return;  // says nothing about the quota
            case InsufficientUnused:
            case ExceedsCapacity:
                add_amounts(refusal, std::move(made), source);
                return;
        }
        ranked_.push_back(
            {.constraint = std::move(made), .source = source, .is_final = true, .want = 1}
        );
    }

    /// Adds that the nodes have too little room. It is final if they have too little when empty.
    void add_placement(const FlavorRefusal& refusal, Constraint made, const Source& source) {
        using enum engine::PlacementFailure::Kind;
        const engine::PlacementFailure& failure = *refusal.placement;
        const bool is_final = refusal_.reason == engine::WaitingReason::TopologyPlacementFailed;
        made.kind = failure.kind == NodesLackRoom ? "capacity" : "topology";
        if (failure.kind == TooLittleRoom || failure.kind == NodesLackRoom) {
            made.needed = std::to_string(failure.wanted);
            made.free = std::to_string(failure.fitting);
        }
        if (!is_final) {
            made.remedies = {"wait"};
        }
        ranked_.push_back(
            {.constraint = std::move(made), .source = source, .is_final = is_final, .want = 1}
        );
    }

    void add_amounts(const FlavorRefusal& refusal, Constraint made, const Source& source) {
        const auto pair = state_.flavor_resource_of(refusal.flavor, refusal.resource);
        const Amount held = held_by_slice(refusal, source.pod_set);
        const Amount needed = refusal.wanted() + held;
        const auto quantity = [&](Amount amount) {
            return to_quantity(made.resource, amount).to_string();
        };
        made.needed = quantity(needed);
        made.free = quantity(is_shortage(source.pod_set) ? refusal.free : refusal.free + held);
        made.limit = quantity(refusal.capacity);
        made.nominal = quantity(state_.tree().cell(refusal_.cluster_queue, pair).nominal);
        made.borrowed = quantity(state_.borrowed(refusal_.cluster_queue, pair));
        if (needed > refusal.capacity) {
            add_excess(needed, refusal.capacity, pair, std::move(made), source);
        } else {
            add_shortage(refusal, needed, std::move(made), source);
        }
    }

    /// Returns the amount that the workload takes over from the slice that it replaces. `wanted()`
    /// does not include it: the slice holds it until it is replaced.
    Amount held_by_slice(const FlavorRefusal& refusal, std::size_t pod_set) const {
        Amount held;
        for (std::size_t i = 0; slice_ && i < asking_.pod_sets.size(); ++i) {
            const std::string& group = asking_.pod_sets[i].group;
            const bool is_counted =
                i <= pod_set || (!group.empty() && group == asking_.pod_sets[pod_set].group);
            if (is_counted && slice_->flavor_of(i, refusal.resource) == refusal.flavor) {
                held += slice_->held_of(i, refusal.resource);
            }
        }
        return held;
    }

    static double part_of(Amount missing, Amount wanted) {
        return static_cast<double>(missing.value()) /
               static_cast<double>(std::max<std::int64_t>(1, wanted.value()));
    }

    /// Adds an obstacle for a need that exceeds what the ClusterQueue could ever have.
    void add_excess(
        Amount needed,
        Amount capacity,
        FlavorResourceIndex pair,
        Constraint made,
        const Source& source
    ) {
        const auto ceiling = find_ceiling(pair);
        const Subtree unused = without_holders_.subtree(refusal_.cluster_queue, ceiling.node, pair);
        const bool is_kept_back =
            !ceiling.is_borrowing_limit && unused.kept_back >= needed - capacity;
        made.kind = kind_of(ceiling.is_borrowing_limit, is_kept_back);
        made.node = node_text(state_, is_kept_back ? unused.keeper : ceiling.node);
        ranked_.push_back(
            {.constraint = std::move(made),
             .source = source,
             .is_final = true,
             .want = part_of(needed - capacity, needed)}
        );
    }

    static std::string kind_of(bool is_borrowing_limit, bool is_kept_back) {
        return is_borrowing_limit ? "borrowingLimit" : is_kept_back ? "lendingLimit" : "quota";
    }

    /// Returns the node whose quota or borrowing limit bounds what the ClusterQueue can ever have.
    engine::UsageView::Bottleneck find_ceiling(FlavorResourceIndex pair) const {
        const auto& tree = state_.tree();
        NodeIndex at = refusal_.cluster_queue;
        while (tree.node(at).parent.is_valid()) {
            const engine::QuotaCell& cell = tree.cell(at, pair);
            const NodeIndex parent = tree.node(at).parent;
            if (cell.borrowing_limit &&
                cell.subtree + *cell.borrowing_limit <
                    cell.local() + engine::UsageView(tree).potential_available(parent, pair)) {
                return {.node = at, .is_borrowing_limit = true};
            }
            at = parent;
        }
        return {.node = at};
    }

    /// Adds an obstacle for a need that exceeds what was free.
    void add_shortage(
        const FlavorRefusal& refusal, Amount needed, Constraint made, const Source& source
    ) {
        const auto pair = state_.flavor_resource_of(refusal.flavor, refusal.resource);
        const Subtree subtree = holdings_.subtree(refusal_.cluster_queue, refusal.node, pair);
        const bool is_kept_back =
            !refusal.at_borrowing_limit && subtree.kept_back >= refusal.needed;
        made.kind = kind_of(refusal.at_borrowing_limit, is_kept_back);
        made.node = node_text(state_, is_kept_back ? subtree.keeper : refusal.node);
        const bool is_clearable = may_preempt(refusal, pair);
        made.remedies = remedies(refusal, pair, is_clearable);
        made.reclaim = is_clearable ? "" : reclaim_policy(refusal, pair);
        Ranked shortage{
            .constraint = made,
            .source = source,
            .is_clearable = is_clearable,
            .is_choice = refusal.is_choice,
            .want = part_of(refusal.needed, needed),
        };
        add_holders(refusal.node, pair, std::nullopt, shortage.constraint);
        ranked_.push_back(shortage);
        if (refusal.is_spared_by_priority && !refusal.has_victims) {
            // The policies allow preemption, but the workload's priority is too low.
            made.kind = "priority";
            made.remedies = {"wait"};
            add_holders(refusal.node, pair, asking_.priority, made);
            shortage.constraint = std::move(made);
            ranked_.push_back(std::move(shortage));
        }
    }

    void add_holders(
        NodeIndex node,
        FlavorResourceIndex pair,
        std::optional<std::int64_t> min_priority,
        Constraint& made
    ) {
        const auto largest = holdings_.largest(
            refusal_.cluster_queue, node, pair, kHoldersMax + (slice_ ? 1 : 0), min_priority
        );
        for (const auto& held : largest) {
            const bool is_taken_over = slice_ && slice_->workload() == held.workload;
            if (is_taken_over || made.holders.size() == kHoldersMax) {
                continue;
            }
            const auto& record = state_.workload(held.workload);
            made.holders.push_back(
                {.workload = std::string(record.key()),
                 .amount = to_quantity(made.resource, held.amount).to_string(),
                 .priority = record.priority,
                 .evicted = record.holding != nullptr && record.holding->evicted,
                 .reserved = held.is_reserved}
            );
        }
    }

    /// Returns true if evicting everything that the policies allow frees what is missing.
    bool may_preempt(const FlavorRefusal& refusal, FlavorResourceIndex pair) {
        if (state_.options().gates.preemption_gates && asking_.preemption_gated) {
            return false;
        }
        return refusal.has_victims ||
               (refusal_.kind == RefusalKind::NoLongerFits &&
                prospects_.has_victims(
                    refused_,
                    pair,
                    refusal.wanted() + held_by_slice(refusal, asking_.pod_sets.size())
                ));
    }

    /// Returns the policy that keeps the ClusterQueue from taking back quota that it lends; empty
    /// if no policy does, or if it does not lend what is missing.
    std::string reclaim_policy(const FlavorRefusal& refusal, FlavorResourceIndex pair) {
        const NodeIndex queue = refusal_.cluster_queue;
        const Amount usage = holdings_.subtree(queue, queue, pair).usage + refusal.wanted();
        if (refusal.node == queue || usage > state_.tree().cell(queue, pair).nominal) {
            return "";
        }
        switch (queue_.spec.preemption.reclaim_within_cohort) {
            case engine::PreemptionPolicy::Never:
                return "Never";
            case engine::PreemptionPolicy::LowerPriority:
                return "LowerPriority";
            case engine::PreemptionPolicy::LowerOrNewerEqualPriority:
            case engine::PreemptionPolicy::Any:
                return "";
        }
        return "";
    }

    std::vector<std::string> remedies(
        const FlavorRefusal& refusal, FlavorResourceIndex pair, bool is_clearable
    ) {
        std::vector<std::string> made{"wait"};
        const bool is_pending = refusal_.kind == RefusalKind::PendingPreemption ||
                                refusal_.kind == RefusalKind::DeferredFit;
        if (is_pending && refusal.is_choice) {
            return made;  // the evictions that help are under way
        }
        const NodeIndex queue = refusal_.cluster_queue;
        const Amount usage = holdings_.subtree(queue, queue, pair).usage + refusal.wanted();
        if (usage > state_.tree().cell(queue, pair).subtree && usage <= refusal.capacity) {
            made.emplace_back("borrow");
        }
        if (is_clearable) {
            made.emplace_back("preempt");
        }
        return made;
    }

    Constraint without_numbers() const {
        Constraint made{.node = node_text(state_, refusal_.cluster_queue)};
        using enum RefusalKind;
        switch (refusal_.kind) {
            case InactiveClusterQueue:
                made.kind = "inactive";
                break;
            case FailedChecks:
                made.kind = "check";
                made.remedies = {"wait"};
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
                made.kind = asking_.pod_sets.size() == 0 ? "requests" : "quota";
                if (asking_.pod_sets.size() != 0) {
                    made.remedies = {"wait"};
                }
                break;
        }
        return made;
    }

    /// Adds the workloads whose pods must become ready before the next admission.
    void add_not_ready(Constraint& made) const {
        for (const auto& [name, node] : state_.tree().cluster_queues_by_name()) {
            const auto& queue = state_.cluster_queue(node);
            for (const auto index : queue.holders) {
                const auto& record = state_.workload(index);
                if (queue.exists && !record.pods_ready) {
                    made.holders.push_back(
                        {.workload = std::string(record.key()),
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
    std::size_t refused_;
    const engine::RefusalDecision& refusal_;
    const engine::WorkloadRecord& asking_;
    const engine::ClusterQueueRecord& queue_;
    Holdings& holdings_;
    EvictionProspects& prospects_;
    Holdings& without_holders_;
    std::optional<engine::ReplacedSlice> slice_;
    std::vector<Ranked> ranked_;
};

}  // namespace

Explanations::Explanations(const State& state, const engine::CycleResult& result)
    : cycle_(new Cycle{
          state,
          result,
          DecisionView(state, result),
          EvictionProspects(state, result),
          Holdings(state, Holdings::Of::NoHolders),
      }) {}

Explanations::Explanations(Explanations&&) noexcept = default;
Explanations::~Explanations() = default;

std::vector<Constraint> Explanations::of(std::size_t refused) {
    return Explainer(
               cycle_->state,
               cycle_->result,
               refused,
               cycle_->view,
               cycle_->prospects,
               cycle_->without_holders
    )
        .run();
}

}  // namespace sluice::workload
