#include "engine/state/pending_groups.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

void PendingGroup::append(std::uint8_t side, WorkloadIndex member) {
    if (is_empty()) {
        only_ = member;
        only_side_ = side;
        return;
    }
    if (many_ == nullptr) {
        many_ = CowPtr<Many>::make();
        many_.write().sides[only_side_].push_back(std::exchange(only_, WorkloadIndex()));
    }
    many_.write().sides[side].push_back(member);
}

void PendingGroup::drop_last(std::uint8_t side) {
    if (many_ == nullptr) {
        only_ = WorkloadIndex();
        return;
    }
    Many& many = many_.write();
    many.sides[side].pop_back();
    if (many.sides[0].empty() && many.sides[1].empty()) {
        many_.reset();
    }
}

std::vector<WorkloadIndex> PendingGroup::take(std::uint8_t side) {
    if (many_ == nullptr) {
        const auto members = this->side(side);
        std::vector<WorkloadIndex> taken(members.begin(), members.end());
        if (!taken.empty()) {
            only_ = WorkloadIndex();
        }
        return taken;
    }
    Many& many = many_.write();
    std::vector<WorkloadIndex> taken = std::exchange(many.sides[side], {});
    if (many.sides[1 - side].empty()) {
        many_.reset();
    }
    return taken;
}

PendingGroups::Place PendingGroups::lower_bound(const GroupKey& key) const {
    const auto leaf = std::ranges::partition_point(leaves_, [&](const CowPtr<Leaf>& at) {
        return groups_[at->back()].key < key;
    });
    if (leaf == leaves_.end()) {
        return leaves_.empty() ? Place{} : Place{leaves_.size() - 1, leaves_.back()->size()};
    }
    const auto slot = std::ranges::partition_point(**leaf, [&](std::uint32_t number) {
        return groups_[number].key < key;
    });
    return {
        static_cast<std::size_t>(leaf - leaves_.begin()),
        static_cast<std::size_t>(slot - (*leaf)->begin())
    };
}

std::uint32_t PendingGroups::find_or_add(const GroupKey& key) {
    const Place at = lower_bound(key);
    if (at.leaf < leaves_.size() && at.slot < leaves_[at.leaf]->size()) {
        const std::uint32_t found = (*leaves_[at.leaf])[at.slot];
        if (groups_[found].key == key) {
            return found;
        }
    }
    auto number = static_cast<std::uint32_t>(groups_.size());
    if (free_.empty()) {
        groups_.emplace_back();
    } else {
        number = free_.back();
        free_.pop_back();
    }
    groups_.write(number).key = key;
    insert(at, number);
    return number;
}

void PendingGroups::insert(Place at, std::uint32_t number) {
    if (leaves_.empty()) {
        leaves_.push_back(CowPtr<Leaf>::make());
    }
    Leaf* leaf = &leaves_[at.leaf].write();
    if (leaf->size() == kLeafSize) {
        // Keys often come in order, so the new leaf takes what is behind the new group.
        const std::size_t kept = at.slot == kLeafSize ? kLeafSize : kLeafSize / 2;
        auto split = leaf->begin() + static_cast<std::ptrdiff_t>(kept);
        auto upper = CowPtr<Leaf>::make(split, leaf->end());
        leaf->erase(split, leaf->end());
        leaves_.insert(
            leaves_.begin() + static_cast<std::ptrdiff_t>(at.leaf) + 1, std::move(upper)
        );
        if (at.slot > kept || kept == kLeafSize) {
            ++at.leaf;
            at.slot -= kept;
        }
        leaf = &leaves_[at.leaf].write();
    }
    leaf->insert(leaf->begin() + static_cast<std::ptrdiff_t>(at.slot), number);
}

void PendingGroups::erase(std::uint32_t number) {
    const Place at = lower_bound(groups_[number].key);
    Leaf& leaf = leaves_[at.leaf].write();
    SLUICE_ASSERT(at.slot < leaf.size() && leaf[at.slot] == number);
    leaf.erase(leaf.begin() + static_cast<std::ptrdiff_t>(at.slot));
    if (leaf.empty()) {
        leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(at.leaf));
    }
    groups_.write(number) = PendingGroup();
    free_.push_back(number);
}

}  // namespace sluice::engine
