#pragma once

#include "base/small_vector.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <compare>
#include <cstdint>

namespace sluice::engine {

/// The dominant resource share of a node: what it borrows of the most borrowed resource, in
/// thousandths of what could be lent, by weight (KEP-1714). Doubles in upstream's order of
/// operations, so that ties fall alike.
struct Share {
    double unweighted_ratio = 0.0;
    double weight = 1.0;
    SmallVector<FlavorResourceIndex, 4> borrowed;  ///< sorted

    bool is_borrowing() const { return !borrowed.empty(); }
    /// Whether something of `requested` above 0 is borrowed.
    bool is_borrowing_on(const Usages& requested) const;
    /// Infinity for a borrower of weight 0.
    double weighted() const;
    /// As status.fairSharing.weightedShare reports it: rounded up, the largest integer for
    /// infinity.
    std::int64_t rounded() const;
};

/// What shares are compared by: larger ranks give way to smaller ones.
struct ShareRank {
    bool borrows_without_weight = false;
    double value = 0.0;
    friend auto operator<=>(const ShareRank&, const ShareRank&) = default;
};
/// A borrower of weight 0 ranks above all others, and among its like by what it borrows.
ShareRank rank_of(const Share& share);

/// Negative when a's share is lower (a is served first, b is the better victim), 0 when they are
/// equal.
int compare(const Share& a, const Share& b);

/// Returns the share of a ClusterQueue or cohort with the usage that the view shows, and with
/// `more`; zero for a root. Requires: the view is of the state's tree.
Share share_of(const State& state, const UsageView& view, NodeIndex node, const Usages& more = {});
/// Returns the share with the usage of the state.
inline Share share_of(const State& state, NodeIndex node) {
    return share_of(state, UsageView(state.tree()), node);
}

}  // namespace sluice::engine
