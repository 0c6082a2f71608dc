// Groups of pending workloads, and their order by key.
#pragma once

#include "base/cow.hpp"
#include "engine/types/ids.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

namespace sluice::engine {

/// The key by which pending workloads form a group. The workloads of a group differ only in
/// timestamp and name, so one entry in the heap represents them all.
struct GroupKey {
    std::uint64_t scheduling_class = 0;
    std::int64_t priority = 0;
    LocalQueueIndex local_queue;
    /// Its workloads have a back-off, ended or not: a wake-up asks each of them.
    bool is_backed_off = false;
    friend auto operator<=>(const GroupKey&, const GroupKey&) = default;

    /// Returns the key that comes before all others of the scheduling class.
    static GroupKey first_of(std::uint64_t scheduling_class) {
        return {
            .scheduling_class = scheduling_class,
            .priority = std::numeric_limits<std::int64_t>::min(),
            .local_queue = make_index<LocalQueueIndex>(0),
        };
    }

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &GroupKey::scheduling_class,
            &GroupKey::priority,
            &GroupKey::local_queue,
            &GroupKey::is_backed_off
        );
    }
};

/// The waiting and the parked workloads of one key. Each is on one of two sides, and the group says
/// which side waits: to exchange the sides wakes or parks all.
class PendingGroup {
  public:
    GroupKey key;
    double usage = 0.0;                 ///< that of its LocalQueue, under admission fair sharing
    std::uint32_t heap_position = 0;    ///< valid if the group has waiting members
    std::uint32_t parked_position = 0;  ///< valid if the group has parked members
    std::uint8_t waiting_side = 0;

    std::uint8_t parked_side() const { return static_cast<std::uint8_t>(1 - waiting_side); }
    /// Returns the members of a side, in the order of a heap. *Lifetime*: until a change.
    std::span<const WorkloadIndex> side(std::uint8_t side) const {
        if (many_ != nullptr) {
            return many_->sides[side];
        }
        return {&only_, only_.is_valid() && only_side_ == side ? 1U : 0U};
    }
    std::span<const WorkloadIndex> waiting() const { return side(waiting_side); }
    std::span<const WorkloadIndex> parked() const { return side(parked_side()); }
    bool is_empty() const { return many_ == nullptr && !only_.is_valid(); }

    /// Appends a member to a side, regardless of the order.
    void append(std::uint8_t side, WorkloadIndex member);
    /// Returns the members of a side for changes of their order. *Lifetime*: until another change.
    std::span<WorkloadIndex> write_side(std::uint8_t side) {
        if (many_ != nullptr) {
            return many_.write().sides[side];
        }
        return {&only_, only_.is_valid() && only_side_ == side ? 1U : 0U};
    }
    /// Removes the last member of a side. Requires: it has one.
    void drop_last(std::uint8_t side);
    /// Removes all members of a side, and returns them.
    std::vector<WorkloadIndex> take(std::uint8_t side);

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &PendingGroup::key,
            &PendingGroup::usage,
            &PendingGroup::heap_position,
            &PendingGroup::parked_position,
            &PendingGroup::waiting_side,
            &PendingGroup::only_side_,
            &PendingGroup::only_,
            &PendingGroup::many_
        );
    }

  private:
    struct Many {
        std::array<std::vector<WorkloadIndex>, 2> sides;

        /// All members, for save() and load().
        static constexpr auto members() { return std::tuple(&Many::sides); }
    };

    // Very many groups have one member, so that one needs no memory of its own.
    std::uint8_t only_side_ = 0;
    WorkloadIndex only_;
    CowPtr<Many> many_;  // null unless it had several members since it was empty
};

/// The groups of one ClusterQueue by number, and their order by key. Copies share chunks of both.
class PendingGroups {
  public:
    const PendingGroup& operator[](std::uint32_t number) const { return groups_[number]; }
    PendingGroup& write(std::uint32_t number) { return groups_.write(number); }

    /// Returns the group of that key; a new key gets a group.
    std::uint32_t find_or_add(const GroupKey& key);
    /// Removes a group; another one may get its number.
    void erase(std::uint32_t number);

    /// Calls `visit` with the number of each group, in the order of their keys, from the first
    /// whose key is not before `from` until `visit` returns false.
    template <class Visit>
    void for_each_from(const GroupKey& from, const Visit& visit) const {
        for (Place at = lower_bound(from); at.leaf < leaves_.size(); ++at.leaf, at.slot = 0) {
            for (; at.slot < leaves_[at.leaf]->size(); ++at.slot) {
                if (!visit((*leaves_[at.leaf])[at.slot])) {
                    return;
                }
            }
        }
    }
    /// Calls `visit` with the number of each group, in the order of their keys.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const auto& leaf : leaves_) {
            for (const auto number : *leaf) {
                visit(number);
            }
        }
    }

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(self.groups_, self.free_, self.leaves_);
    }

  private:
    static constexpr std::size_t kLeafSize = 64;
    using Leaf = std::vector<std::uint32_t>;  // at most kLeafSize groups, and at least one
    struct Place {
        std::size_t leaf = 0;
        std::size_t slot = 0;
    };

    /// Returns the place of the first group whose key is not before `key`; it may be the end of a
    /// leaf, but only of the last one.
    Place lower_bound(const GroupKey& key) const;
    void insert(Place at, std::uint32_t number);

    CowVector<PendingGroup, 16> groups_;
    CowVector<std::uint32_t, 64> free_;  // unused numbers
    std::vector<CowPtr<Leaf>> leaves_;
};

}  // namespace sluice::engine
