#include "apiserver/objects/values.hpp"

#include <algorithm>
#include <utility>

namespace sluice::apiserver {

std::int64_t count_characters(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
}

const json::Object& members_of(const json::Value* value) {
    static const json::Object kNone;
    return value != nullptr && value->is_object() ? value->as_object() : kNone;
}

const json::Array& items_of(const json::Value* value) {
    static const json::Array kNone;
    return value != nullptr && value->is_array() ? value->as_array() : kNone;
}

std::vector<std::string> texts_of(const json::Value* value) {
    std::vector<std::string> texts;
    for (const json::Value& each : items_of(value)) {
        if (each.is_string()) {
            texts.push_back(each.as_string());
        }
    }
    return texts;
}

std::vector<const json::Member*> sorted_members(const json::Value* value) {
    const auto by_name = [](const json::Member* a, const json::Member* b) {
        return a->first < b->first;
    };
    std::vector<const json::Member*> sorted;
    for (const auto& member : members_of(value)) {
        sorted.push_back(&member);
    }
    if (!std::is_sorted(sorted.begin(), sorted.end(), by_name)) {
        std::sort(sorted.begin(), sorted.end(), by_name);
    }
    return sorted;
}

std::string_view text_at(const json::Value& value, std::initializer_list<std::string_view> path) {
    const json::Value* found = value.find_path(path);
    return found != nullptr && found->is_string() ? std::string_view(found->as_string())
                                                  : std::string_view();
}

std::int64_t int_at(const json::Value& value, std::string_view name, std::int64_t otherwise) {
    const json::Value* found = value.find(name);
    return found != nullptr && found->is_int() ? found->as_int() : otherwise;
}

bool is_true(const json::Value& value, std::string_view name) {
    const json::Value* found = value.find(name);
    return found != nullptr && found->is_bool() && found->as_bool();
}

json::Value& object_at(json::Value& value, std::string_view name) {
    json::Value* found = value.find(name);
    if (found != nullptr && found->is_object()) {
        return *found;
    }
    return value.set(name, json::Object{});
}

void set_default(json::Value& value, std::string_view name, json::Value content) {
    const json::Value* found = value.find(name);
    if (found == nullptr || found->is_null()) {
        value.set(name, std::move(content));
    }
}

bool is_empty_container(const json::Value* value) {
    return value == nullptr || value->is_null() ||
           (value->is_array() && value->as_array().empty()) ||
           (value->is_object() && value->as_object().empty());
}

}  // namespace sluice::apiserver
