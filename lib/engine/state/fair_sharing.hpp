// Dominant resource shares of ClusterQueues and cohorts (KEP-1714).
#pragma once

#include "base/small_vector.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <compare>
#include <cstdint>

namespace sluice::engine {

/// The dominant resource share of a node: what it borrows of its most borrowed resource, in
/// thousandths of what could be lent, divided by its weight. It is computed with doubles in Kueue's
/// order of operations, so that ties are the same as Kueue's.
struct Share {
    double unweighted_ratio = 0.0;
    double weight = 1.0;
    SmallVector<FlavorResourceIndex, 4> borrowed;  ///< sorted

    bool is_borrowing() const { return !borrowed.empty(); }
    /// Returns true if the node borrows a flavor-resource of which `requested` has more than 0.
    bool is_borrowing_on(const Usages& requested) const;
    /// Returns the ratio divided by the weight; infinity for a borrower of weight 0.
    double weighted() const;
    /// Returns the share as status.fairSharing.weightedShare reports it: rounded up; the largest
    /// integer for infinity.
    std::int64_t rounded() const;
};

/// The key by which shares are compared. A node with a smaller rank is served first.
struct ShareRank {
    bool borrows_without_weight = false;
    double value = 0.0;
    friend auto operator<=>(const ShareRank&, const ShareRank&) = default;
};
/// Returns the rank of a share. Borrowers of weight 0 rank above all other nodes, and among each
/// other by their unweighted ratio.
ShareRank rank_of(const Share& share);

/// Returns a negative number if a's share is lower: a is served first, and b loses workloads first.
/// Returns 0 if the shares are equal.
int compare(const Share& a, const Share& b);

/// Returns the share of a ClusterQueue or cohort, with the usage that the view shows and with
/// `more`; 0 for a root. Requires: the view is of the state's tree.
Share share_of(const State& state, const UsageView& view, NodeIndex node, const Usages& more = {});
/// Returns the share with the usage of the state.
inline Share share_of(const State& state, NodeIndex node) {
    return share_of(state, UsageView(state.tree()), node);
}

}  // namespace sluice::engine
