#include "insight/levels.hpp"

#include "engine/quota/usage_view.hpp"
#include "workload/pods/amounts.hpp"

#include <string>

namespace sluice::insight {
namespace {

using engine::Amount;

/// Returns what the cell's subtree may still take from the quota that it shares.
Amount shared_room(const engine::QuotaCell& cell) {
    return cell.subtree - cell.local() - max(Amount(), cell.usage - cell.local());
}

}  // namespace

std::vector<api::ExplainedLevel> find_levels(
    const engine::State& state, engine::NodeIndex cluster_queue, engine::FlavorResourceIndex pair
) {
    const engine::UsageView view(state.tree());
    const auto room = view.room(cluster_queue, pair);
    const std::string& resource = state.resource_name(state.resource_of(pair));
    const auto print = [&](Amount amount) { return workload::to_text(resource, amount); };
    std::vector<api::ExplainedLevel> levels;
    Amount kept;  // the quota that the nodes so far keep from those above, and do not use
    for (auto at = cluster_queue; at.is_valid(); at = state.tree().node(at).parent) {
        const auto& node = state.tree().node(at);
        const engine::QuotaCell& cell = state.tree().cell(at, pair);
        api::ExplainedLevel level;
        level.node = (node.is_cluster_queue ? "clusterQueue/" : "cohort/") + node.name;
        level.nominal = print(cell.subtree);
        level.used = print(cell.usage);
        if (const Amount over = cell.usage - cell.subtree; over > Amount()) {
            level.borrowed = print(over);
        }
        kept += cell.local_available();
        if (!node.parent.is_valid() || cell.borrowing_limit) {
            const Amount limit =
                node.parent.is_valid() ? cell.borrowing_limit.value_or(Amount()) : Amount();
            level.may_take = print(max(Amount(), kept + shared_room(cell) + limit));
        }
        if (node.is_cluster_queue) {
            level.own = print(max(Amount(), cell.subtree - cell.usage));
        }
        if (cell.borrowing_limit) {
            level.borrowing_limit = print(*cell.borrowing_limit);
        }
        if (cell.lending_limit) {
            level.lending_limit = print(*cell.lending_limit);
        }
        level.binding = at == room.bottleneck.node;
        levels.push_back(std::move(level));
    }
    return levels;
}

}  // namespace sluice::insight
