#include "apiserver/protobuf/swagger_protobuf.hpp"

#include "apiserver/objects/values.hpp"

#include <bit>
#include <cstdint>
#include <map>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

/// Field numbers of gnostic's messages.
namespace number {
constexpr std::uint32_t kSwagger = 1;
constexpr std::uint32_t kInfo = 2;
constexpr std::uint32_t kPaths = 8;
constexpr std::uint32_t kDefinitions = 9;
constexpr std::uint32_t kAdditional = 21;
constexpr std::uint32_t kType = 22;
constexpr std::uint32_t kItems = 23;
constexpr std::uint32_t kAllOf = 24;
constexpr std::uint32_t kProperties = 25;
constexpr std::uint32_t kExtension = 31;
constexpr std::uint32_t kDefault = 5;
constexpr std::uint32_t kEnum = 20;
constexpr std::uint32_t kRequired = 19;
}  // namespace number

class Message {
  public:
    void add(std::uint32_t field, std::string_view bytes) {
        varint(field << 3U | 2U);
        varint(bytes.size());
        bytes_ += bytes;
    }
    void add(std::uint32_t field, const Message& message) { add(field, message.bytes_); }
    void add(std::uint32_t field, std::uint64_t value) {
        varint(field << 3U);
        varint(value);
    }
    void add(std::uint32_t field, double value) {
        varint(field << 3U | 1U);
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (unsigned i = 0; i < 8; ++i) {
            bytes_ += static_cast<char>(bits >> (8 * i) & 0xffU);
        }
    }
    const std::string& bytes() const { return bytes_; }

  private:
    void varint(std::uint64_t value) {
        while (value >= 0x80U) {
            bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
            value >>= 7U;
        }
        bytes_ += static_cast<char>(value);
    }
    std::string bytes_;
};

/// Encodes any value: gnostic's message Any contains YAML.
Message make_any(const Value& value) {
    Message any;
    any.add(2, json::print(value) + "\n");
    return any;
}

Message make_named(std::string_view name, const Message& content) {
    Message named;
    named.add(1, name);
    named.add(2, content);
    return named;
}

struct Scalar {
    std::uint32_t number;
    enum class As : std::uint8_t { Text, Real, Whole, Flag } as;
};

const std::map<std::string_view, Scalar>& scalars() {
    using As = Scalar::As;
    static const std::map<std::string_view, Scalar> kScalars{
        {"$ref", {1, As::Text}},
        {"format", {2, As::Text}},
        {"title", {3, As::Text}},
        {"description", {4, As::Text}},
        {"multipleOf", {6, As::Real}},
        {"maximum", {7, As::Real}},
        {"exclusiveMaximum", {8, As::Flag}},
        {"minimum", {9, As::Real}},
        {"exclusiveMinimum", {10, As::Flag}},
        {"maxLength", {11, As::Whole}},
        {"minLength", {12, As::Whole}},
        {"pattern", {13, As::Text}},
        {"maxItems", {14, As::Whole}},
        {"minItems", {15, As::Whole}},
        {"uniqueItems", {16, As::Flag}},
        {"maxProperties", {17, As::Whole}},
        {"minProperties", {18, As::Whole}},
    };
    return kScalars;
}

void add_scalar(Message& message, const Scalar& scalar, const Value& value) {
    using As = Scalar::As;
    if (scalar.as == As::Text && value.is_string()) {
        message.add(scalar.number, value.as_string());
    } else if (scalar.as == As::Flag && value.is_bool()) {
        message.add(scalar.number, std::uint64_t{value.as_bool()});
    } else if (scalar.as == As::Whole && value.is_int()) {
        message.add(scalar.number, static_cast<std::uint64_t>(value.as_int()));
    } else if (scalar.as == As::Real && value.is_int()) {
        message.add(scalar.number, static_cast<double>(value.as_int()));
    } else if (scalar.as == As::Real && value.is_double()) {
        message.add(scalar.number, value.as_double());
    }
}

Message make_schema(const Value& schema);

Message make_properties(const Value& properties) {
    Message made;
    for (const auto& [name, schema] : members_of(&properties)) {
        made.add(1, make_named(name, make_schema(schema)));
    }
    return made;
}

/// Adds a member that contains schemas or lists; returns false if the member is not one of these.
bool add_part(Message& message, std::string_view name, const Value& value) {
    if (name == "properties") {
        message.add(number::kProperties, make_properties(value));
    } else if (name == "items") {
        Message items;
        items.add(1, make_schema(value));
        message.add(number::kItems, items);
    } else if (name == "additionalProperties") {
        Message item;
        if (value.is_bool()) {
            item.add(2, std::uint64_t{value.as_bool()});
        } else {
            item.add(1, make_schema(value));
        }
        message.add(number::kAdditional, item);
    } else if (name == "allOf") {
        for (const Value& each : items_of(&value)) {
            message.add(number::kAllOf, make_schema(each));
        }
    } else if (name == "type") {
        Message type;
        type.add(1, value.is_string() ? value.as_string() : std::string());
        message.add(number::kType, type);
    } else if (name == "required") {
        for (const Value& each : items_of(&value)) {
            message.add(number::kRequired, each.as_string());
        }
    } else if (name == "enum") {
        for (const Value& each : items_of(&value)) {
            message.add(number::kEnum, make_any(each));
        }
    } else if (name == "default") {
        message.add(number::kDefault, make_any(value));
    } else {
        return false;
    }
    return true;
}

Message make_schema(const Value& schema) {
    Message message;
    for (const auto& [name, value] : members_of(&schema)) {
        if (add_part(message, name, value)) {
            continue;
        }
        const auto scalar = scalars().find(name);
        if (scalar != scalars().end()) {
            add_scalar(message, scalar->second, value);
        } else if (name.starts_with("x-")) {
            message.add(number::kExtension, make_named(name, make_any(value)));
        }
    }
    return message;
}

}  // namespace

std::string encode_swagger(const Value& document) {
    Message made;
    made.add(number::kSwagger, "2.0");
    Message info;
    const Value* info_value = document.find("info");
    info.add(1, info_value == nullptr ? std::string_view() : info_value->string_at("title"));
    info.add(2, info_value == nullptr ? std::string_view() : info_value->string_at("version"));
    made.add(number::kInfo, info);
    made.add(number::kPaths, Message());
    const Value* definitions = document.find("definitions");
    made.add(
        number::kDefinitions, definitions == nullptr ? Message() : make_properties(*definitions)
    );
    return made.bytes();
}

}  // namespace sluice::apiserver
