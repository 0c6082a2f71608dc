#include "workload/status/pending_order.hpp"

#include "engine/engine.hpp"

#include <boost/multi_index/identity.hpp>
#include <boost/multi_index/ranked_index.hpp>
#include <boost/multi_index_container.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace sluice::workload {
namespace {

namespace multi_index = boost::multi_index;
using engine::LocalQueueIndex;
using engine::NodeIndex;
using engine::WorkloadIndex;

/// The fields that order a workload, as they were when it was entered.
struct Entry {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    LocalQueueIndex local_queue;
    std::int64_t priority = 0;
    engine::Time queue_order;
};

/// Compares by the order of a queue. Usage and the sticky preemptor are left out: they can change
/// at any moment.
bool is_before(const engine::State& state, const Entry& a, const Entry& b) {
    if (a.priority != b.priority) {
        return a.priority > b.priority;
    }
    if (a.queue_order != b.queue_order) {
        return a.queue_order < b.queue_order;
    }
    const engine::WorkloadRecord& x = state.workload(a.workload);
    const engine::WorkloadRecord& y = state.workload(b.workload);
    return engine::is_before_by_name(x, y);
}

/// Orders entries by queue, then within the queue; compares an entry with a queue by queue alone.
template <class QueueIndex, QueueIndex Entry::* Queue>
struct ByQueue {
    const engine::State* state = nullptr;
    bool operator()(const Entry& a, const Entry& b) const {
        return a.*Queue != b.*Queue ? a.*Queue < b.*Queue : is_before(*state, a, b);
    }
    bool operator()(const Entry& a, QueueIndex b) const { return a.*Queue < b; }
    bool operator()(QueueIndex a, const Entry& b) const { return a < b.*Queue; }
};
using ByClusterQueue = ByQueue<NodeIndex, &Entry::cluster_queue>;
using ByLocalQueue = ByQueue<LocalQueueIndex, &Entry::local_queue>;

using Entries = multi_index::multi_index_container<
    Entry,
    multi_index::indexed_by<
        multi_index::ranked_unique<multi_index::identity<Entry>, ByClusterQueue>,
        multi_index::ranked_unique<multi_index::identity<Entry>, ByLocalQueue>>>;

/// The entries of one queue in its order, the sticky preemptor first.
template <class Order>
class Line {
  public:
    /// `sticky`: an entry of the queue, or nullptr.
    template <class QueueIndex>
    Line(const Order& order, QueueIndex queue, const Entry* sticky)
        : order_(order), sticky_(sticky) {
        std::tie(begin_, end_) = order.equal_range_rank(queue, order.key_comp());
        if (sticky != nullptr) {
            sticky_at_ = order.rank(order.iterator_to(*sticky)) - begin_;
        }
    }

    std::size_t size() const { return end_ - begin_; }
    /// Requires: `entry` is an entry of the queue.
    std::size_t position_of(const Entry& entry) const {
        const std::size_t at = order_.rank(order_.iterator_to(entry)) - begin_;
        if (sticky_ == nullptr) {
            return at;
        }
        return &entry == sticky_ ? 0 : at + (at < sticky_at_ ? 1 : 0);
    }
    /// Returns at most `limit` entries, from position `offset` on.
    std::vector<const Entry*> take(std::size_t offset, std::size_t limit) const {
        std::vector<const Entry*> taken;
        if (offset >= size() || limit == 0) {
            return taken;
        }
        const std::size_t count = std::min(limit, size() - offset);
        taken.reserve(count);
        std::size_t at = offset;
        if (sticky_ != nullptr) {
            if (at == 0) {
                taken.push_back(sticky_);
            } else {
                at -= at <= sticky_at_ ? 1 : 0;
            }
        }
        for (auto next = order_.nth(begin_ + at); taken.size() < count; ++next) {
            if (&*next != sticky_) {
                taken.push_back(&*next);
            }
        }
        return taken;
    }

  private:
    const Order& order_;
    const Entry* sticky_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t sticky_at_ = 0;
};

}  // namespace

class PendingOrder::Index {
  public:
    explicit Index(engine::State& state)
        : state_(state),
          entries_(boost::make_tuple(
              boost::make_tuple(multi_index::identity<Entry>(), ByClusterQueue{&state}),
              boost::make_tuple(multi_index::identity<Entry>(), ByLocalQueue{&state})
          )) {}

    void catch_up() {
        const auto changed = engine::take_queue_changes(state_);
        // Removes all entries that may be out of order before it inserts any: an insertion compares
        // with the rest.
        for (const auto index : changed) {
            leave(index);
        }
        for (const auto index : changed) {
            enter(index);
        }
    }

    std::vector<PendingPlace> of_cluster_queue(NodeIndex queue, const PendingPage& page) const {
        std::vector<const Entry*> found;
        if (is_ordered_by_usage(queue)) {
            found = take_by_usage(queue, page);
        } else {
            found = line_of(queue).take(page.offset, page.limit);
        }
        std::map<LocalQueueIndex, std::size_t> next;
        std::vector<PendingPlace> places;
        places.reserve(found.size());
        for (const Entry* const entry : found) {
            auto at = next.find(entry->local_queue);
            if (at == next.end()) {
                const auto first = line_of(entry->local_queue, queue).position_of(*entry);
                at = next.emplace(entry->local_queue, first).first;
            }
            places.push_back({entry->workload, page.offset + places.size(), at->second++});
        }
        return places;
    }

    std::vector<PendingPlace> of_local_queue(LocalQueueIndex queue, const PendingPage& page) const {
        const NodeIndex cluster_queue = state_.local_queue(queue).cluster_queue;
        if (!cluster_queue.is_valid()) {
            return {};
        }
        const auto found = line_of(queue, cluster_queue).take(page.offset, page.limit);
        const bool by_usage = is_ordered_by_usage(cluster_queue);
        const auto groups = by_usage ? groups_of(cluster_queue) : std::vector<Group>();
        const auto line = line_of(cluster_queue);
        std::vector<PendingPlace> places;
        places.reserve(found.size());
        for (const Entry* const entry : found) {
            const std::size_t above =
                by_usage ? position_by_usage(groups, *entry) : line.position_of(*entry);
            places.push_back({entry->workload, above, page.offset + places.size()});
        }
        return places;
    }

    std::optional<PlaceInQueues> find(WorkloadIndex workload) const {
        const Entry* const entry =
            workload.at() < entry_of_.size() ? entry_of_[workload.at()] : nullptr;
        if (entry == nullptr || !entry->cluster_queue.is_valid()) {
            return std::nullopt;
        }
        const NodeIndex queue = entry->cluster_queue;
        const auto line = line_of(queue);
        const auto local = line_of(entry->local_queue, queue);
        return PlaceInQueues{
            .place =
                {.workload = workload,
                 .in_cluster_queue = is_ordered_by_usage(queue)
                                         ? position_by_usage(groups_of(queue), *entry)
                                         : line.position_of(*entry),
                 .in_local_queue = local.position_of(*entry)},
            .cluster_queue_size = line.size(),
            .local_queue_size = local.size(),
        };
    }

  private:
    /// LocalQueues of a ClusterQueue that have the same usage.
    struct Group {
        double usage = 0.0;
        std::size_t begin = 0;  ///< position of its first workload in the ClusterQueue
        std::size_t size = 0;
        std::vector<LocalQueueIndex> queues;
    };
    const auto& by_local_queue() const { return entries_.get<1>(); }

    void leave(WorkloadIndex index) {
        if (index.at() < entry_of_.size() && entry_of_[index.at()] != nullptr) {
            const Entry* const entry = std::exchange(entry_of_[index.at()], nullptr);
            entries_.erase(entries_.iterator_to(*entry));
        }
    }
    void enter(WorkloadIndex index) {
        const engine::WorkloadRecord& record = state_.workload(index);
        if (!record.is_queued()) {
            return;
        }
        if (entry_of_.size() <= index.at()) {
            entry_of_.resize(index.at() + 1);
        }
        const Entry made{
            .workload = index,
            .cluster_queue = state_.local_queue(record.local_queue).cluster_queue,
            .local_queue = record.local_queue,
            .priority = record.priority,
            .queue_order = record.queue_order,
        };
        entry_of_[index.at()] = &*entries_.insert(made).first;
    }

    /// Returns the sticky preemptor's entry, which precedes all others of the ClusterQueue; nullptr
    /// if it has none.
    const Entry* sticky_of(NodeIndex queue) const {
        const engine::Preemptor& preemptor = state_.cluster_queue(queue).preemptor;
        const std::size_t at = preemptor.workload.at();
        const Entry* const entry = at < entry_of_.size() ? entry_of_[at] : nullptr;
        const bool leads = preemptor.sticky && entry != nullptr && entry->cluster_queue == queue;
        return leads ? entry : nullptr;
    }
    Line<Entries> line_of(NodeIndex queue) const { return {entries_, queue, sticky_of(queue)}; }
    Line<Entries::nth_index<1>::type> line_of(LocalQueueIndex queue, NodeIndex above) const {
        const Entry* const sticky = sticky_of(above);
        const bool is_here = sticky != nullptr && sticky->local_queue == queue;
        return {by_local_queue(), queue, is_here ? sticky : nullptr};
    }

    /// Returns true if usage orders the ClusterQueue's workloads: its LocalQueues have different
    /// usages.
    bool is_ordered_by_usage(NodeIndex queue) const {
        const engine::ClusterQueueRecord& record = state_.cluster_queue(queue);
        if (!state_.shares_admission_fairly(record) || record.local_queues.empty()) {
            return false;
        }
        const double first = state_.local_queue(record.local_queues.front()).fair_usage;
        return std::ranges::any_of(record.local_queues, [&](LocalQueueIndex index) {
            return state_.local_queue(index).fair_usage != first;
        });
    }
    std::vector<Group> groups_of(NodeIndex queue) const {
        std::map<double, Group> groups;
        for (const auto index : state_.cluster_queue(queue).local_queues) {
            const double usage = state_.local_queue(index).fair_usage;
            Group& group = groups[usage];
            group.usage = usage;
            group.size += line_of(index, queue).size();
            group.queues.push_back(index);
        }
        std::vector<Group> in_order;
        std::size_t begin = 0;
        for (auto& [usage, group] : groups) {
            group.begin = std::exchange(begin, begin + group.size);
            in_order.push_back(std::move(group));
        }
        return in_order;
    }
    std::vector<const Entry*> take_by_usage(NodeIndex queue, const PendingPage& page) const {
        std::vector<const Entry*> taken;
        for (const Group& group : groups_of(queue)) {
            const std::size_t offset = page.offset + taken.size();
            if (taken.size() == page.limit || offset >= group.begin + group.size) {
                continue;
            }
            const auto part =
                take_of_group(group, queue, {offset - group.begin, page.limit - taken.size()});
            taken.insert(taken.end(), part.begin(), part.end());
        }
        return taken;
    }
    std::vector<const Entry*> take_of_group(
        const Group& group, NodeIndex queue, const PendingPage& page
    ) const {
        if (group.queues.size() == 1) {
            return line_of(group.queues.front(), queue).take(page.offset, page.limit);
        }
        const std::size_t end = page.offset + std::min(page.limit, group.size - page.offset);
        std::vector<const Entry*> merged;
        for (const auto index : group.queues) {
            const auto more = line_of(index, queue).take(0, end);
            merged.insert(merged.end(), more.begin(), more.end());
        }
        const Entry* const sticky = sticky_of(queue);
        std::ranges::sort(merged, [&](const Entry* a, const Entry* b) {
            return (a == sticky) != (b == sticky) ? a == sticky : is_before(state_, *a, *b);
        });
        merged.resize(end);
        merged.erase(merged.begin(), merged.begin() + static_cast<std::ptrdiff_t>(page.offset));
        return merged;
    }
    /// Returns the entry's position in its ClusterQueue.
    std::size_t position_by_usage(const std::vector<Group>& groups, const Entry& entry) const {
        const double usage = state_.local_queue(entry.local_queue).fair_usage;
        const auto group = std::ranges::find(groups, usage, &Group::usage);
        const Entry* const sticky = sticky_of(entry.cluster_queue);
        if (&entry == sticky) {
            return group->begin;
        }
        std::size_t before = 0;
        for (const auto index : group->queues) {
            Entry there = entry;
            there.local_queue = index;
            const auto [begin, end] =
                by_local_queue().equal_range_rank(index, by_local_queue().key_comp());
            before += by_local_queue().lower_bound_rank(there) - begin;
        }
        const bool passes = sticky != nullptr &&
                            state_.local_queue(sticky->local_queue).fair_usage == usage &&
                            is_before(state_, entry, *sticky);
        return group->begin + before + (passes ? 1 : 0);
    }

    engine::State& state_;
    Entries entries_;
    std::vector<const Entry*> entry_of_;  // by WorkloadIndex; null if not pending
};

PendingOrder::PendingOrder(engine::State& state) : index_(std::make_unique<Index>(state)) {}

PendingOrder::~PendingOrder() = default;

std::vector<PendingPlace> PendingOrder::of_cluster_queue(
    NodeIndex cluster_queue, const PendingPage& page
) {
    index_->catch_up();
    return index_->of_cluster_queue(cluster_queue, page);
}

std::vector<PendingPlace> PendingOrder::of_local_queue(
    LocalQueueIndex local_queue, const PendingPage& page
) {
    index_->catch_up();
    return index_->of_local_queue(local_queue, page);
}

std::optional<PlaceInQueues> PendingOrder::find(WorkloadIndex workload) {
    index_->catch_up();
    return index_->find(workload);
}

}  // namespace sluice::workload
