#include "cel/correlation.hpp"

#include <algorithm>

namespace sluice::cel {

const json::Value* find_old_item(
    const Schema& list, const json::Value& item, const json::Value* old_list
) {
    if (list.list_type != Schema::ListType::Map || old_list == nullptr || !old_list->is_array()) {
        return nullptr;
    }
    const auto& items = old_list->as_array();
    const auto found = std::ranges::find_if(items, [&](const json::Value& old) {
        return std::ranges::all_of(list.list_keys, [&](const std::string& key) {
            const json::Value* a = item.find(key);
            const json::Value* b = old.find(key);
            return a == nullptr || b == nullptr ? a == b : *a == *b;
        });
    });
    return found != items.end() ? &*found : nullptr;
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

Correlation Correlation::item(std::size_t index) const {
    if (!is_known() || !value->is_array() || schema->items == nullptr) {
        return {};
    }
    const json::Value& now = value->as_array()[index];
    const json::Value* before = find_old_item(*schema, now, old);
    if (before == nullptr) {
        return {};
    }
    return {&now, before, schema->items.get()};
}

bool Correlation::is_unchanged() const {
    if (!is_known() || value->is_null() || old->is_null()) {
        return is_known() && value->is_null() && old->is_null();
    }
    if (value->is_array() && old->is_array()) {
        const auto size = value->as_array().size();
        if (size != old->as_array().size()) {
            return false;
        }
        if (schema->list_type != Schema::ListType::Map) {
            return *value == *old;
        }
        for (std::size_t i = 0; i < size; ++i) {
            if (!item(i).is_unchanged()) {
                return false;
            }
        }
        return true;
    }
    if (value->is_object() && old->is_object()) {
        return value->as_object().size() == old->as_object().size() &&
               std::ranges::all_of(value->as_object(), [&](const json::Member& each) {
                   return member(each.first).is_unchanged();
               });
    }
    return *value == *old;
}

}  // namespace sluice::cel
