// Records which workload holds how much quota, for each flavor-resource and quota tree node.
#pragma once

#include "engine/state/state.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::workload {

/// The amount that a workload holds of one flavor-resource, or that a cycle reserves for it.
struct Held {
    engine::WorkloadIndex workload;
    engine::NodeIndex cluster_queue;
    engine::Amount amount;
    /// Holds nothing yet: evictions are made for it, or it comes first in the queue.
    bool is_reserved = false;
};

/// Totals of one flavor-resource for a node and everything below it.
struct Subtree {
    engine::Amount usage;  ///< usage that counts in the node itself
    /// Unused quota that lending limits below the node keep from the node.
    engine::Amount kept_back;
    engine::NodeIndex keeper;  ///< the node that keeps the most of it; invalid if nothing is kept
};

/// Records which workload holds how much, by flavor-resource and node of the quota tree. Totals are
/// computed on the first query and updated as holders come and go.
///
/// *Lifetime*: keeps a reference to the state; valid until the state's next event.
/// *Cost*: the first query of a node and flavor-resource sorts the holders below the node. A change
/// updates one entry in each queried node above the holder. It moves all entries below a node when
/// that node starts or stops to use its parent's quota.
class Holdings {
  public:
    enum class Of : std::uint8_t { State, NoHolders };

    /// Starts with all holders of the state, or without any.
    Holdings(const engine::State& state, Of holders) : state_(&state), holders_(holders) {}

    /// Stops counting a holder of the state. Returns false if it did not count before.
    bool leave(engine::WorkloadIndex holder);
    /// Counts a holder again that left.
    void come_back(engine::WorkloadIndex holder);
    /// Counts an additional workload, which holds nothing in the state.
    void add(
        engine::NodeIndex cluster_queue,
        engine::WorkloadIndex workload,
        const engine::Usages& usages,
        bool is_reserved
    );

    /// Returns the totals of `node` as `asking` sees them: quota that lending limits keep in the
    /// nodes from `asking` up to `node` is available to `asking`. Requires: `asking` is `node` or a
    /// ClusterQueue below it.
    Subtree subtree(
        engine::NodeIndex asking, engine::NodeIndex node, engine::FlavorResourceIndex pair
    );

    /// Returns the largest holders of usage in `node`, or of quota kept for `asking`: sorted by
    /// amount, then by name, at most `count`. `min_priority`: only holders of at least that
    /// priority that hold their quota already.
    /// *Cost*: `count`, times the depth, times the number of different priorities.
    std::vector<Held> largest(
        engine::NodeIndex asking,
        engine::NodeIndex node,
        engine::FlavorResourceIndex pair,
        std::size_t count,
        std::optional<std::int64_t> min_priority = std::nullopt
    );

    /// Returns the holders of the state that do not count.
    const std::set<engine::WorkloadIndex>& absent() const { return absent_; }

  private:
    /// Sum of amounts that never overflows, so that each amount can be subtracted again.
    __extension__ using Sum = __int128;
    struct Entry {
        Held held;
        std::string_view key;
        bool operator<(const Entry& other) const;
    };
    using Entries = std::map<std::int64_t, std::set<Entry>>;  // by priority
    struct Keeper {
        Sum kept = 0;
        std::string_view name;
        engine::NodeIndex node;
        bool operator<(const Keeper& other) const;
    };
    struct Account {
        Sum usage = 0;
        Entries entries;  // of the usage that counts here
        Sum kept_back = 0;
        std::set<Keeper> keepers;  // nodes below this one
    };
    struct Addition {
        engine::WorkloadIndex workload;
        engine::Usages usages;
        bool is_reserved = false;
    };
    using Accounts = std::map<engine::NodeIndex, Account>;

    static engine::Amount to_amount(Sum sum);
    engine::Amount local(engine::NodeIndex node, engine::FlavorResourceIndex pair) const;
    /// Returns the part of the usage that exceeds the node's local quota and counts in the parent.
    Sum passed_on(engine::NodeIndex node, engine::FlavorResourceIndex pair, Sum usage) const;
    Keeper keeper(engine::NodeIndex node, engine::FlavorResourceIndex pair, Sum usage) const;
    Entry to_entry(const Held& held) const;
    void insert(Entries& entries, const Entry& entry) const;
    static void merge(Entries& entries, const Entries& others);
    static void take(Entries& entries, const Entries& others);

    Account& account(engine::NodeIndex node, engine::FlavorResourceIndex pair);
    void count_holders(
        engine::NodeIndex cluster_queue, engine::FlavorResourceIndex pair, Account& into
    ) const;
    void count_child(
        engine::NodeIndex child,
        engine::FlavorResourceIndex pair,
        const Account& below,
        Account& into
    ) const;
    void change(const Held& held, engine::FlavorResourceIndex pair, bool is_coming);
    void change_all(engine::WorkloadIndex holder, bool is_coming);
    /// Updates the parents of a node whose usage was `before` and whose entries have changed.
    void pass_on(
        engine::NodeIndex node,
        engine::FlavorResourceIndex pair,
        Sum before,
        Entries comes,
        Entries goes
    );
    void change_keeper(
        Accounts& accounts, engine::NodeIndex node, const Keeper& before, const Keeper& after
    ) const;

    const engine::State* state_;
    Of holders_;
    std::set<engine::WorkloadIndex> absent_;
    std::map<engine::NodeIndex, std::vector<Addition>> additions_;  // by ClusterQueue
    // A node is present only with all nodes below it.
    std::map<engine::FlavorResourceIndex, Accounts> accounts_;
};

}  // namespace sluice::workload
