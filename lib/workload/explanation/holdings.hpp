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

/// What a workload has of one flavor-resource, or what a cycle keeps for it.
struct Held {
    engine::WorkloadIndex workload;
    engine::NodeIndex cluster_queue;
    engine::Amount amount;
    bool is_reserved = false;  ///< it has nothing yet: others are evicted for it, or it comes first
};

/// What a node and those below it had of one flavor-resource.
struct Subtree {
    engine::Amount usage;      ///< what counts in the node itself
    engine::Amount kept_back;  ///< unused, and lent to none by lending limits below the node
    engine::NodeIndex keeper;  ///< what keeps most of that; invalid: nothing
};

/// Which workload holds how much, by flavor-resource and node of the quota tree, worked out as it
/// is asked for and kept up to date as holders come and go.
///
/// *Lifetime*: of the state and until its next event. *Cost*: of the first question about a node
/// and a flavor-resource that of the holders below the node, n log n; of a change, for each node
/// above it that was asked about, that of one entry, and of all below it where it begins or ceases
/// to use what others may have.
class Holdings {
  public:
    enum class Of : std::uint8_t { State, NoHolders };

    /// With all holders of the state, or without any.
    Holdings(const engine::State& state, Of holders) : state_(&state), holders_(holders) {}

    /// A holder of the state no longer counts. False: it did not before either.
    bool leave(engine::WorkloadIndex holder);
    /// It counts again.
    void come_back(engine::WorkloadIndex holder);
    /// One more that has something.
    void add(
        engine::NodeIndex cluster_queue,
        engine::WorkloadIndex workload,
        const engine::Usages& usages,
        bool is_reserved
    );

    /// As `asking` sees it, which is the node or a ClusterQueue below it: what lending limits keep
    /// back above `asking` is not kept from it.
    Subtree subtree(
        engine::NodeIndex asking, engine::NodeIndex node, engine::FlavorResourceIndex pair
    );

    /// Holders of what counts in the node or is kept for `asking`, the largest first, then by name.
    /// `min_priority`: only those of that priority or higher that hold it already.
    /// *Cost*: `count`, times the depth and the number of different priorities.
    std::vector<Held> largest(
        engine::NodeIndex asking,
        engine::NodeIndex node,
        engine::FlavorResourceIndex pair,
        std::size_t count,
        std::optional<std::int64_t> min_priority = std::nullopt
    );

    /// Those of the state that do not count.
    const std::set<engine::WorkloadIndex>& absent() const { return absent_; }

  private:
    /// Sums of amounts, which never overflow: what is added can be taken away again.
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
        Entries entries;  // of what it counts
        Sum kept_back = 0;
        std::set<Keeper> keepers;  // below it
    };
    struct Addition {
        engine::WorkloadIndex workload;
        engine::Usages usages;
        bool is_reserved = false;
    };
    using Accounts = std::map<engine::NodeIndex, Account>;

    static engine::Amount to_amount(Sum sum);
    engine::Amount local(engine::NodeIndex node, engine::FlavorResourceIndex pair) const;
    /// What of the usage counts in the parent.
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
    /// The usage of a node was another one `before`, and what counts in it has changed: its parents
    /// follow.
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
    std::map<engine::FlavorResourceIndex, Accounts> accounts_;  // of a node only with all below it
};

}  // namespace sluice::workload
