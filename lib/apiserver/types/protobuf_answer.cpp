#include "apiserver/types/protobuf_answer.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/protobuf/protobuf_messages.hpp"
#include "apiserver/types/negotiation.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr unsigned kBytesOfVarint = 7;

void add_varint(std::string& out, std::uint64_t value) {
    constexpr std::uint64_t kMore = 0x80;
    for (; value >= kMore; value >>= kBytesOfVarint) {
        out += static_cast<char>((value & (kMore - 1)) | kMore);
    }
    out += static_cast<char>(value);
}

void add_number(std::string& out, std::uint64_t field, std::int64_t value) {
    add_varint(out, field << 3U);
    add_varint(out, std::bit_cast<std::uint64_t>(value));
}

void add_bytes(std::string& out, std::uint64_t field, std::string_view bytes) {
    add_varint(out, (field << 3U) | 2U);
    add_varint(out, bytes.size());
    out += bytes;
}

void add_double(std::string& out, std::uint64_t field, double value) {
    add_varint(out, (field << 3U) | 1U);
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < sizeof(bits); ++i, bits >>= 8U) {
        out += static_cast<char>(bits & 0xffU);
    }
}

Error does_not_fit(std::string_view type) {
    return make_invalid(fmt::format("the value is not a protobuf {}", type));
}

Result<std::string> encode_time(const json::Value& value, bool is_micro) {
    const auto time = value.is_string() ? api::parse_time(value.as_string()) : does_not_fit("time");
    if (!time) {
        return time.error();
    }
    const auto whole = std::chrono::floor<std::chrono::seconds>(*time);
    std::string out;
    add_number(out, 1, whole.time_since_epoch().count());
    if (is_micro) {
        add_number(
            out, 2, std::chrono::duration_cast<std::chrono::nanoseconds>(*time - whole).count()
        );
    }
    return out;
}

std::string encode_choice(const json::Value& value) {
    std::string out;
    if (value.is_string()) {
        add_number(out, 1, 1);
        add_bytes(out, 3, value.as_string());
    } else {
        add_number(out, 1, 0);
        add_number(out, 2, value.is_int() ? value.as_int() : 0);
    }
    return out;
}

/// Returns the message for a part of a CRD's schema that is one of several alternatives: an object
/// that contains the alternative under its name.
std::optional<json::Value> name_part(std::string_view type, const json::Value& value) {
    constexpr std::string_view kEither = "JSONSchemaPropsOr";
    if (!type.starts_with(kDefinitionMessages) ||
        !type.substr(kDefinitionMessages.size()).starts_with(kEither)) {
        return std::nullopt;
    }
    if (value.is_bool()) {
        return json::Object{{"allows", value}};
    }
    const bool is_text_list = type.ends_with("OrStringArray");
    const std::string_view name = value.is_object() ? "schema"
                                  : is_text_list    ? "property"
                                                    : "jSONSchemas";
    json::Value part = json::Object();
    part.set(name, value);
    return part;
}

Result<std::string> encode_message(std::string_view type, const json::Value& value);

/// Encodes a message whose JSON is not an object; returns nullopt for any other type.
std::optional<Result<std::string>> encode_special(std::string_view type, const json::Value& value) {
    const std::string meta(kMetaMessages);
    if (type == meta + "Time" || type == meta + "MicroTime") {
        return encode_time(value, type == meta + "MicroTime");
    }
    if (type.ends_with(".util.intstr.IntOrString")) {
        return encode_choice(value);
    }
    std::string out;
    if (type.ends_with(".api.resource.Quantity")) {
        add_bytes(out, 1, value.is_string() ? value.as_string() : json::print(value));
        return out;
    }
    if (type.ends_with(".runtime.RawExtension") || type == meta + "FieldsV1" ||
        type == std::string(kDefinitionMessages) + "JSON") {
        add_bytes(out, 1, json::print(value));
        return out;
    }
    return std::nullopt;
}

Result<void> add_value(
    std::string& out, std::uint64_t number, const std::string& type, const json::Value& value
) {
    if (type.find('.') != std::string::npos) {
        auto bytes = encode_message(type, value);
        if (!bytes) {
            return bytes.error();
        }
        add_bytes(out, number, *bytes);
        return {};
    }
    if (type == "string" && value.is_string()) {
        add_bytes(out, number, value.as_string());
    } else if (type == "bytes" && value.is_string()) {
        const auto bytes = kube::decode_base64(value.as_string());
        if (!bytes) {
            return bytes.error();
        }
        add_bytes(out, number, *bytes);
    } else if (type == "bool" && value.is_bool()) {
        add_number(out, number, value.as_bool() ? 1 : 0);
    } else if (type == "double" && (value.is_double() || value.is_int())) {
        add_double(
            out, number, value.is_int() ? static_cast<double>(value.as_int()) : value.as_double()
        );
    } else if ((type == "int32" || type == "int64") && value.is_int()) {
        add_number(out, number, value.as_int());
    } else {
        return does_not_fit(type);
    }
    return {};
}

Result<void> add_field(
    std::string& out, std::uint64_t number, const ProtobufField& field, const json::Value& value
) {
    if (field.is_map && value.is_object()) {
        for (const auto& [key, each] : value.as_object()) {
            std::string entry;
            add_bytes(entry, 1, key);
            if (auto added = add_value(entry, 2, field.type, each); !added) {
                return added;
            }
            add_bytes(out, number, entry);
        }
        return {};
    }
    if (field.is_list && value.is_array()) {
        for (const json::Value& each : value.as_array()) {
            if (auto added = add_value(out, number, field.type, each); !added) {
                return added;
            }
        }
        return {};
    }
    return field.is_map || field.is_list ? does_not_fit("list or map")
                                         : add_value(out, number, field.type, value);
}

Result<std::string> encode_fields(std::string_view type, const json::Value& value) {
    const auto known = protobuf_messages().find(type);
    if (known == protobuf_messages().end()) {
        return make_invalid(fmt::format("the kind {} is not known in protobuf", type));
    }
    if (!value.is_object()) {
        return does_not_fit(type);
    }
    std::string out;
    for (const auto& [number, field] : known->second) {
        const json::Value* member = field.is_inline ? &value : value.find(field.name);
        if (member == nullptr || member->is_null()) {
            continue;
        }
        if (const auto added = add_field(out, number, field, *member); !added) {
            return added.error();
        }
    }
    return out;
}

Result<std::string> encode_message(std::string_view type, const json::Value& value) {
    if (auto special = encode_special(type, value)) {
        return std::move(*special);
    }
    const auto part = name_part(type, value);
    return encode_fields(type, part ? *part : value);
}

/// Encodes a list of any kind: the metadata of the list, and its items.
Result<std::string> encode_list(const std::string& item_type, const json::Value& list) {
    std::string out;
    const json::Value* metadata = list.find("metadata");
    const json::Value none = json::Object();
    const auto meta = encode_message(
        std::string(kMetaMessages) + "ListMeta", metadata == nullptr ? none : *metadata
    );
    if (!meta) {
        return meta.error();
    }
    add_bytes(out, 1, *meta);
    const json::Value* items = list.find("items");
    if (items != nullptr && items->is_array()) {
        for (const json::Value& item : items->as_array()) {
            const auto bytes = encode_message(item_type, item);
            if (!bytes) {
                return bytes.error();
            }
            add_bytes(out, 2, *bytes);
        }
    }
    return out;
}

}  // namespace

bool has_protobuf(const ResourceType& type) {
    return !type.is_custom &&
           protobuf_messages().contains(protobuf_message_of(type.api_version(), type.kind));
}

bool takes_only_protobuf(std::string_view accept) {
    return !check_accept(accept) && accept.find(kProtobufType) != std::string_view::npos &&
           accept.find(";as=") == std::string_view::npos;
}

Result<std::string> encode_protobuf(const json::Value& object) {
    const std::string_view api_version = object.string_at("apiVersion");
    const std::string_view kind = object.string_at("kind");
    const std::string type = protobuf_message_of(api_version, kind);
    constexpr std::string_view kList = "List";
    const bool is_list = kind.ends_with(kList) && !protobuf_messages().contains(type);
    const auto raw = is_list ? encode_list(type.substr(0, type.size() - kList.size()), object)
                             : encode_message(type, object);
    if (!raw) {
        return raw.error();
    }
    std::string meta;
    add_bytes(meta, 1, api_version);
    add_bytes(meta, 2, kind);
    std::string out(kProtobufMagic);
    add_bytes(out, 1, meta);
    add_bytes(out, 2, *raw);
    add_bytes(out, 3, "");
    add_bytes(out, 4, "");
    return out;
}

Result<std::string> encode_watch_lines(std::string_view lines) {
    std::string out;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(lines.size(), line.size() + 1));
        const auto event = json::parse(line);
        const json::Value* object = event ? event->find("object") : nullptr;
        if (object == nullptr) {
            return does_not_fit("event");
        }
        const auto body = encode_protobuf(*object);
        if (!body) {
            return body.error();
        }
        std::string extension;
        add_bytes(extension, 1, *body);
        std::string frame;
        add_bytes(frame, 1, event->string_at("type"));
        add_bytes(frame, 2, extension);
        for (const unsigned shift : {24U, 16U, 8U, 0U}) {
            out += static_cast<char>((frame.size() >> shift) & 0xffU);
        }
        out += frame;
    }
    return out;
}

}  // namespace sluice::apiserver
