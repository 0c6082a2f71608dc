#include "engine/preemption/target_queues.hpp"

#include "engine/state/fair_sharing.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

TargetQueues::TargetQueues(
    const PreemptionContext& context,
    NodeIndex preemptor_queue,
    const std::optional<CandidateWalk>& own,
    const ShareComparisons* others,
    const FlavorResources& needed,
    const EvictionRight& right
)
    : state_(context.state),
      view_(context.view),
      lists_(context.candidates),
      preemptor_queue_(preemptor_queue),
      others_(others),
      needed_(&needed),
      right_(right),
      own_(own) {}

TargetQueues::TargetQueues(
    const PreemptionContext& context,
    NodeIndex preemptor_queue,
    std::vector<const Candidate*> candidates
)
    : state_(context.state),
      view_(context.view),
      lists_(context.candidates),
      preemptor_queue_(preemptor_queue),
      candidates_(std::move(candidates)) {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const NodeIndex queue = state_.workload(candidates_[i]->workload).holding->cluster_queue;
        NodeState& state = node_states_[queue];
        if (state.end == 0) {
            state.next = i;
        }
        state.end = i + 1;
    }
    std::vector<NodeIndex> queues;
    for (const auto& [queue, state] : node_states_) {
        queues.push_back(queue);
    }
    for (const auto queue : queues) {
        NodeIndex above = view_.node(queue).parent;
        while (above.is_valid() && node_states_.try_emplace(above).second) {
            above = view_.node(above).parent;
        }
    }
    for (auto& [node, state] : node_states_) {
        enter(node, state);
    }
}

bool TargetQueues::is_ancestor(NodeIndex cohort) const {
    const auto& ancestor = view_.node(cohort);
    NodeIndex at = preemptor_queue_;
    while (view_.node(at).depth > ancestor.depth) {
        at = view_.node(at).parent;
    }
    return at == cohort;
}

NodeIndex TargetQueues::child_of(NodeIndex cohort, NodeIndex below) const {
    while (view_.node(below).parent != cohort) {
        below = view_.node(below).parent;
    }
    return below;
}

std::pair<NodeIndex, NodeIndex> TargetQueues::below_common_cohort(NodeIndex target) const {
    NodeIndex common = view_.node(target).parent;
    while (!is_ancestor(common)) {
        common = view_.node(common).parent;
    }
    return {child_of(common, preemptor_queue_), child_of(common, target)};
}

const Candidate* TargetQueues::candidate_of(const NodeState& state) const {
    if (state.walk) {
        return state.walk->current();
    }
    return state.next < state.end ? candidates_[state.next] : nullptr;
}

TargetQueues::NodeState& TargetQueues::node_state(NodeIndex node) {
    const auto [at, is_new] = node_states_.try_emplace(node);
    if (is_new) {
        if (node == preemptor_queue_) {
            at->second.walk = own_;
        } else if (others_ != nullptr && view_.node(node).is_cluster_queue) {
            at->second.walk.emplace(lists_.in(node, *needed_), right_);
        }
    }
    return at->second;
}

TargetQueues::Cohort& TargetQueues::cohort(NodeIndex node) {
    if (const auto known = cohorts_.find(node); known != cohorts_.end()) {
        return known->second;
    }
    static const ShareComparisons::Order kNone(ShareComparisons::Before{});
    const auto* children = others_ == nullptr ? nullptr : others_->find(node);
    const auto& queues = children == nullptr ? kNone : children->queues;
    const auto& cohorts = children == nullptr ? kNone : children->cohorts;
    Cohort& made = cohorts_.try_emplace(node, queues, cohorts, &memory_).first->second;
    if (candidates_.empty() && is_ancestor(node)) {
        const NodeIndex child = child_of(node, preemptor_queue_);
        if (!node_states_.contains(child)) {
            enter(child, node_state(child));
        }
    }
    return made;
}

void TargetQueues::enter(NodeIndex index, NodeState& state) {
    ++state.changes;
    const auto& node = view_.node(index);
    const Candidate* first = candidate_of(state);
    if (!node.parent.is_valid() || (node.is_cluster_queue && first == nullptr)) {
        return;
    }
    const Share share = share_of(state_, view_, index);
    state.share = rank_of(share);
    state.borrows = share.is_borrowing();
    Cohort& parent = cohort(node.parent);
    Heap& heap = (node.is_cluster_queue ? parent.queues : parent.cohorts).changed;
    heap.push_back(
        {.contestant = {.share = state.share, .first = first, .node = index},
         .changes = state.changes}
    );
    std::push_heap(heap.begin(), heap.end(), [this](const Entry& a, const Entry& b) {
        return gives_first(state_, b.contestant, a.contestant, preemptor_queue_);
    });
}

void TargetQueues::drop_outdated(Contest& contest) {
    Heap& heap = contest.changed;
    while (!heap.empty()) {
        const Entry& first = heap.front();
        const NodeIndex node = first.contestant.node;
        NodeState& state = node_states_.at(node);
        const bool counts = first.changes == state.changes && !state.is_pruned;
        if (counts && (state.borrows || node == preemptor_queue_ ||
                       (!view_.node(node).is_cluster_queue && is_ancestor(node)))) {
            return;
        }
        state.is_pruned = state.is_pruned || counts;
        std::pop_heap(heap.begin(), heap.end(), [this](const Entry& a, const Entry& b) {
            return gives_first(state_, b.contestant, a.contestant, preemptor_queue_);
        });
        heap.pop_back();
    }
}

void TargetQueues::pass_over_changed(Contest& contest, Children children) {
    for (; contest.next != contest.end; ++contest.next) {
        const Contestant& contestant = *contest.next;
        if (node_states_.contains(contestant.node)) {
            continue;
        }
        if (children == Children::Cohorts) {
            return;
        }
        CandidateWalk walk(lists_.in(contestant.node, *needed_), right_);
        if (walk.current() == contestant.first) {
            return;
        }
        if (walk.current() != nullptr) {
            // The best victim that the preemptor may evict is farther back.
            NodeState& state = node_state(contestant.node);
            enter(contestant.node, state);
        }
    }
}

const Contestant* TargetQueues::first_of(Contest& contest, Children children) {
    pass_over_changed(contest, children);
    drop_outdated(contest);
    const Contestant* first = contest.next == contest.end ? nullptr : &*contest.next;
    if (!contest.changed.empty()) {
        const Contestant& changed = contest.changed.front().contestant;
        if (first == nullptr || gives_first(state_, changed, *first, preemptor_queue_)) {
            first = &changed;
        }
    }
    return first;
}

std::vector<NodeIndex> TargetQueues::cohorts_of_share(const Contest& contest, ShareRank share)
    const {
    std::vector<NodeIndex> found;
    for (auto at = contest.next; at != contest.end && at->share == share; ++at) {
        if (!node_states_.contains(at->node)) {
            found.push_back(at->node);
        }
    }
    for (const Entry& entry : contest.changed) {
        const NodeIndex node = entry.contestant.node;
        const NodeState& state = node_states_.at(node);
        const bool counts = entry.changes == state.changes && !state.is_pruned;
        if (counts && entry.contestant.share == share && (state.borrows || is_ancestor(node))) {
            found.push_back(node);
        }
    }
    return found;
}

bool TargetQueues::is_better(const Contestant& a, const Contestant& b) const {
    return is_better_victim(
        state_,
        *a.first,
        a.node == preemptor_queue_ ? 1 : 0,
        *b.first,
        b.node == preemptor_queue_ ? 1 : 0
    );
}

std::optional<Contestant> TargetQueues::descend(NodeIndex cohort_node) {
    Cohort& here = cohort(cohort_node);
    const Contestant* queue = first_of(here.queues, Children::ClusterQueues);
    const Contestant* child = first_of(here.cohorts, Children::Cohorts);
    if (queue == nullptr && child == nullptr) {
        drop(cohort_node);
        return std::nullopt;
    }
    if (queue != nullptr && (child == nullptr || child->share < queue->share)) {
        return *queue;
    }
    // Cohorts of equal share are compared by the victims that they would give, like ClusterQueues.
    std::optional<Contestant> best;
    for (const auto node : cohorts_of_share(here.cohorts, child->share)) {
        const auto found = descend(node);
        if (found && (!best || is_better(*found, *best))) {
            best = found;
        }
    }
    return best;
}

NodeIndex TargetQueues::next() {
    if (popped_.is_valid()) {
        enter(popped_, node_state(popped_));
        popped_ = {};
    }
    const auto& own = view_.node(preemptor_queue_);
    if (!own.parent.is_valid()) {
        const NodeState& state = node_state(preemptor_queue_);
        const bool is_left = !state.is_pruned && candidate_of(state) != nullptr;
        return is_left ? preemptor_queue_ : NodeIndex{};
    }
    while (!node_state(own.root).is_pruned) {
        if (const auto found = descend(own.root)) {
            return found->node;
        }
    }
    return {};
}

const Candidate* TargetQueues::pop(NodeIndex queue) {
    NodeState& state = node_state(queue);
    const Candidate* popped = candidate_of(state);
    if (popped == nullptr) {
        return nullptr;
    }
    if (state.walk) {
        state.walk->advance();
    } else {
        ++state.next;
    }
    popped_ = queue;
    return popped;
}

void TargetQueues::drop(NodeIndex node) {
    node_state(node).is_pruned = true;
}

void TargetQueues::usage_changed(NodeIndex queue) {
    popped_ = popped_ == queue ? NodeIndex{} : popped_;
    for (NodeIndex at = queue; view_.node(at).parent.is_valid(); at = view_.node(at).parent) {
        enter(at, node_state(at));
    }
}

}  // namespace sluice::engine
