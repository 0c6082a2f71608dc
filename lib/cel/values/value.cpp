#include "cel/values/value.hpp"

#include "cel/values/operations.hpp"
#include "cel/values/schema.hpp"
#include "cel/values/temporal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sluice::cel {
namespace {

std::string json_type(const json::Value& data) {
    // The names of the Go types into which the API server decodes JSON.
    return data.is_null()     ? "<nil>"
           : data.is_bool()   ? "bool"
           : data.is_int()    ? "int64"
           : data.is_double() ? "float64"
           : data.is_string() ? "string"
           : data.is_array()  ? "[]interface {}"
                              : "map[string]interface {}";
}

Value make_untyped(const json::Value& data) {
    if (data.is_bool()) {
        return data.as_bool();
    }
    if (data.is_int()) {
        return data.as_int();
    }
    if (data.is_double()) {
        return data.as_double();
    }
    if (data.is_string()) {
        return Text::borrow(data.as_string());
    }
    if (data.is_array()) {
        return std::shared_ptr<const List>(std::make_shared<List>(data.as_array(), nullptr));
    }
    if (data.is_object()) {
        return std::shared_ptr<const Map>(std::make_shared<Map>(data.as_object(), nullptr));
    }
    return {};
}

Value make_text_value(const json::Value& data, const Schema& schema) {
    if (!data.is_string()) {
        return make_failure("invalid data, expected string, got " + json_type(data));
    }
    const std::string& text = data.as_string();
    if (schema.format == "duration") {
        const auto duration = parse_format_duration(text);
        return duration ? Value(*duration) : make_failure(fmt::format("Invalid duration {}", text));
    }
    if (schema.format == "date") {
        const auto time = parse_date(text);
        return time ? Value(*time)
                    : make_failure(fmt::format("Invalid date formatted string {}", text));
    }
    if (schema.format == "date-time") {
        const auto time = parse_format_date_time(text);
        return time ? Value(*time)
                    : make_failure(fmt::format("Invalid date-time formatted string {}", text));
    }
    if (schema.format == "byte") {
        auto bytes = decode_bytes(text);
        return bytes ? Value(Bytes{Text::own(std::move(*bytes))})
                     : make_failure(fmt::format("Invalid byte formatted string {}", text));
    }
    return Text::borrow(text);
}

Value make_integer(const json::Value& data) {
    constexpr double kLimit = 9.2e18;
    if (data.is_int()) {
        return data.as_int();
    }
    if (data.is_double() && std::abs(data.as_double()) < kLimit &&
        data.as_double() == std::trunc(data.as_double())) {
        return static_cast<std::int64_t>(data.as_double());
    }
    return make_failure("invalid data, expected int, got " + json_type(data));
}

Value make_collection(const json::Value& data, const Schema& schema) {
    if (schema.type == "object") {
        if (!data.is_object()) {
            return make_failure(
                "invalid data, expected a map for the provided schema with type=object"
            );
        }
        return std::shared_ptr<const Map>(std::make_shared<Map>(data.as_object(), &schema));
    }
    if (!data.is_array()) {
        return make_failure(
            "invalid data, expected an array for the provided schema with type=array"
        );
    }
    if (schema.items == nullptr) {
        return make_failure("invalid array type, expected Items with a non-empty Schema");
    }
    return std::shared_ptr<const List>(std::make_shared<List>(data.as_array(), &schema));
}

Value make_scalar(const json::Value& data, const Schema& schema) {
    if (schema.type == "string") {
        return make_text_value(data, schema);
    }
    if (schema.type == "number") {
        return data.is_number()
                   ? Value(data.as_double())
                   : make_failure("invalid data, expected float, got " + json_type(data));
    }
    if (schema.type == "integer") {
        return make_integer(data);
    }
    if (schema.type == "boolean") {
        return data.is_bool() ? Value(data.as_bool())
                              : make_failure("invalid data, expected bool, got " + json_type(data));
    }
    if (schema.preserves_unknown) {
        return Unknown{&data};
    }
    return make_failure(
        "invalid type, expected object, array, number, integer, boolean or string, or no type with "
        "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got " +
        schema.type
    );
}

/// Returns a text that is the same for equal keys. Whole numbers of different types are equal.
std::string key_text(const Value& key) {
    constexpr double kLimit = 9.2e18;
    if (key.is<Text>()) {
        return "s" + std::string(key.text());
    }
    if (const auto* number = key.get_if<double>()) {
        return *number == std::trunc(*number) && std::abs(*number) < kLimit
                   ? "n" + std::to_string(static_cast<std::int64_t>(*number))
                   : "d" + show(key);
    }
    const bool is_whole = key.is<std::int64_t>() || key.is<std::uint64_t>();
    return (is_whole ? "n" : "o") + show(key);
}

}  // namespace

const List* Value::list() const {
    const auto* found = get_if<std::shared_ptr<const List>>();
    return found != nullptr ? found->get() : nullptr;
}

const Map* Value::map() const {
    const auto* found = get_if<std::shared_ptr<const Map>>();
    return found != nullptr ? found->get() : nullptr;
}

const Opaque* Value::opaque() const {
    const auto* found = get_if<std::shared_ptr<const Opaque>>();
    return found != nullptr ? found->get() : nullptr;
}

Value make_failure(std::string text) {
    return Failure{std::make_shared<const std::string>(std::move(text))};
}

Value no_such_overload() {
    return make_failure("no such overload");
}

Value make_string(std::string text) {
    return Text::own(std::move(text));
}

Value make_type_value(std::string name) {
    return TypeName{std::make_shared<const std::string>(std::move(name))};
}

Value make_optional(Value value) {
    return Optional{std::make_shared<const Value>(std::move(value))};
}

std::string type_name(const Value& value) {
    if (const Opaque* opaque = value.opaque()) {
        return std::string(opaque->type_name());
    }
    return value.is_null()             ? "null_type"
           : value.is<bool>()          ? "bool"
           : value.is<std::int64_t>()  ? "int"
           : value.is<std::uint64_t>() ? "uint"
           : value.is<double>()        ? "double"
           : value.is<Text>()          ? "string"
           : value.is<Bytes>()         ? "bytes"
           : value.is<Duration>()      ? "google.protobuf.Duration"
           : value.is<Timestamp>()     ? "google.protobuf.Timestamp"
           : value.is<TypeName>()      ? "type"
           : value.is<Optional>()      ? "optional_type"
           : value.list() != nullptr   ? "list"
           : value.map() != nullptr    ? "map"
           : value.is_failure()        ? "error"
                                       : "unknown";
}

List::List(const json::Array& array, const Schema* schema) : raw_(&array), schema_(schema) {}

const Value& List::at(std::size_t index) const {
    if (raw_ == nullptr) {
        return items_[index];
    }
    if (items_.empty()) {
        items_.resize(raw_->size());
        is_made_.resize(raw_->size());
    }
    if (!is_made_[index]) {
        const Schema* items = schema_ != nullptr ? schema_->items.get() : nullptr;
        items_[index] = make_value((*raw_)[index], items);
        is_made_[index] = true;
    }
    return items_[index];
}

Map::Map(const json::Object& object, const Schema* schema) : raw_(&object), schema_(schema) {}

void Map::index() const {
    if (!members_.empty() || raw_->empty()) {
        return;
    }
    members_.reserve(raw_->size());
    for (const auto& [name, data] : *raw_) {
        members_.push_back({name, &data, std::nullopt});
    }
    std::ranges::sort(members_, {}, &Member::name);
}

std::optional<Value> Map::find_member(std::string_view name) const {
    index();
    const auto found = std::ranges::lower_bound(members_, name, {}, &Member::name);
    if (found == members_.end() || found->name != name) {
        return std::nullopt;
    }
    if (found->value) {
        return found->value;
    }
    const Schema* part = nullptr;
    if (schema_ != nullptr) {
        part = schema_->has_properties ? schema_->find(name) : schema_->additional.get();
        if (part == nullptr || (schema_->has_properties && found->raw->is_null())) {
            return std::nullopt;
        }
    }
    found->value = make_value(*found->raw, part);
    return found->value;
}

void Map::index_entries() const {
    if (!positions_.empty()) {
        return;
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        positions_[key_text(entries_[i].first)] = i;
    }
}

std::optional<Value> Map::find(const Value& key) const {
    if (raw_ == nullptr) {
        index_entries();
        const auto found = positions_.find(key_text(key));
        return found != positions_.end() ? std::optional(entries_[found->second].second)
                                         : std::nullopt;
    }
    if (!key.is<Text>()) {
        return std::nullopt;
    }
    if (schema_ == nullptr || !schema_->has_properties) {
        return find_member(key.text());
    }
    const auto name = unescape_name(key.text());
    return name ? find_member(*name) : std::nullopt;
}

std::vector<Value> Map::keys() const {
    std::vector<Value> result;
    if (raw_ == nullptr) {
        for (const auto& [key, value] : entries_) {
            result.push_back(key);
        }
        return result;
    }
    index();
    for (const Member& member : members_) {
        if (schema_ == nullptr || (!schema_->has_properties && schema_->additional != nullptr)) {
            result.push_back(Text::borrow(member.name));
        } else if (schema_->find(member.name) != nullptr) {
            auto escaped = escape_name(member.name);
            result.push_back(
                escaped ? make_string(std::move(*escaped)) : Value(Text::borrow(member.name))
            );
        }
    }
    return result;
}

Value make_value(const json::Value& data, const Schema* schema) {
    if (schema == nullptr) {
        return make_untyped(data);
    }
    if (data.is_null()) {
        return schema->is_nullable
                   ? Value()
                   : make_failure("invalid data, got null for schema with nullable=false");
    }
    if (schema->is_int_or_string) {
        if (data.is_string() || data.is_int()) {
            return make_untyped(data);
        }
        return make_failure(
            "invalid data, expected XIntOrString value to be either a string or integer"
        );
    }
    if (schema->type == "object" || schema->type == "array") {
        return make_collection(data, *schema);
    }
    return make_scalar(data, *schema);
}

Value make_list(std::vector<Value> items) {
    return std::shared_ptr<const List>(std::make_shared<List>(std::move(items)));
}

Value make_map(std::vector<Map::Entry> entries) {
    return std::shared_ptr<const Map>(std::make_shared<Map>(std::move(entries)));
}

std::int64_t count_code_points(std::string_view text) {
    return std::ranges::count_if(text, [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
}

}  // namespace sluice::cel
