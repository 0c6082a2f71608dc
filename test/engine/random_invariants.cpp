#include "engine/random_invariants.hpp"

#include "engine/flavors/workload_slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sluice::reference {

using engine::Amount;
using engine::NodeIndex;
using engine::PreemptionPolicy;
using engine::QuotaCell;
using engine::QuotaTree;
using engine::Usage;
using engine::WorkloadIndex;

namespace {

bool is_same(const QuotaCell& a, const QuotaCell& b) {
    return a.flavor_resource == b.flavor_resource && a.nominal == b.nominal &&
           a.borrowing_limit == b.borrowing_limit && a.lending_limit == b.lending_limit &&
           a.subtree == b.subtree && a.usage == b.usage && a.declarations == b.declarations;
}

bool is_same(const Usage& a, const Usage& b) {
    return a.flavor_resource == b.flavor_resource && a.amount == b.amount;
}

template <class Items>
bool are_same(const Items& a, const Items& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return is_same(x, y);
    });
}

}  // namespace

std::string usage_difference(
    const QuotaTree& tree, const engine::UsageView& a, const engine::UsageView& b
) {
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto node = engine::make_index<NodeIndex>(i);
        const auto x = a.cells(node);
        const auto y = b.cells(node);
        for (std::size_t cell = 0; cell < x.size(); ++cell) {
            if (x[cell].usage != y[cell].usage) {
                return a.node(node).name + ": usage";
            }
            const engine::FlavorResources one = {x[cell].flavor_resource};
            const NodeIndex root = a.node(node).root;
            if (a.above_quota(root, one) != b.above_quota(root, one)) {
                return a.node(node).name + ": above quota";
            }
        }
    }
    return "";
}

std::optional<std::string> find_difference(
    const QuotaTree& a, const QuotaTree& b, bool with_marks
) {
    if (a.size() != b.size()) {
        return "the number of nodes";
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto index = engine::make_index<NodeIndex>(i);
        const QuotaTree::Node& x = a.node(index);
        const QuotaTree::Node& y = b.node(index);
        if (!are_same(x.cells, y.cells)) {
            return "quota or usage of " + x.name;
        }
        if (!are_same(x.own_usage, y.own_usage)) {
            return "own usage of " + x.name;
        }
        if (x.name != y.name || x.has_object != y.has_object || x.active != y.active ||
            x.parent_name != y.parent_name || x.weight != y.weight || x.declared != y.declared ||
            x.parent != y.parent || x.root != y.root || x.children != y.children ||
            x.height != y.height || x.child_heights != y.child_heights || x.depth != y.depth ||
            x.in_cycle != y.in_cycle) {
            return "the place of " + x.name;
        }
        if (with_marks && (x.is_waiting != y.is_waiting || x.waiting != y.waiting ||
                           x.changed_at != y.changed_at)) {
            return "the marks of " + x.name;
        }
    }
    return std::nullopt;
}

Witness::Witness(const engine::State& before)
    : state_(before), tree_(before.tree()), was_stale_(before.tree().is_stale()) {
    std::vector<NodeIndex> touched;
    tree_.refresh(touched);
    for (const auto& [name, index] : tree_.cluster_queues_by_name()) {
        const auto waiting = before.heap_in_order(index);
        if (!waiting.empty()) {
            const auto held_back = std::ranges::find(waiting, before.held_back());
            heads_.emplace(index, held_back == waiting.end() ? waiting.front() : *held_back);
        }
        for (const WorkloadIndex holder : before.cluster_queue(index).holders) {
            const engine::Holding& holding = *before.workload(holder).holding;
            holders_[holder] = {index, holding.usages, holding.evicted};
        }
    }
}

bool Witness::was_head(WorkloadIndex workload, NodeIndex cluster_queue) const {
    const auto head = heads_.find(cluster_queue);
    return head != heads_.end() && head->second == workload;
}

engine::Usages Witness::usage_of(const engine::AdmissionDecision& decision) const {
    engine::Usages usages;
    for (const engine::AssignedPodSet& pod_set : decision.pod_sets) {
        for (const engine::AssignedFlavor& flavor : pod_set.flavors) {
            const auto pair = state_.flavor_resource_of(flavor.flavor, flavor.resource);
            engine::add_to(usages, pair, flavor.amount.value_or(Amount()));
        }
    }
    return usages;
}

namespace {

/// Why a podSet must not have got these flavors; none: it may.
std::optional<std::string> fault_of(
    const engine::State& state,
    const engine::ClusterQueueRecord& queue,
    const engine::PodSetRecord& pod_set,
    const engine::AssignedPodSet& assigned
) {
    const std::int32_t wanted = pod_set.count_after_reclaim();
    // Partial admission starts from the podSets' whole counts, as upstream does: there pods that
    // are done count again.
    const std::int32_t least = pod_set.min_count < 0 ? pod_set.count : pod_set.min_count;
    const bool fewer = assigned.count >= least && assigned.count <= pod_set.count &&
                       state.options().gates.partial_admission;
    if (assigned.count != wanted && !fewer) {
        return fmt::format("{} pods of {}", assigned.count, wanted);
    }
    std::map<const engine::ResolvedGroup*, engine::FlavorIndex> chosen;
    std::set<engine::ResourceIndex> covered;
    for (const engine::AssignedFlavor& flavor : assigned.flavors) {
        const auto group =
            std::find_if(queue.groups.begin(), queue.groups.end(), [&](const auto& candidate) {
                const auto& all = candidate.resources;
                return std::find(all.begin(), all.end(), flavor.resource) != all.end();
            });
        if (group == queue.groups.end() ||
            std::find(group->flavors.begin(), group->flavors.end(), flavor.flavor) ==
                group->flavors.end()) {
            return "a flavor that the ClusterQueue does not have";
        }
        if (chosen.emplace(&*group, flavor.flavor).first->second != flavor.flavor) {
            return "two flavors in one resource group";
        }
        if (!state.flavor_exists(flavor.flavor)) {
            return "a flavor that does not exist";
        }
        if (state.shape_refusal(pod_set.shape, flavor.flavor)) {
            return "a flavor that refuses the pods";
        }
        covered.insert(flavor.resource);
    }
    for (const engine::Request& request : pod_set.requests) {
        const bool ignored =
            state.options().quota_check_strategy == engine::QuotaCheckStrategy::IgnoreUndeclared;
        if (!covered.contains(request.resource) && request.amount != Amount() &&
            assigned.count != 0 && !ignored) {
            return "no flavor for " + state.resource_name(request.resource);
        }
    }
    return std::nullopt;
}

bool may_evict(
    PreemptionPolicy policy,
    const engine::WorkloadRecord& preemptor,
    const engine::WorkloadRecord& victim
) {
    switch (policy) {
        case PreemptionPolicy::Never:
            return false;
        case PreemptionPolicy::LowerPriority:
            return victim.priority < preemptor.priority;
        case PreemptionPolicy::LowerOrNewerEqualPriority:
            return victim.priority < preemptor.priority ||
                   (victim.priority == preemptor.priority &&
                    victim.queue_order > preemptor.queue_order);
        case PreemptionPolicy::Any:
            return true;
    }
    return false;
}

}  // namespace

std::optional<std::string> Witness::fault_of(
    const engine::State& after, const engine::AdmissionDecision& decision
) const {
    const engine::WorkloadRecord& workload = after.workload(decision.workload);
    const engine::ClusterQueueRecord& queue = after.cluster_queue(decision.cluster_queue);
    const engine::LocalQueueRecord& local_queue = after.local_queue(workload.local_queue);
    if (!was_head(decision.workload, decision.cluster_queue) ||
        holders_.contains(decision.workload)) {
        return "it was no head";
    }
    if (!queue.active || !local_queue.exists || local_queue.stopped ||
        local_queue.cluster_queue != decision.cluster_queue ||
        local_queue.namespace_match != engine::NamespaceMatch::Matches) {
        return "its queue does not serve it";
    }
    if (workload.checks_failed || !workload.requests_valid) {
        return "it is not admissible";
    }
    if (decision.pod_sets.size() != workload.pod_sets.size()) {
        return "a podSet is missing";
    }
    for (const engine::AssignedPodSet& assigned : decision.pod_sets) {
        const auto fault =
            reference::fault_of(after, queue, workload.pod_sets[assigned.pod_set], assigned);
        if (fault) {
            return fault;
        }
    }
    return std::nullopt;
}

std::optional<std::string> Witness::fault_of(
    const engine::State& after, const engine::PreemptionDecision& decision
) const {
    const auto victim = holders_.find(decision.victim);
    if (victim == holders_.end() || victim->second.cluster_queue != decision.victim_cluster_queue) {
        return "it held no quota there";
    }
    if (victim->second.evicted) {
        return "it was on its way out already";
    }
    if (!was_head(decision.preemptor, decision.preemptor_cluster_queue)) {
        return "the preemptor was no head";
    }
    const bool own = decision.victim_cluster_queue == decision.preemptor_cluster_queue;
    if (own != (decision.reason == engine::PreemptionReason::InClusterQueue)) {
        return "the reason is of another case";
    }
    if (tree_.node(decision.victim_cluster_queue).root !=
        tree_.node(decision.preemptor_cluster_queue).root) {
        return "it is in another tree";
    }
    const auto& policy = after.cluster_queue(decision.preemptor_cluster_queue).spec.preemption;
    const bool allowed = may_evict(
        own ? policy.within_cluster_queue : policy.reclaim_within_cohort,
        after.workload(decision.preemptor),
        after.workload(decision.victim)
    );
    return allowed ? std::nullopt : std::optional<std::string>("the policy protects it");
}

/// Each admission fits what was free at the start (but see within), and all together fit once the
/// evicted workloads are gone, where the order of taking away does not count.
std::optional<std::string> Witness::find_overuse(const engine::CycleResult& result) const {
    engine::UsageView view(tree_);
    const auto fits = [&](const engine::AdmissionDecision& decision, const engine::Usages& usages) {
        return view.fits({.cluster_queue = decision.cluster_queue, .usages = usages});
    };
    for (const engine::AdmissionDecision& decision : result.admitted) {
        // Where preemption is preferred to borrowing, upstream's worst mode of a flavor's resources
        // is the one that borrows: with it a resource that needs victims counts as fitting, and the
        // victims of others make room.
        const auto& queue = state_.cluster_queue(decision.cluster_queue).spec;
        const bool may_overlook =
            queue.preference == engine::FungibilityPreference::PreemptionOverBorrowing;
        if (!decision.replaces.is_valid() && !may_overlook && !fits(decision, usage_of(decision))) {
            return "more than was free: " + std::string(state_.workload_key(decision.workload));
        }
    }
    std::set<WorkloadIndex> leaving;
    for (const auto& [workload, holder] : holders_) {
        if (holder.evicted) {
            leaving.insert(workload);
        }
    }
    for (const engine::PreemptionDecision& decision : result.preempted) {
        leaving.insert(decision.victim);
    }
    // A slice that is replaced, or is to be once victims are gone, counts as gone for the rest of
    // the cycle, and its replacement as no more than the difference.
    for (const engine::AdmissionDecision& decision : result.admitted) {
        if (decision.replaces.is_valid()) {
            leaving.insert(decision.replaces);
        }
    }
    for (const engine::RefusalDecision& decision : result.refused) {
        const auto replaced = replaced_by(decision.workload);
        if (replaced && decision.reason == engine::WaitingReason::WaitingForPreemptedWorkloads) {
            leaving.insert(*replaced);
        }
    }
    for (const WorkloadIndex workload : leaving) {
        const Holder& holder = holders_.at(workload);
        view.remove({.cluster_queue = holder.cluster_queue, .usages = holder.usages});
    }
    engine::Usages all;
    const auto add_all = [&all](const engine::Usages& usages) {
        for (const Usage& usage : usages) {
            engine::add_to(all, usage.flavor_resource, usage.amount);
        }
    };
    for (const auto& [workload, holder] : holders_) {
        add_all(holder.usages);
    }
    for (const engine::AdmissionDecision& decision : result.admitted) {
        add_all(usage_of(decision));
    }
    // What is left of a sum that was cut off depends on what was taken away first.
    const auto is_cut_off = [&all](const Usage& usage) {
        return std::ranges::any_of(all, [&](const Usage& sum) {
            return sum.flavor_resource == usage.flavor_resource && sum.amount.is_unlimited();
        });
    };
    for (const engine::AdmissionDecision& decision : result.admitted) {
        engine::Usages usages;
        std::ranges::remove_copy_if(
            engine::counted_usage(state_, decision), std::back_inserter(usages), is_cut_off
        );
        if (!fits(decision, usages)) {
            return "more than was left: " + std::string(state_.workload_key(decision.workload));
        }
        view.add({.cluster_queue = decision.cluster_queue, .usages = usages});
    }
    return std::nullopt;
}

std::optional<WorkloadIndex> Witness::replaced_by(WorkloadIndex workload) const {
    const engine::WorkloadRecord& record = state_.workload(workload);
    if (!state_.options().gates.elastic_jobs || record.replaces == nullptr) {
        return std::nullopt;
    }
    const WorkloadIndex replaced = state_.find_workload(*record.replaces);
    return holders_.contains(replaced) ? std::optional(replaced) : std::nullopt;
}

/// Undo restores the tree bit for bit: nothing but the admissions is new.
std::optional<std::string> Witness::find_leftover(
    const engine::State& after, const engine::CycleResult& result
) const {
    QuotaTree tree = tree_;
    for (const engine::AdmissionDecision& decision : result.admitted) {
        tree.add_usage(decision.cluster_queue, after.workload(decision.workload).holding->usages);
    }
    if (was_stale_ || tree.is_stale() || after.tree().is_stale()) {
        return std::nullopt;  // of sums that were cut off and are not counted anew yet
    }
    const auto difference = find_difference(tree, after.tree(), false);
    return difference ? std::optional("the cycle left " + *difference) : std::nullopt;
}

std::optional<std::string> Witness::find_fault(
    const engine::State& after, const engine::CycleResult& result
) const {
    std::set<NodeIndex> decided;
    std::set<WorkloadIndex> victims;
    std::set<WorkloadIndex> preemptors;
    for (const engine::AdmissionDecision& decision : result.admitted) {
        if (const auto fault = fault_of(after, decision)) {
            return "admission of " + std::string(after.workload_key(decision.workload)) + ": " +
                   *fault;
        }
        if (!decided.insert(decision.cluster_queue).second) {
            return "two decisions for " + after.node_name(decision.cluster_queue);
        }
    }
    for (const engine::RefusalDecision& decision : result.refused) {
        if (!was_head(decision.workload, decision.cluster_queue) ||
            holders_.contains(decision.workload)) {
            return "refusal of " + std::string(after.workload_key(decision.workload)) +
                   ": it was no head";
        }
        if (!decided.insert(decision.cluster_queue).second) {
            return "two decisions for " + after.node_name(decision.cluster_queue);
        }
        if (decision.kind == engine::RefusalKind::PendingPreemption) {
            preemptors.insert(decision.workload);
        }
    }
    for (const engine::PreemptionDecision& decision : result.preempted) {
        auto fault = fault_of(after, decision);
        if (!victims.insert(decision.victim).second) {
            fault = "it is a victim twice";
        }
        if (!preemptors.contains(decision.preemptor)) {
            fault = "the preemptor does not wait for it";
        }
        if (fault) {
            return "preemption of " + std::string(after.workload_key(decision.victim)) + ": " +
                   *fault;
        }
    }
    if (auto overuse = find_overuse(result)) {
        return overuse;
    }
    return find_leftover(after, result);
}

}  // namespace sluice::reference
