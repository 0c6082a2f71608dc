#include "json/tree_builder.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace sluice::json {
namespace {

/// Merges members with equal keys: the first member's position and the last member's value are
/// kept, as by Value::set. Returns a key that occurred more than once; nullopt if all keys are
/// unique.
std::optional<std::string> merge_equal_keys(Object& members) {
    std::vector<std::size_t> order(members.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) -> const std::string& {
        return members[i].first;
    });
    std::vector<bool> superseded(members.size(), false);
    std::optional<std::string> repeated;
    for (std::size_t i = 0; i < order.size();) {
        auto end = i + 1;
        while (end < order.size() && members[order[end]].first == members[order[i]].first) {
            superseded[order[end]] = true;
            ++end;
        }
        if (end > i + 1) {
            repeated = members[order[i]].first;
            members[order[i]].second = std::move(members[order[end - 1]].second);
        }
        i = end;
    }
    if (!repeated) {
        return std::nullopt;
    }
    Object kept;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (!superseded[i]) {
            kept.push_back(std::move(members[i]));
        }
    }
    members = std::move(kept);
    return repeated;
}

/// Up to this number of members, comparing all keys costs less than sorting them.
constexpr std::size_t kSmallObject = 16;

}  // namespace

bool TreeBuilder::on_key(std::string_view key) {
    Open& object = open_.back();
    object.target = members_.size();
    const auto before = std::span(members_).subspan(object.begin);
    if (before.size() < kSmallObject) {
        const auto same = std::ranges::find(before, key, &Member::first);
        if (same != before.end()) {
            object.target = object.begin + static_cast<std::size_t>(same - before.begin());
            note_repeated(std::string(key));
            return true;
        }
    }
    members_.emplace_back(std::piecewise_construct, std::tuple(key), std::tuple());
    return true;
}

bool TreeBuilder::on_end_object() {
    const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(open_.back().begin);
    Object object(std::make_move_iterator(begin), std::make_move_iterator(members_.end()));
    members_.erase(begin, members_.end());
    if (object.size() > kSmallObject) {
        if (auto repeated = merge_equal_keys(object)) {
            note_repeated(*std::move(repeated));
        }
    }
    return close(std::move(object));
}

bool TreeBuilder::on_end_array() {
    const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(open_.back().begin);
    Array array(std::make_move_iterator(begin), std::make_move_iterator(items_.end()));
    items_.erase(begin, items_.end());
    return close(std::move(array));
}

Value TreeBuilder::take() {
    complete_ = false;
    repeated_key_.reset();
    return std::exchange(root_, Value());
}

void TreeBuilder::reset() {
    root_ = Value();
    complete_ = false;
    open_.clear();
    items_.clear();
    members_.clear();
    repeated_key_.reset();
}

void TreeBuilder::note_repeated(std::string key) {
    if (!repeated_key_) {
        repeated_key_ = std::move(key);
    }
}

bool TreeBuilder::open(Container container) {
    const bool is_array = container == Container::Array;
    open_.push_back({container, is_array ? items_.size() : members_.size(), 0});
    return true;
}

Value& TreeBuilder::place() {
    if (open_.empty()) {
        complete_ = true;
        return root_;
    }
    const Open& container = open_.back();
    return container.container == Container::Array ? items_.emplace_back()
                                                   : members_[container.target].second;
}

}  // namespace sluice::json
