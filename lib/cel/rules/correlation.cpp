#include "cel/rules/correlation.hpp"

#include <algorithm>

namespace sluice::cel {

OldItems::OldItems(const Schema& list, const json::Value* old_list) : list_(list) {
    if (list.list_type != Schema::ListType::Map || old_list == nullptr || !old_list->is_array()) {
        return;
    }
    for (const json::Value& item : old_list->as_array()) {
        items_.emplace(key_of(item), &item);
    }
}

const json::Value* OldItems::find(const json::Value& item) const {
    if (items_.empty()) {
        return nullptr;
    }
    const auto found = items_.find(key_of(item));
    return found != items_.end() ? found->second : nullptr;
}

std::string OldItems::key_of(const json::Value& item) const {
    std::string key;
    for (const std::string& name : list_.list_keys) {
        // A line break cannot occur within the printed JSON.
        const json::Value* part = item.find(name);
        key += part != nullptr ? json::print_sorted(*part) : "";
        key += '\n';
    }
    return key;
}

Correlation Correlation::member(std::string_view name) const {
    if (!is_known()) {
        return {};
    }
    const json::Value* now = value->find(name);
    const json::Value* before = old->find(name);
    const Schema* part = schema->find(name);
    part = part != nullptr ? part : schema->additional.get();
    if (now == nullptr || before == nullptr || part == nullptr) {
        return {};
    }
    return {now, before, part};
}

bool Correlation::is_unchanged() const {
    if (!is_unchanged_) {
        is_unchanged_ = compare();
    }
    return *is_unchanged_;
}

bool Correlation::compare() const {
    if (!is_known() || value->is_null() || old->is_null()) {
        return is_known() && value->is_null() && old->is_null();
    }
    if (value->is_array() && old->is_array() && schema->list_type == Schema::ListType::Map) {
        const auto& items = value->as_array();
        const OldItems old_items(*schema, old);
        return items.size() == old->as_array().size() &&
               std::ranges::all_of(items, [&](const json::Value& item) {
                   const json::Value* before = old_items.find(item);
                   return before != nullptr && schema->items != nullptr &&
                          Correlation{&item, before, schema->items.get()}.compare();
               });
    }
    if (value->is_object() && old->is_object()) {
        return value->as_object().size() == old->as_object().size() &&
               std::ranges::all_of(value->as_object(), [&](const json::Member& each) {
                   return member(each.first).compare();
               });
    }
    return *value == *old;
}

}  // namespace sluice::cel
