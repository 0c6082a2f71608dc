#include "engine/preemption/target_queues.hpp"

#include "engine/state/fair_sharing.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

TargetQueues::TargetQueues(
    const PreemptionContext& context,
    NodeIndex preemptor_queue,
    const std::optional<CandidateWalk>& own,
    const ShareContests* others,
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
        Standing& standing = standings_[queue];
        if (standing.end == 0) {
            standing.next = i;
        }
        standing.end = i + 1;
    }
    std::vector<NodeIndex> queues;
    for (const auto& [queue, standing] : standings_) {
        queues.push_back(queue);
    }
    for (const auto queue : queues) {
        NodeIndex above = view_.node(queue).parent;
        while (above.is_valid() && standings_.try_emplace(above).second) {
            above = view_.node(above).parent;
        }
    }
    for (auto& [node, standing] : standings_) {
        enter(node, standing);
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

const Candidate* TargetQueues::candidate_of(const Standing& standing) const {
    if (standing.walk) {
        return standing.walk->current();
    }
    return standing.next < standing.end ? candidates_[standing.next] : nullptr;
}

TargetQueues::Standing& TargetQueues::standing_of(NodeIndex node) {
    const auto [at, is_new] = standings_.try_emplace(node);
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
    static const ShareContests::Order kNone(ShareContests::Before{});
    const auto* children = others_ == nullptr ? nullptr : others_->find(node);
    const auto& queues = children == nullptr ? kNone : children->queues;
    const auto& cohorts = children == nullptr ? kNone : children->cohorts;
    Cohort& made = cohorts_.try_emplace(node, queues, cohorts, &memory_).first->second;
    if (candidates_.empty() && is_ancestor(node)) {
        const NodeIndex child = child_of(node, preemptor_queue_);
        if (!standings_.contains(child)) {
            enter(child, standing_of(child));
        }
    }
    return made;
}

void TargetQueues::enter(NodeIndex index, Standing& standing) {
    ++standing.changes;
    const auto& node = view_.node(index);
    const Candidate* first = candidate_of(standing);
    if (!node.parent.is_valid() || (node.is_cluster_queue && first == nullptr)) {
        return;
    }
    const Share share = share_of(state_, view_, index);
    standing.share = rank_of(share);
    standing.borrows = share.is_borrowing();
    Cohort& parent = cohort(node.parent);
    Heap& heap = (node.is_cluster_queue ? parent.queues : parent.cohorts).changed;
    heap.push_back(
        {.contestant = {.share = standing.share, .first = first, .node = index},
         .changes = standing.changes}
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
        Standing& standing = standings_.at(node);
        const bool counts = first.changes == standing.changes && !standing.is_pruned;
        if (counts && (standing.borrows || node == preemptor_queue_ ||
                       (!view_.node(node).is_cluster_queue && is_ancestor(node)))) {
            return;
        }
        standing.is_pruned = standing.is_pruned || counts;
        std::pop_heap(heap.begin(), heap.end(), [this](const Entry& a, const Entry& b) {
            return gives_first(state_, b.contestant, a.contestant, preemptor_queue_);
        });
        heap.pop_back();
    }
}

void TargetQueues::pass_over_changed(Contest& contest, Children children) {
    for (; contest.next != contest.end; ++contest.next) {
        const Contestant& contestant = *contest.next;
        if (standings_.contains(contestant.node)) {
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
            Standing& standing = standing_of(contestant.node);
            enter(contestant.node, standing);
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
        if (!standings_.contains(at->node)) {
            found.push_back(at->node);
        }
    }
    for (const Entry& entry : contest.changed) {
        const NodeIndex node = entry.contestant.node;
        const Standing& standing = standings_.at(node);
        const bool counts = entry.changes == standing.changes && !standing.is_pruned;
        if (counts && entry.contestant.share == share && (standing.borrows || is_ancestor(node))) {
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
        enter(popped_, standing_of(popped_));
        popped_ = {};
    }
    const auto& own = view_.node(preemptor_queue_);
    if (!own.parent.is_valid()) {
        const Standing& standing = standing_of(preemptor_queue_);
        const bool is_left = !standing.is_pruned && candidate_of(standing) != nullptr;
        return is_left ? preemptor_queue_ : NodeIndex{};
    }
    while (!standing_of(own.root).is_pruned) {
        if (const auto found = descend(own.root)) {
            return found->node;
        }
    }
    return {};
}

const Candidate* TargetQueues::pop(NodeIndex queue) {
    Standing& standing = standing_of(queue);
    const Candidate* popped = candidate_of(standing);
    if (popped == nullptr) {
        return nullptr;
    }
    if (standing.walk) {
        standing.walk->advance();
    } else {
        ++standing.next;
    }
    popped_ = queue;
    return popped;
}

void TargetQueues::drop(NodeIndex node) {
    standing_of(node).is_pruned = true;
}

void TargetQueues::usage_changed(NodeIndex queue) {
    popped_ = popped_ == queue ? NodeIndex{} : popped_;
    for (NodeIndex at = queue; view_.node(at).parent.is_valid(); at = view_.node(at).parent) {
        enter(at, standing_of(at));
    }
}

}  // namespace sluice::engine
