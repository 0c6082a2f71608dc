#include "sim/objects/fields.hpp"

#include "api/meta/micro_time.hpp"

#include <algorithm>
#include <charconv>

namespace sluice::sim {

std::optional<std::int64_t> find_int(const json::Value& object, FieldPath path) {
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_int() ? std::optional(found->as_int()) : std::nullopt;
}

std::string_view text_at(const json::Value& object, FieldPath path) {
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_string() ? std::string_view(found->as_string())
                                                  : std::string_view();
}

bool is_true_at(const json::Value& object, FieldPath path) {
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_bool() && found->as_bool();
}

std::optional<Time> find_time(const json::Value& object, FieldPath path) {
    const auto time = api::parse_time(text_at(object, path));
    return time ? std::optional(*time) : std::nullopt;
}

const json::Array& list_at(const json::Value& object, FieldPath path) {
    static const json::Array kNone;
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_array() ? found->as_array() : kNone;
}

json::Value& make_object_at(json::Value& object, FieldPath path) {
    json::Value* at = &object;
    for (const std::string_view name : path) {
        json::Value* next = at->find(name);
        if (next == nullptr || !next->is_object()) {
            next = &at->set(name, json::Object());
        }
        at = next;
    }
    return *at;
}

const json::Value* find_element(
    const json::Array& list, std::string_view member, std::string_view text
) {
    const auto found = std::ranges::find_if(list, [&](const json::Value& element) {
        return element.string_at(member) == text;
    });
    return found == list.end() ? nullptr : &*found;
}

bool has_condition(const json::Value& object, std::string_view type) {
    const json::Value* found =
        find_element(list_at(object, {"status", "conditions"}), "type", type);
    return found != nullptr && found->string_at("status") == "True";
}

std::optional<std::int64_t> annotated_number(
    const json::Value& object, std::string_view annotation
) {
    const std::string_view text = text_at(object, {"metadata", "annotations", annotation});
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace sluice::sim
