#pragma once

#include "engine/preemption/candidate_lists.hpp"
#include "engine/preemption/preemption_context.hpp"
#include "engine/state/fair_sharing.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sluice::engine {

/// A child of a cohort as it stands among those to take victims from.
struct Contestant {
    ShareRank share;
    const Candidate* first = nullptr;  ///< ClusterQueues: the first victim
    NodeIndex node;
};

/// Returns true if victims are taken from `a` before `b`, both ClusterQueues or both cohorts: the
/// larger share, then the better victim, for which the preemptor's own ClusterQueue stands back.
/// Between cohorts with equal shares the order has no meaning.
bool gives_first(
    const State& state, const Contestant& a, const Contestant& b, NodeIndex preemptor_queue
);

/// The ClusterQueues from which fair sharing could take victims that use what a preemptor needs, by
/// their shares as usage is: of each cohort the children that borrow and have such holders. Which
/// of those the preemptor may evict, and what it changes itself, is the search's to find out.
///
/// *Cost*: of the holders of the ClusterQueues above their quota at first, then of a change the
/// depth times the logarithm of the children.
class ShareContests {
  public:
    struct Before {
        const State* state = nullptr;
        bool operator()(const Contestant& a, const Contestant& b) const {
            return gives_first(*state, a, b, {});
        }
    };
    using Order = std::set<Contestant, Before>;
    struct Children {
        Order queues;
        Order cohorts;
    };

    /// Of the tree below `root`, for workloads that need `needed`.
    ShareContests(const PreemptionContext& context, NodeIndex root, FlavorResources needed);

    /// To be called for each ClusterQueue of the tree whose usage or holders have changed.
    void update(NodeIndex cluster_queue);

    /// The children of that cohort; nullptr: none was ever among them.
    const Children* find(NodeIndex cohort) const {
        const auto at = children_.find(cohort);
        return at == children_.end() ? nullptr : &at->second;
    }
    /// The highest share among the children of the node's parent but itself.
    std::optional<ShareRank> highest_beside(NodeIndex node) const;

  private:
    Children make_children() const {
        return {
            .queues = Order(Before{&context_.state}), .cohorts = Order(Before{&context_.state})
        };
    }
    /// Puts the node where it stands now, or takes it out.
    void place(NodeIndex node);
    std::optional<Contestant> contestant_of(NodeIndex node);

    PreemptionContext context_;
    FlavorResources needed_;
    std::map<NodeIndex, Children> children_;
    std::map<NodeIndex, Contestant> standing_;  // which is in which set of children
};

}  // namespace sluice::engine
