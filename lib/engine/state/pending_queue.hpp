// The pending workloads of one ClusterQueue, grouped by scheduling class.
#pragma once

#include "base/cow.hpp"
#include "engine/state/pending_groups.hpp"
#include "engine/state/positioned_heap.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sluice::engine {

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
        for (std::size_t at = 0; at < parked_groups_.size(); ++at) {
            const std::uint32_t number = parked_groups_[at];
            const PendingGroup& group = groups_[number];
            if (!may_wake(group.key.local_queue)) {
                continue;
            }
            if (!group.key.is_backed_off) {
                woken.push_back(number);
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
        std::vector<std::pair<std::uint32_t, double>> changed;
        groups_.for_each([&](std::uint32_t number) {
            const double usage = usage_of(groups_[number].key.local_queue);
            if (usage != groups_[number].usage) {
                changed.emplace_back(number, usage);
            }
        });
        for (const auto& [number, usage] : changed) {
            groups_.write(number).usage = usage;
        }
        if (!changed.empty()) {
            heap_make(group_heap(records));
        }
    }

    /// Returns the workload that is served first, not considering the sticky preemptor. Requires:
    /// has_waiting().
    WorkloadIndex first() const { return groups_[heap_[0]].waiting().front(); }
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
        groups_.for_each([&](std::uint32_t number) {
            for (const auto workload : groups_[number].waiting()) {
                visit(workload);
            }
        });
    }
    /// Calls `visit` with each parked workload, group by group in the order of their keys.
    template <class Visit>
    void for_each_parked(const Visit& visit) const {
        groups_.for_each([&](std::uint32_t number) {
            for (const auto workload : groups_[number].parked()) {
                visit(workload);
            }
        });
    }
    /// Calls `visit` with each parked workload of a scheduling class.
    template <class Visit>
    void for_each_parked_of(std::uint64_t scheduling_class, const Visit& visit) const {
        groups_.for_each_from(GroupKey::first_of(scheduling_class), [&](std::uint32_t number) {
            if (groups_[number].key.scheduling_class != scheduling_class) {
                return false;
            }
            for (const auto workload : groups_[number].parked()) {
                visit(workload);
            }
            return true;
        });
    }

    /// Returns a description of the first inconsistency, for audit(); empty if the queue is sound.
    const char* find_fault(const Records& records) const;
    /// Returns true if each group has the usage of its LocalQueue, `usage_of(LocalQueueIndex)`.
    template <class UsageOf>
    bool has_usage(const UsageOf& usage_of) const {
        bool has = true;
        groups_.for_each([&](std::uint32_t number) {
            const PendingGroup& group = groups_[number];
            has = has && (group.is_empty() || group.usage == usage_of(group.key.local_queue));
        });
        return has;
    }

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(
            self.groups_, self.heap_, self.parked_groups_, self.empty_, self.waiting_, self.parked_
        );
    }

  private:
    static constexpr std::uint32_t kNone = WorkloadRecord::kNoGroup;
    using Numbers = CowVector<std::uint32_t, 64>;

    struct MemberHeap;
    /// The heap of the groups with waiting members.
    struct GroupHeap {
        PendingQueue& queue;
        const Records& records;

        std::size_t size() const { return queue.heap_.size(); }
        std::uint32_t at(std::size_t at) const { return queue.heap_[at]; }
        void place(std::size_t at, std::uint32_t number) {
            queue.heap_.write(at) = number;
            queue.groups_.write(number).heap_position = static_cast<std::uint32_t>(at);
        }
        bool is_before(std::uint32_t a, std::uint32_t b) const {
            return queue.is_before(records, a, b);
        }
    };
    GroupHeap group_heap(const Records& records) { return {*this, records}; }

    std::uint32_t group_of(const GroupKey& key, double usage);
    void keep_or_erase(std::uint32_t number);
    static void add_member(
        Records& records, PendingGroup& group, std::uint8_t side, WorkloadIndex added
    );
    /// Moves the members of one side to the other side.
    static void merge(Records& records, PendingGroup& group, std::uint8_t from);
    bool is_before(const Records& records, std::uint32_t a, std::uint32_t b) const;
    void add_to_heap(const Records& records, std::uint32_t number);
    void take_from_heap(const Records& records, std::uint32_t number);
    void list_as_parked(std::uint32_t number);
    void unlist_as_parked(std::uint32_t number);
    /// Wakes all parked members of these groups. Requires: none of them is in back-off.
    void wake_groups(Records& records, const std::vector<std::uint32_t>& woken);
    const char* find_fault_of(const Records& records, std::uint32_t number) const;

    PendingGroups groups_;
    Numbers heap_;           // groups with waiting members
    Numbers parked_groups_;  // groups with parked members, in any order
    /// The group that became empty last. It is kept until another group becomes empty, because a
    /// head that a cycle refuses returns to it.
    std::uint32_t empty_ = kNone;
    std::size_t waiting_ = 0;
    std::size_t parked_ = 0;
};

}  // namespace sluice::engine
