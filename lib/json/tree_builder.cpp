#include "json/tree_builder.hpp"

#include <algorithm>
#include <utility>

namespace sluice::json {
namespace {

/// Keeps of equal keys the place of the first and the value of the last, as Value::set does.
void merge_equal_keys(Object& members) {
    std::vector<std::size_t> order(members.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) -> const std::string& {
        return members[i].first;
    });
    std::vector<bool> superseded(members.size(), false);
    bool any = false;
    for (std::size_t i = 0; i < order.size();) {
        auto end = i + 1;
        while (end < order.size() && members[order[end]].first == members[order[i]].first) {
            superseded[order[end]] = any = true;
            ++end;
        }
        if (end > i + 1) {
            members[order[i]].second = std::move(members[order[end - 1]].second);
        }
        i = end;
    }
    if (!any) {
        return;
    }
    Object kept;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (!superseded[i]) {
            kept.push_back(std::move(members[i]));
        }
    }
    members = std::move(kept);
}

/// Up to so many members, comparing all keys costs less than sorting them.
constexpr std::size_t kSmallObject = 16;

}  // namespace

bool TreeBuilder::on_key(std::string_view key) {
    keys_.back() = key;
    return true;
}

bool TreeBuilder::on_end_object() {
    if (stack_.back().as_object().size() > kSmallObject) {
        merge_equal_keys(stack_.back().as_object());
    }
    return close();
}

Value TreeBuilder::take() {
    complete_ = false;
    return std::exchange(root_, Value());
}

bool TreeBuilder::open(Value container) {
    stack_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
}

bool TreeBuilder::close() {
    Value done = std::move(stack_.back());
    stack_.pop_back();
    keys_.pop_back();
    return add(std::move(done));
}

bool TreeBuilder::add(Value value) {
    if (stack_.empty()) {
        root_ = std::move(value);
        complete_ = true;
        return true;
    }
    Value& container = stack_.back();
    if (container.is_array()) {
        container.as_array().push_back(std::move(value));
    } else if (container.as_object().size() < kSmallObject) {
        container.set(keys_.back(), std::move(value));
    } else {
        container.as_object().emplace_back(keys_.back(), std::move(value));
    }
    return true;
}

}  // namespace sluice::json
