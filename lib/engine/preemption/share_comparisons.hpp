// The nodes from which fair sharing could take victims, ordered by their shares (KEP-1714).
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

/// A child of a cohort, with the values by which it competes with the other children to lose a
/// victim.
struct Contestant {
    ShareRank share;
    const Candidate* first = nullptr;  ///< ClusterQueues: the best victim
    NodeIndex node;
};

/// Returns true if victims are taken from `a` before `b`; both are ClusterQueues or both are
/// cohorts. The larger share comes first, then the better victim, with the preemptor's own
/// ClusterQueue ranked last. The order of cohorts with equal shares has no meaning.
bool gives_first(
    const State& state, const Contestant& a, const Contestant& b, NodeIndex preemptor_queue
);

/// The ClusterQueues from which fair sharing could take victims that use what a preemptor needs:
/// for each cohort, the children that borrow and have such holders, ordered by their shares with
/// the usage that the view shows. The search decides which of these holders the preemptor may
/// evict, and tracks its own changes.
///
/// *Cost*: at first proportional to the holders of the ClusterQueues above their quota; then, for
/// each change, the depth times the logarithm of the number of children.
class ShareComparisons {
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

    /// Builds the orders for the tree below `root` and for workloads that need `needed`.
    ShareComparisons(const PreemptionContext& context, NodeIndex root, FlavorResources needed);

    /// Reports that the usage or the holders of a ClusterQueue of the tree have changed; required
    /// after each such change.
    void update(NodeIndex cluster_queue);

    /// Returns the children of that cohort; nullptr if it never had a child that could lose a
    /// victim.
    const Children* find(NodeIndex cohort) const {
        const auto at = children_.find(cohort);
        return at == children_.end() ? nullptr : &at->second;
    }
    /// Returns the highest share of the node's siblings; nullopt if none of them can lose a victim.
    std::optional<ShareRank> highest_beside(NodeIndex node) const;

  private:
    Children make_children() const {
        return {
            .queues = Order(Before{&context_.state}), .cohorts = Order(Before{&context_.state})
        };
    }
    /// Moves the node to its current place in the order, or removes it.
    void place(NodeIndex node);
    std::optional<Contestant> contestant_of(NodeIndex node);

    PreemptionContext context_;
    FlavorResources needed_;
    std::map<NodeIndex, Children> children_;
    std::map<NodeIndex, Contestant> contestants_;  // the contents of all orders, by node
};

}  // namespace sluice::engine
