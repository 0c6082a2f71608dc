#include "cel/values/json.hpp"

#include "cel/values/temporal.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

namespace sluice::cel {
namespace {

Result<std::string> key_of(const Value& key) {
    if (key.is<Text>()) {
        return std::string(key.text());
    }
    if (const auto* number = key.get_if<std::int64_t>()) {
        return std::to_string(*number);
    }
    if (const auto* number = key.get_if<std::uint64_t>()) {
        return std::to_string(*number);
    }
    if (key.is<bool>()) {
        return std::string(key.is_true() ? "true" : "false");
    }
    return make_invalid(fmt::format("a value of type {} cannot be a JSON key", type_name(key)));
}

Result<json::Value> list_to_json(const List& list) {
    if (list.raw() != nullptr) {
        return json::Value(*list.raw());
    }
    json::Array items;
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto item = to_json(list.at(i));
        if (!item) {
            return item;
        }
        items.push_back(std::move(*item));
    }
    return json::Value(std::move(items));
}

Result<json::Value> map_to_json(const Map& map) {
    if (map.raw() != nullptr) {
        return json::Value(*map.raw());
    }
    json::Value object = json::Object();
    for (const auto& [key, value] : map.entries()) {
        const auto name = key_of(key);
        auto member = to_json(value);
        if (!name || !member) {
            return name ? std::move(member) : Result<json::Value>(name.error());
        }
        object.set(*name, std::move(*member));
    }
    return object;
}

}  // namespace

Result<json::Value> to_json(const Value& value) {
    if (value.is_null()) {
        return json::Value();
    }
    if (value.is<bool>()) {
        return json::Value(value.is_true());
    }
    if (const auto* number = value.get_if<std::int64_t>()) {
        return json::Value(*number);
    }
    constexpr auto kIntMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (const auto* number = value.get_if<std::uint64_t>();
        number != nullptr && *number <= kIntMax) {
        return json::Value(static_cast<std::int64_t>(*number));
    }
    if (const auto* number = value.get_if<double>()) {
        return json::Value(*number);
    }
    if (value.is<Text>()) {
        return json::Value(value.text());
    }
    if (const auto* bytes = value.get_if<Bytes>()) {
        return json::Value(kube::encode_base64(bytes->text.view()));
    }
    if (const auto* duration = value.get_if<Duration>()) {
        return json::Value(print_duration(*duration));
    }
    if (const auto* time = value.get_if<Timestamp>()) {
        return json::Value(print_timestamp(*time));
    }
    if (const auto* unknown = value.get_if<Unknown>()) {
        return unknown->data == nullptr ? json::Value() : *unknown->data;
    }
    if (const List* list = value.list()) {
        return list_to_json(*list);
    }
    if (const Map* map = value.map()) {
        return map_to_json(*map);
    }
    return make_invalid(fmt::format("a value of type {} has no JSON form", type_name(value)));
}

}  // namespace sluice::cel
