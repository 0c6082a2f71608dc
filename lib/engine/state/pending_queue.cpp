#include "engine/state/pending_queue.hpp"

#include "base/assert.hpp"

#include <span>
#include <utility>

namespace sluice::engine {
namespace {

bool is_earlier(const WorkloadRecords& records, WorkloadIndex a, WorkloadIndex b) {
    return is_before_by_time(records[a.at()], records[b.at()]);
}

}  // namespace

/// The members of one side of a group, by timestamp, uid and key.
struct PendingQueue::MemberHeap {
    Records& records;
    std::span<WorkloadIndex> members;

    std::size_t size() const { return members.size(); }
    WorkloadIndex at(std::size_t at) const { return members[at]; }
    void place(std::size_t at, WorkloadIndex member) const {
        members[at] = member;
        records.write(member.at()).bucket_position = static_cast<std::uint32_t>(at);
    }
    bool is_before(WorkloadIndex a, WorkloadIndex b) const { return is_earlier(records, a, b); }
};

bool PendingQueue::is_before(const Records& records, std::uint32_t a, std::uint32_t b) const {
    const PendingGroup& x = groups_[a];
    const PendingGroup& y = groups_[b];
    if (x.usage != y.usage) {
        return x.usage < y.usage;
    }
    if (x.key.priority != y.key.priority) {
        return x.key.priority > y.key.priority;
    }
    return is_earlier(records, x.waiting().front(), y.waiting().front());
}

void PendingQueue::add_member(
    Records& records, PendingGroup& group, std::uint8_t side, WorkloadIndex added
) {
    records.write(added.at()).side = side;
    group.append(side, added);
    const MemberHeap heap{records, group.write_side(side)};
    heap_up(heap, heap.size() - 1);
}

void PendingQueue::merge(Records& records, PendingGroup& group, std::uint8_t from) {
    for (const auto workload : group.take(from)) {
        add_member(records, group, static_cast<std::uint8_t>(1 - from), workload);
    }
}

void PendingQueue::add_to_heap(const Records& records, std::uint32_t number) {
    heap_.push_back(number);
    heap_up(group_heap(records), heap_.size() - 1);
}

void PendingQueue::take_from_heap(const Records& records, std::uint32_t number) {
    const std::size_t at = groups_[number].heap_position;
    const std::uint32_t last = heap_.back();
    heap_.pop_back();
    if (last != number) {
        heap_.write(at) = last;
        heap_move(group_heap(records), at);
    }
}

void PendingQueue::list_as_parked(std::uint32_t number) {
    groups_.write(number).parked_position = static_cast<std::uint32_t>(parked_groups_.size());
    parked_groups_.push_back(number);
}

void PendingQueue::unlist_as_parked(std::uint32_t number) {
    const std::uint32_t at = groups_[number].parked_position;
    const std::uint32_t last = parked_groups_.back();
    parked_groups_.pop_back();
    if (last != number) {
        parked_groups_.write(at) = last;
        groups_.write(last).parked_position = at;
    }
}

std::uint32_t PendingQueue::group_of(const GroupKey& key, double usage) {
    const std::uint32_t number = groups_.find_or_add(key);
    if (groups_[number].is_empty()) {
        groups_.write(number).usage = usage;
        empty_ = number == empty_ ? kNone : empty_;
    }
    return number;
}

void PendingQueue::keep_or_erase(std::uint32_t number) {
    if (!groups_[number].is_empty()) {
        return;
    }
    const std::uint32_t erased = std::exchange(empty_, number);
    if (erased != kNone) {
        groups_.erase(erased);
    }
}

void PendingQueue::push(
    Records& records, WorkloadIndex workload, bool is_backed_off, double usage
) {
    WorkloadRecord& record = records.write(workload.at());
    const std::uint32_t number = group_of(
        {record.scheduling_class, record.priority, record.local_queue, is_backed_off}, usage
    );
    PendingGroup& group = groups_.write(number);
    record.group = number;
    ++waiting_;
    add_member(records, group, group.waiting_side, workload);
    if (group.waiting().size() == 1) {
        add_to_heap(records, number);
    } else if (record.bucket_position == 0) {
        heap_up(group_heap(records), group.heap_position);
    }
}

void PendingQueue::park(
    Records& records, WorkloadIndex workload, bool is_backed_off, double usage
) {
    WorkloadRecord& record = records.write(workload.at());
    const std::uint32_t number = group_of(
        {record.scheduling_class, record.priority, record.local_queue, is_backed_off}, usage
    );
    PendingGroup& group = groups_.write(number);
    record.group = number;
    ++parked_;
    add_member(records, group, group.parked_side(), workload);
    if (group.parked().size() == 1) {
        list_as_parked(number);
    }
}

void PendingQueue::remove(Records& records, WorkloadIndex workload) {
    WorkloadRecord& record = records.write(workload.at());
    const std::uint32_t number = std::exchange(record.group, kNone);
    SLUICE_ASSERT(number != kNone);
    PendingGroup& group = groups_.write(number);
    const std::uint8_t side = record.side;
    const std::size_t at = record.bucket_position;
    const WorkloadIndex last = group.side(side).back();
    group.drop_last(side);
    if (last != workload) {
        const MemberHeap heap{records, group.write_side(side)};
        heap.members[at] = last;
        heap_move(heap, at);
    }
    const bool has_others = !group.side(side).empty();
    if (side == group.waiting_side) {
        --waiting_;
        if (!has_others) {
            take_from_heap(records, number);
        } else if (at == 0) {
            heap_down(group_heap(records), group.heap_position);
        }
    } else {
        --parked_;
        if (!has_others) {
            unlist_as_parked(number);
        }
    }
    keep_or_erase(number);
}

void PendingQueue::park_class(Records& records, std::uint64_t scheduling_class) {
    groups_.for_each_from(GroupKey::first_of(scheduling_class), [&](std::uint32_t number) {
        if (groups_[number].key.scheduling_class != scheduling_class) {
            return false;
        }
        if (groups_[number].waiting().empty()) {
            return true;
        }
        take_from_heap(records, number);
        PendingGroup& group = groups_.write(number);
        waiting_ -= group.waiting().size();
        parked_ += group.waiting().size();
        if (group.parked().empty()) {
            list_as_parked(number);
        }
        if (group.parked().size() < group.waiting().size()) {
            group.waiting_side = group.parked_side();
        }
        merge(records, group, group.waiting_side);
        return true;
    });
}

void PendingQueue::wake_groups(Records& records, const std::vector<std::uint32_t>& woken) {
    const std::size_t before = heap_.size();
    for (const auto number : woken) {
        unlist_as_parked(number);
        PendingGroup& group = groups_.write(number);
        const std::size_t members = group.parked().size();
        waiting_ += members;
        parked_ -= members;
        const bool was_waiting = !group.waiting().empty();
        if (group.waiting().size() < members) {
            group.waiting_side = group.parked_side();
        }
        merge(records, group, group.parked_side());
        if (was_waiting) {
            heap_up(group_heap(records), group.heap_position);
        } else {
            group.heap_position = static_cast<std::uint32_t>(heap_.size());
            heap_.push_back(number);
        }
    }
    if (heap_.size() < 2 * before) {
        for (std::size_t at = before; at < heap_.size(); ++at) {
            heap_up(group_heap(records), at);
        }
    } else {
        heap_make(group_heap(records));
    }
}

const char* PendingQueue::find_fault_of(const Records& records, std::uint32_t number) const {
    const PendingGroup& group = groups_[number];
    if (group.is_empty() && number != empty_) {
        return "a group of pending workloads is empty";
    }
    for (std::uint8_t side = 0; side < 2; ++side) {
        const auto members = group.side(side);
        for (std::size_t at = 0; at < members.size(); ++at) {
            const WorkloadRecord& record = records[members[at].at()];
            if (record.group != number || record.side != side || record.bucket_position != at ||
                record.is_inflight) {
                return "a pending workload does not know its place";
            }
            if (record.scheduling_class != group.key.scheduling_class ||
                record.priority != group.key.priority ||
                record.local_queue != group.key.local_queue ||
                record.has_back_off() != group.key.is_backed_off) {
                return "a pending workload is in the group of another key";
            }
            if (at > 0 && is_earlier(records, members[at], members[(at - 1) / 2])) {
                return "a pending workload is served before its parent in the heap";
            }
        }
    }
    const bool is_in_heap =
        group.heap_position < heap_.size() && heap_[group.heap_position] == number;
    const bool is_listed = group.parked_position < parked_groups_.size() &&
                           parked_groups_[group.parked_position] == number;
    if (is_in_heap == group.waiting().empty() || is_listed == group.parked().empty()) {
        return "a group of pending workloads is not where its members are";
    }
    if (is_in_heap && group.heap_position > 0 &&
        is_before(records, number, heap_[(group.heap_position - 1) / 2])) {
        return "a group is served before its parent in the heap";
    }
    return "";
}

const char* PendingQueue::find_fault(const Records& records) const {
    std::size_t waiting = 0;
    std::size_t parked = 0;
    const char* found = "";
    const GroupKey* before = nullptr;
    groups_.for_each([&](std::uint32_t number) {
        waiting += groups_[number].waiting().size();
        parked += groups_[number].parked().size();
        if (*found == '\0' && before != nullptr && !(*before < groups_[number].key)) {
            found = "groups of pending workloads are not in the order of their keys";
        }
        before = &groups_[number].key;
        if (*found == '\0') {
            found = find_fault_of(records, number);
        }
    });
    if (*found == '\0' && (waiting != waiting_ || parked != parked_)) {
        found = "pending workloads are not counted as they are";
    }
    return found;
}

}  // namespace sluice::engine
