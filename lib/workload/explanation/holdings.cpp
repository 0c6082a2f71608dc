#include "workload/explanation/holdings.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sluice::workload {

using engine::Amount;
using engine::FlavorResourceIndex;
using engine::NodeIndex;
using engine::WorkloadIndex;

bool Holdings::Entry::operator<(const Entry& other) const {
    if (held.amount != other.held.amount) {
        return held.amount > other.held.amount;
    }
    return std::tie(key, held.workload, held.is_reserved) <
           std::tie(other.key, other.held.workload, other.held.is_reserved);
}

bool Holdings::Keeper::operator<(const Keeper& other) const {
    return kept != other.kept ? kept > other.kept
                              : std::tie(name, node) < std::tie(other.name, other.node);
}

Amount Holdings::to_amount(Sum sum) {
    const Sum low = Amount::lowest().value();
    const Sum high = Amount::unlimited().value();
    return Amount(static_cast<std::int64_t>(std::clamp(sum, low, high)));
}

Amount Holdings::local(NodeIndex node, FlavorResourceIndex pair) const {
    return state_->tree().cell(node, pair).local();
}

Holdings::Sum Holdings::passed_on(NodeIndex node, FlavorResourceIndex pair, Sum usage) const {
    return max(Amount(), to_amount(usage) - local(node, pair)).value();
}

Holdings::Keeper Holdings::keeper(NodeIndex node, FlavorResourceIndex pair, Sum usage) const {
    return {
        .kept = max(Amount(), local(node, pair) - to_amount(usage)).value(),
        .name = state_->tree().node(node).name,
        .node = node,
    };
}

Holdings::Entry Holdings::to_entry(const Held& held) const {
    return {.held = held, .key = state_->workload_key(held.workload)};
}

void Holdings::insert(Entries& entries, const Entry& entry) const {
    entries[state_->workload(entry.held.workload).priority].insert(entry);
}

void Holdings::merge(Entries& entries, const Entries& others) {
    for (const auto& [priority, more] : others) {
        entries[priority].insert(more.begin(), more.end());
    }
}

void Holdings::take(Entries& entries, const Entries& others) {
    for (const auto& [priority, gone] : others) {
        auto& left = entries[priority];
        for (const Entry& entry : gone) {
            left.erase(entry);
        }
    }
}

void Holdings::count_holders(NodeIndex cluster_queue, FlavorResourceIndex pair, Account& into)
    const {
    const auto count = [&](WorkloadIndex workload, Amount amount, bool is_reserved) {
        into.usage += amount.value();
        if (amount > Amount()) {
            insert(into.entries, to_entry({workload, cluster_queue, amount, is_reserved}));
        }
    };
    if (holders_ == Of::State) {
        for (const auto holder : state_->cluster_queue(cluster_queue).holders) {
            if (!absent_.contains(holder)) {
                const auto& usages = state_->workload(holder).holding->usages;
                count(holder, engine::amount_of(usages, pair), false);
            }
        }
    }
    if (const auto added = additions_.find(cluster_queue); added != additions_.end()) {
        for (const auto& [workload, usages, is_reserved] : added->second) {
            count(workload, engine::amount_of(usages, pair), is_reserved);
        }
    }
}

void Holdings::count_child(
    NodeIndex child, FlavorResourceIndex pair, const Account& below, Account& into
) const {
    const Sum used_by_child = passed_on(child, pair, below.usage);
    if (used_by_child > 0) {  // otherwise its holders use only what no other node may have
        into.usage += used_by_child;
        merge(into.entries, below.entries);
    }
    into.kept_back += below.kept_back;
    into.keepers.insert(below.keepers.begin(), below.keepers.end());
    const Keeper kept = keeper(child, pair, below.usage);
    if (kept.kept > 0) {
        into.kept_back += kept.kept;
        into.keepers.insert(kept);
    }
}

Holdings::Account& Holdings::account(NodeIndex index, FlavorResourceIndex pair) {
    auto& accounts = accounts_[pair];
    if (const auto found = accounts.find(index); found != accounts.end()) {
        return found->second;
    }
    std::vector<NodeIndex> parents_first{index};
    for (std::size_t i = 0; i < parents_first.size(); ++i) {
        for (const NodeIndex child : state_->tree().node(parents_first[i]).children) {
            if (!accounts.contains(child)) {
                parents_first.push_back(child);
            }
        }
    }
    for (std::size_t i = parents_first.size(); i-- > 0;) {
        const NodeIndex at = parents_first[i];
        const auto& node = state_->tree().node(at);
        Account made;
        if (node.is_cluster_queue) {
            count_holders(at, pair, made);
        }
        for (const NodeIndex child : node.children) {
            count_child(child, pair, accounts.at(child), made);
        }
        accounts.emplace(at, std::move(made));
    }
    return accounts.at(index);
}

void Holdings::change_keeper(
    Accounts& accounts, NodeIndex node, const Keeper& before, const Keeper& after
) const {
    const auto& tree = state_->tree();
    for (NodeIndex at = tree.node(node).parent; at.is_valid(); at = tree.node(at).parent) {
        const auto found = accounts.find(at);
        if (found == accounts.end()) {
            return;
        }
        Account& above = found->second;
        above.kept_back += after.kept - before.kept;
        if (before.kept > 0) {
            above.keepers.erase(before);
        }
        if (after.kept > 0) {
            above.keepers.insert(after);
        }
    }
}

void Holdings::pass_on(
    NodeIndex node, FlavorResourceIndex pair, Sum before, Entries comes, Entries goes
) {
    Accounts& accounts = accounts_[pair];
    for (NodeIndex at = node;; at = state_->tree().node(at).parent) {
        const Account& here = accounts.at(at);
        const Keeper kept_before = keeper(at, pair, before);
        const Keeper kept_after = keeper(at, pair, here.usage);
        if (kept_before.kept != kept_after.kept) {
            change_keeper(accounts, at, kept_before, kept_after);
        }
        const NodeIndex parent = state_->tree().node(at).parent;
        const auto found = parent.is_valid() ? accounts.find(parent) : accounts.end();
        if (found == accounts.end()) {
            return;
        }
        const Sum passed_before = passed_on(at, pair, before);
        const Sum passed_after = passed_on(at, pair, here.usage);
        if (passed_before == 0 && passed_after == 0) {
            return;
        }
        if (passed_before == 0) {  // starts to use the parent's quota: all its entries count there
            comes = here.entries;
            goes.clear();
        } else if (passed_after == 0) {  // no longer uses the parent's quota
            merge(goes, here.entries);
            take(goes, comes);
            comes.clear();
        }
        Account& above = found->second;
        before = above.usage;
        above.usage += passed_after - passed_before;
        take(above.entries, goes);
        merge(above.entries, comes);
    }
}

void Holdings::change(const Held& held, FlavorResourceIndex pair, bool is_coming) {
    Accounts& accounts = accounts_[pair];
    const auto found = accounts.find(held.cluster_queue);
    if (found == accounts.end() || held.amount == Amount()) {
        return;  // counted on the first query
    }
    Account& account = found->second;
    const Sum before = account.usage;
    account.usage += is_coming ? Sum(held.amount.value()) : -Sum(held.amount.value());
    Entries comes;
    Entries goes;
    if (held.amount > Amount()) {
        insert(is_coming ? comes : goes, to_entry(held));
        take(account.entries, goes);
        merge(account.entries, comes);
    }
    pass_on(held.cluster_queue, pair, before, std::move(comes), std::move(goes));
}

bool Holdings::leave(WorkloadIndex holder) {
    if (!absent_.insert(holder).second) {
        return false;
    }
    change_all(holder, false);
    return true;
}

void Holdings::come_back(WorkloadIndex holder) {
    absent_.erase(holder);
    change_all(holder, true);
}

void Holdings::change_all(WorkloadIndex holder, bool is_coming) {
    const auto& holding = *state_->workload(holder).holding;
    for (const auto& [pair, amount] : holding.usages) {
        change({holder, holding.cluster_queue, amount, false}, pair, is_coming);
    }
}

void Holdings::add(
    NodeIndex cluster_queue, WorkloadIndex workload, const engine::Usages& usages, bool is_reserved
) {
    Addition& added = additions_[cluster_queue].emplace_back();
    added.workload = workload;
    added.is_reserved = is_reserved;
    for (const auto& [pair, amount] : usages) {
        if (amount > Amount()) {  // a negative amount never leaves its ClusterQueue
            added.usages.push_back({.flavor_resource = pair, .amount = amount});
            change({workload, cluster_queue, amount, is_reserved}, pair, true);
        }
    }
}

Subtree Holdings::subtree(NodeIndex asking, NodeIndex node, FlavorResourceIndex pair) {
    const Account& found = account(node, pair);
    Sum kept_back = found.kept_back;
    std::set<NodeIndex> path;
    for (NodeIndex at = asking; at != node; at = state_->tree().node(at).parent) {
        path.insert(at);
        kept_back -= keeper(at, pair, account(at, pair).usage).kept;
    }
    const auto first = std::ranges::find_if(found.keepers, [&](const Keeper& keeper) {
        return !path.contains(keeper.node);
    });
    return {
        .usage = to_amount(found.usage),
        .kept_back = to_amount(kept_back),
        .keeper = first == found.keepers.end() ? NodeIndex{} : first->node,
    };
}

std::vector<Held> Holdings::largest(
    NodeIndex asking,
    NodeIndex node,
    FlavorResourceIndex pair,
    std::size_t count,
    std::optional<std::int64_t> min_priority
) {
    std::vector<const Entry*> found;
    const auto collect = [&](const Entries& entries) {
        auto at = min_priority ? entries.lower_bound(*min_priority) : entries.begin();
        for (; at != entries.end(); ++at) {
            std::size_t left = count;
            for (auto entry = at->second.begin(); left > 0 && entry != at->second.end(); ++entry) {
                if (!min_priority || !entry->held.is_reserved) {
                    found.push_back(&*entry);
                    --left;
                }
            }
        }
    };
    collect(account(node, pair).entries);
    for (NodeIndex at = asking; at != node; at = state_->tree().node(at).parent) {
        const Account& below = account(at, pair);
        if (passed_on(at, pair, below.usage) == 0) {
            collect(below.entries);  // otherwise the parent's entries include them
        }
    }
    std::ranges::sort(found, [](const Entry* a, const Entry* b) { return *a < *b; });
    found.resize(std::min(found.size(), count));
    std::vector<Held> made;
    made.reserve(found.size());
    for (const Entry* entry : found) {
        made.push_back(entry->held);
    }
    return made;
}

}  // namespace sluice::workload
