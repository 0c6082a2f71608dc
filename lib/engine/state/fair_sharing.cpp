#include "engine/state/fair_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::engine {
namespace {

bool borrows_with_weight_zero(const Share& share) {
    return share.weight == 0.0 && share.unweighted_ratio != 0.0;
}

}  // namespace

bool Share::is_borrowing_on(const Usages& requested) const {
    return std::any_of(requested.begin(), requested.end(), [this](const Usage& usage) {
        return usage.amount > Amount() &&
               std::binary_search(borrowed.begin(), borrowed.end(), usage.flavor_resource);
    });
}

double Share::weighted() const {
    if (unweighted_ratio == 0.0) {
        return 0.0;
    }
    return weight == 0.0 ? std::numeric_limits<double>::infinity() : unweighted_ratio / weight;
}

std::int64_t Share::rounded() const {
    const double value = std::ceil(weighted());
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    return value >= static_cast<double>(kMax) ? kMax : static_cast<std::int64_t>(value);
}

ShareRank rank_of(const Share& share) {
    const bool without_weight = borrows_with_weight_zero(share);
    return {without_weight, without_weight ? share.unweighted_ratio : share.weighted()};
}

int compare(const Share& a, const Share& b) {
    const auto order = rank_of(a) <=> rank_of(b);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
}

Share share_of(const State& state, const UsageView& view, NodeIndex index, const Usages& more) {
    const auto& node = view.node(index);
    Share share;
    share.weight = node.weight;
    if (!node.parent.is_valid()) {
        return share;
    }
    struct Borrowed {
        ResourceIndex resource;
        Amount amount;
        Amount lendable;
    };
    SmallVector<Borrowed, 8> borrowed;
    const auto of = [&borrowed](ResourceIndex resource) {
        return std::find_if(borrowed.begin(), borrowed.end(), [resource](const Borrowed& b) {
            return b.resource == resource;
        });
    };
    auto added = more.begin();
    for (const auto& cell : view.cells(index)) {
        added = std::find_if(added, more.end(), [&cell](const Usage& usage) {
            return usage.flavor_resource >= cell.flavor_resource;
        });
        const bool is_added = added != more.end() && added->flavor_resource == cell.flavor_resource;
        const Amount usage = is_added ? cell.usage + added->amount : cell.usage;
        const Amount above = usage - cell.subtree;
        if (cell.declared() && above > Amount()) {
            const auto resource = state.resource_of(cell.flavor_resource);
            auto at = of(resource);
            if (at == borrowed.end()) {
                at = borrowed.insert(at, Borrowed{.resource = resource});
            }
            at->amount += above;
            share.borrowed.push_back(cell.flavor_resource);
        }
    }
    if (borrowed.empty()) {
        return share;
    }
    for (const auto& cell : view.node(node.root).cells) {
        const auto at = of(state.resource_of(cell.flavor_resource));
        if (cell.declared() && at != borrowed.end()) {
            at->lendable += view.potential_available(node.parent, cell.flavor_resource);
        }
    }
    for (const auto& [resource, amount, lendable] : borrowed) {
        if (lendable > Amount()) {
            const double ratio = static_cast<double>(amount.value()) * 1000.0 /
                                 static_cast<double>(lendable.value());
            share.unweighted_ratio = std::max(share.unweighted_ratio, ratio);
        }
    }
    return share;
}

}  // namespace sluice::engine
