// The pending workloads of one ClusterQueue, grouped by scheduling class.
#pragma once

#include "base/small_vector.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/types/ids.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
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

/// The pending workloads of one ClusterQueue. Each workload is either waiting, which means that
/// cycles try it, or parked until an event that may help it. Kueue calls the two the heap and
/// inadmissibleWorkloads.
///
/// A group keeps its waiting and its parked members in two heaps. Waking or parking a group that
/// has members of one kind only exchanges the two heaps: O(log groups), however many members it
/// has. If the group has both kinds, the smaller heap is merged into the larger one.
///
/// The records belong to the State. Functions that move a workload take the records as an argument
/// and write the workload's place into its record. Callers always pass the records of the same
/// State.
class PendingQueue {
  public:
    using Records = WorkloadRecords;

    /// Adds a waiting workload. `usage`: what its LocalQueue has used under admission fair sharing,
    /// 0 without it. Requires: the workload is not queued.
    void push(Records& records, WorkloadIndex workload, bool is_backed_off, double usage);
    /// Adds a parked workload. Otherwise like push().
    void park(Records& records, WorkloadIndex workload, bool is_backed_off, double usage);
    /// Removes a workload. Requires: the workload is in this queue.
    void remove(Records& records, WorkloadIndex workload);

    /// Parks the waiting workloads of a scheduling class.
    void park_class(Records& records, std::uint64_t scheduling_class);

    /// Makes parked workloads wait again if `may_wake(LocalQueueIndex)` returns true for their
    /// LocalQueue. In groups that are in back-off, only members for which
    /// `has_ended(WorkloadIndex)` returns true wake.
    template <class MayWake, class HasEnded>
    void wake(Records& records, const MayWake& may_wake, const HasEnded& has_ended) {
        std::vector<std::uint32_t> woken;
        std::vector<WorkloadIndex> ended;
        for (const auto index : parked_groups_) {
            const Group& group = groups_[index];
            if (!may_wake(group.key.local_queue)) {
                continue;
            }
            if (!group.key.is_backed_off) {
                woken.push_back(index);
                continue;
            }
            for (const auto workload : group.parked()) {
                if (has_ended(workload)) {
                    ended.push_back(workload);
                }
            }
        }
        wake_groups(records, woken);
        for (const auto workload : ended) {
            const double usage = groups_[records[workload.at()].group].usage;
            remove(records, workload);
            push(records, workload, true, usage);
        }
    }

    /// Updates the usage of each LocalQueue to `usage_of(LocalQueueIndex)`, and restores the order
    /// of the heap.
    template <class UsageOf>
    void reorder(const Records& records, const UsageOf& usage_of) {
        for (const auto& [key, index] : by_key_) {
            groups_[index].usage = usage_of(key.local_queue);
        }
        make_heap(records);
    }

    /// Returns the workload that is served first, not considering the sticky preemptor. Requires:
    /// has_waiting().
    WorkloadIndex first() const { return groups_[heap_.front()].waiting().front(); }
    bool has_waiting() const { return !heap_.empty(); }
    std::size_t waiting() const { return waiting_; }  ///< Number of waiting workloads.
    std::size_t parked() const { return parked_; }    ///< Number of parked workloads.
    /// Returns true if the workload is waiting, false if it is parked. Requires: the workload is in
    /// this queue.
    bool is_waiting(const WorkloadRecord& record) const {
        return groups_[record.group].waiting_side == record.side;
    }
    /// Returns true if the LocalQueues of both workloads have the same usage. Requires: both are in
    /// this queue.
    bool is_usage_equal(const WorkloadRecord& a, const WorkloadRecord& b) const {
        return groups_[a.group].usage == groups_[b.group].usage;
    }

    /// Calls `visit` with each waiting workload, group by group in the order of their keys.
    template <class Visit>
    void for_each_waiting(const Visit& visit) const {
        for (const auto& [key, index] : by_key_) {
            for (const auto workload : groups_[index].waiting()) {
                visit(workload);
            }
        }
    }
    /// Calls `visit` with each parked workload, group by group in the order of their keys.
    template <class Visit>
    void for_each_parked(const Visit& visit) const {
        for (const auto& [key, index] : by_key_) {
            for (const auto workload : groups_[index].parked()) {
                visit(workload);
            }
        }
    }

    /// Returns a description of the first inconsistency, for audit(); empty if the queue is sound.
    const char* find_fault(const Records& records) const;

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(
            self.by_key_,
            self.groups_,
            self.free_,
            self.heap_,
            self.parked_groups_,
            self.empty_,
            self.waiting_,
            self.parked_
        );
    }

  private:
    static constexpr std::uint32_t kNone = WorkloadRecord::kNoGroup;
    using Members = SmallVector<WorkloadIndex, 2>;  // a heap by timestamp, uid and key

    struct Group {
        GroupKey key;
        double usage = 0.0;
        std::array<Members, 2> sides;
        std::uint8_t waiting_side = 0;
        std::uint32_t heap_position = 0;    ///< valid if the group has waiting members
        std::uint32_t parked_position = 0;  ///< valid if the group has parked members

        Members& waiting() { return sides[waiting_side]; }
        const Members& waiting() const { return sides[waiting_side]; }
        Members& parked() { return sides[1 - waiting_side]; }
        const Members& parked() const { return sides[1 - waiting_side]; }
        bool is_empty() const { return sides[0].empty() && sides[1].empty(); }

        /// All members, for save() and load().
        static constexpr auto members() {
            return std::tuple(
                &Group::key,
                &Group::usage,
                &Group::sides,
                &Group::waiting_side,
                &Group::heap_position,
                &Group::parked_position
            );
        }
    };

    std::uint32_t group_of(const GroupKey& key, double usage);
    void keep_or_erase(std::uint32_t index);
    static bool is_earlier(const Records& records, WorkloadIndex a, WorkloadIndex b);
    static void place(Records& records, Members& members, std::size_t at, WorkloadIndex workload);
    static void member_up(Records& records, Members& members, std::size_t at);
    static void member_down(Records& records, Members& members, std::size_t at);
    static void add_member(Records& records, Group& group, std::uint8_t side, WorkloadIndex added);
    /// Moves the members of one side to the other side.
    static void merge(Records& records, Group& group, std::uint8_t from);

    bool is_before(const Records& records, std::uint32_t a, std::uint32_t b) const;
    void group_up(const Records& records, std::size_t at);
    void group_down(const Records& records, std::size_t at);
    void make_heap(const Records& records);
    void add_to_heap(const Records& records, std::uint32_t index);
    void take_from_heap(const Records& records, std::uint32_t index);
    void list_as_parked(std::uint32_t index);
    void unlist_as_parked(std::uint32_t index);
    /// Wakes all parked members of these groups. Requires: none of them is in back-off.
    void wake_groups(Records& records, const std::vector<std::uint32_t>& woken);

    std::map<GroupKey, std::uint32_t> by_key_;
    std::vector<Group> groups_;
    std::vector<std::uint32_t> free_;           // unused indices of groups_
    std::vector<std::uint32_t> heap_;           // groups with waiting members
    std::vector<std::uint32_t> parked_groups_;  // groups with parked members, in any order
    /// The group that became empty last. It is kept until another group becomes empty, because a
    /// head that a cycle refuses returns to it.
    std::uint32_t empty_ = kNone;
    std::size_t waiting_ = 0;
    std::size_t parked_ = 0;
};

}  // namespace sluice::engine
