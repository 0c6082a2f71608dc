#include "engine/state/pending_queue.hpp"

#include "base/assert.hpp"

#include <limits>
#include <utility>

namespace sluice::engine {

bool PendingQueue::is_earlier(const Records& records, WorkloadIndex a, WorkloadIndex b) {
    const WorkloadRecord& x = records[a.at()];
    const WorkloadRecord& y = records[b.at()];
    if (x.queue_order != y.queue_order) {
        return x.queue_order < y.queue_order;
    }
    if (x.uid() != y.uid()) {
        return x.uid() < y.uid();
    }
    return x.key() < y.key();
}

bool PendingQueue::is_before(const Records& records, std::uint32_t a, std::uint32_t b) const {
    const Group& x = groups_[a];
    const Group& y = groups_[b];
    if (x.usage != y.usage) {
        return x.usage < y.usage;
    }
    if (x.key.priority != y.key.priority) {
        return x.key.priority > y.key.priority;
    }
    return is_earlier(records, x.waiting().front(), y.waiting().front());
}

void PendingQueue::place(
    Records& records, Members& members, std::size_t at, WorkloadIndex workload
) {
    members[at] = workload;
    records.write(workload.at()).bucket_position = static_cast<std::uint32_t>(at);
}

void PendingQueue::member_up(Records& records, Members& members, std::size_t at) {
    const WorkloadIndex moving = members[at];
    while (at > 0) {
        const std::size_t parent = (at - 1) / 2;
        if (!is_earlier(records, moving, members[parent])) {
            break;
        }
        place(records, members, at, members[parent]);
        at = parent;
    }
    place(records, members, at, moving);
}

void PendingQueue::member_down(Records& records, Members& members, std::size_t at) {
    const WorkloadIndex moving = members[at];
    while (true) {
        std::size_t child = 2 * at + 1;
        if (child >= members.size()) {
            break;
        }
        if (child + 1 < members.size() && is_earlier(records, members[child + 1], members[child])) {
            ++child;
        }
        if (!is_earlier(records, members[child], moving)) {
            break;
        }
        place(records, members, at, members[child]);
        at = child;
    }
    place(records, members, at, moving);
}

void PendingQueue::add_member(
    Records& records, Group& group, std::uint8_t side, WorkloadIndex added
) {
    Members& members = group.sides[side];
    records.write(added.at()).side = side;
    members.push_back(added);
    member_up(records, members, members.size() - 1);
}

void PendingQueue::merge(Records& records, Group& group, std::uint8_t from) {
    const auto into = static_cast<std::uint8_t>(1 - from);
    const Members moved = std::exchange(group.sides[from], Members());
    group.sides[into].reserve(group.sides[into].size() + moved.size());
    for (const auto workload : moved) {
        add_member(records, group, into, workload);
    }
}

void PendingQueue::group_up(const Records& records, std::size_t at) {
    const std::uint32_t moving = heap_[at];
    while (at > 0) {
        const std::size_t parent = (at - 1) / 2;
        if (!is_before(records, moving, heap_[parent])) {
            break;
        }
        heap_[at] = heap_[parent];
        groups_[heap_[at]].heap_position = static_cast<std::uint32_t>(at);
        at = parent;
    }
    heap_[at] = moving;
    groups_[moving].heap_position = static_cast<std::uint32_t>(at);
}

void PendingQueue::group_down(const Records& records, std::size_t at) {
    const std::uint32_t moving = heap_[at];
    while (true) {
        std::size_t child = 2 * at + 1;
        if (child >= heap_.size()) {
            break;
        }
        if (child + 1 < heap_.size() && is_before(records, heap_[child + 1], heap_[child])) {
            ++child;
        }
        if (!is_before(records, heap_[child], moving)) {
            break;
        }
        heap_[at] = heap_[child];
        groups_[heap_[at]].heap_position = static_cast<std::uint32_t>(at);
        at = child;
    }
    heap_[at] = moving;
    groups_[moving].heap_position = static_cast<std::uint32_t>(at);
}

void PendingQueue::make_heap(const Records& records) {
    for (std::size_t at = heap_.size() / 2; at-- > 0;) {
        group_down(records, at);
    }
}

void PendingQueue::add_to_heap(const Records& records, std::uint32_t index) {
    heap_.push_back(index);
    group_up(records, heap_.size() - 1);
}

void PendingQueue::take_from_heap(const Records& records, std::uint32_t index) {
    const std::size_t at = groups_[index].heap_position;
    const std::uint32_t last = heap_.back();
    heap_.pop_back();
    if (last != index) {
        heap_[at] = last;
        groups_[last].heap_position = static_cast<std::uint32_t>(at);
        group_up(records, at);
        group_down(records, groups_[last].heap_position);
    }
}

void PendingQueue::list_as_parked(std::uint32_t index) {
    groups_[index].parked_position = static_cast<std::uint32_t>(parked_groups_.size());
    parked_groups_.push_back(index);
}

void PendingQueue::unlist_as_parked(std::uint32_t index) {
    const std::uint32_t at = groups_[index].parked_position;
    const std::uint32_t last = parked_groups_.back();
    parked_groups_[at] = last;
    groups_[last].parked_position = at;
    parked_groups_.pop_back();
}

std::uint32_t PendingQueue::group_of(const GroupKey& key, double usage) {
    const auto known = by_key_.lower_bound(key);
    if (known != by_key_.end() && known->first == key) {
        if (known->second == empty_) {
            groups_[empty_].usage = usage;
            empty_ = kNone;
        }
        return known->second;
    }
    std::uint32_t index = 0;
    if (free_.empty()) {
        index = static_cast<std::uint32_t>(groups_.size());
        groups_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    groups_[index].key = key;
    groups_[index].usage = usage;
    by_key_.emplace_hint(known, key, index);
    return index;
}

void PendingQueue::keep_or_erase(std::uint32_t index) {
    if (!groups_[index].is_empty()) {
        return;
    }
    const std::uint32_t erased = std::exchange(empty_, index);
    if (erased != kNone) {
        by_key_.erase(groups_[erased].key);
        groups_[erased] = Group();
        free_.push_back(erased);
    }
}

void PendingQueue::push(
    Records& records, WorkloadIndex workload, bool is_backed_off, double usage
) {
    WorkloadRecord& record = records.write(workload.at());
    const std::uint32_t index = group_of(
        {record.scheduling_class, record.priority, record.local_queue, is_backed_off}, usage
    );
    Group& group = groups_[index];
    record.group = index;
    ++waiting_;
    add_member(records, group, group.waiting_side, workload);
    if (group.waiting().size() == 1) {
        add_to_heap(records, index);
    } else if (record.bucket_position == 0) {
        group_up(records, group.heap_position);
    }
}

void PendingQueue::park(
    Records& records, WorkloadIndex workload, bool is_backed_off, double usage
) {
    WorkloadRecord& record = records.write(workload.at());
    const std::uint32_t index = group_of(
        {record.scheduling_class, record.priority, record.local_queue, is_backed_off}, usage
    );
    Group& group = groups_[index];
    record.group = index;
    ++parked_;
    add_member(records, group, static_cast<std::uint8_t>(1 - group.waiting_side), workload);
    if (group.parked().size() == 1) {
        list_as_parked(index);
    }
}

void PendingQueue::remove(Records& records, WorkloadIndex workload) {
    WorkloadRecord& record = records.write(workload.at());
    const std::uint32_t index = std::exchange(record.group, kNone);
    SLUICE_ASSERT(index != kNone);
    Group& group = groups_[index];
    Members& members = group.sides[record.side];
    const std::size_t at = record.bucket_position;
    const WorkloadIndex last = members.back();
    members.pop_back();
    if (last != workload) {
        place(records, members, at, last);
        member_up(records, members, at);
        member_down(records, members, records[last.at()].bucket_position);
    }
    if (record.side == group.waiting_side) {
        --waiting_;
        if (members.empty()) {
            take_from_heap(records, index);
        } else if (at == 0) {
            group_down(records, group.heap_position);
        }
    } else {
        --parked_;
        if (members.empty()) {
            unlist_as_parked(index);
        }
    }
    keep_or_erase(index);
}

void PendingQueue::park_class(Records& records, std::uint64_t scheduling_class) {
    GroupKey from;
    from.scheduling_class = scheduling_class;
    from.priority = std::numeric_limits<std::int64_t>::min();
    from.local_queue = make_index<LocalQueueIndex>(0);
    for (auto at = by_key_.lower_bound(from);
         at != by_key_.end() && at->first.scheduling_class == scheduling_class;
         ++at) {
        Group& group = groups_[at->second];
        if (group.waiting().empty()) {
            continue;
        }
        take_from_heap(records, at->second);
        waiting_ -= group.waiting().size();
        parked_ += group.waiting().size();
        if (group.parked().empty()) {
            list_as_parked(at->second);
        }
        if (group.parked().size() < group.waiting().size()) {
            group.waiting_side = 1 - group.waiting_side;
        }
        merge(records, group, group.waiting_side);
    }
}

void PendingQueue::wake_groups(Records& records, const std::vector<std::uint32_t>& woken) {
    const std::size_t before = heap_.size();
    for (const auto index : woken) {
        Group& group = groups_[index];
        const std::size_t members = group.parked().size();
        waiting_ += members;
        parked_ -= members;
        unlist_as_parked(index);
        const bool was_waiting = !group.waiting().empty();
        if (group.waiting().size() < members) {
            group.waiting_side = 1 - group.waiting_side;
        }
        merge(records, group, static_cast<std::uint8_t>(1 - group.waiting_side));
        if (was_waiting) {
            group_up(records, group.heap_position);
        } else {
            group.heap_position = static_cast<std::uint32_t>(heap_.size());
            heap_.push_back(index);
        }
    }
    if (heap_.size() < 2 * before) {
        for (std::size_t at = before; at < heap_.size(); ++at) {
            group_up(records, at);
        }
    } else {
        make_heap(records);
    }
}

const char* PendingQueue::find_fault(const Records& records) const {
    std::size_t counted[2] = {0, 0};
    for (const auto& [key, index] : by_key_) {
        const Group& group = groups_[index];
        if (group.key != key || (group.is_empty() && index != empty_)) {
            return "a group of pending workloads is not the one of its key";
        }
        for (std::uint8_t side = 0; side < 2; ++side) {
            const Members& members = group.sides[side];
            counted[side == group.waiting_side ? 0 : 1] += members.size();
            for (std::size_t at = 0; at < members.size(); ++at) {
                const WorkloadRecord& record = records[members[at].at()];
                if (record.group != index || record.side != side || record.bucket_position != at ||
                    record.is_inflight) {
                    return "a pending workload does not know its place";
                }
                if (record.scheduling_class != key.scheduling_class ||
                    record.priority != key.priority || record.local_queue != key.local_queue ||
                    record.has_back_off() != key.is_backed_off) {
                    return "a pending workload is in the group of another key";
                }
                if (at > 0 && is_earlier(records, members[at], members[(at - 1) / 2])) {
                    return "a pending workload is served before its parent in the heap";
                }
            }
        }
        const bool is_in_heap =
            group.heap_position < heap_.size() && heap_[group.heap_position] == index;
        const bool is_listed = group.parked_position < parked_groups_.size() &&
                               parked_groups_[group.parked_position] == index;
        if (is_in_heap == group.waiting().empty() || is_listed == group.parked().empty()) {
            return "a group of pending workloads is not where its members are";
        }
        if (is_in_heap && group.heap_position > 0 &&
            is_before(records, index, heap_[(group.heap_position - 1) / 2])) {
            return "a group is served before its parent in the heap";
        }
    }
    if (counted[0] != waiting_ || counted[1] != parked_) {
        return "pending workloads are not counted as they are";
    }
    return "";
}

}  // namespace sluice::engine
