#include "apiserver/protobuf/protobuf.hpp"

#include "apiserver/protobuf/protobuf_messages.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

constexpr int kMessageDepthMax = 64;

/// One field as the wire format encodes it.
struct Item {
    std::uint64_t number = 0;
    std::uint64_t value = 0;   ///< for numeric fields
    std::string_view bytes{};  ///< for strings and messages
};

class Reader {
  public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    bool is_done() const { return at_ == bytes_.size(); }
    std::optional<Item> next() {
        const auto key = varint();
        if (!key) {
            return std::nullopt;
        }
        Item item{.number = *key >> 3U};
        switch (*key & 7U) {
            case 0: {
                const auto value = varint();
                if (!value) {
                    return std::nullopt;
                }
                item.value = *value;
                return item;
            }
            case 1:
                return fixed(item, 8);
            case 2: {
                const auto size = varint();
                if (!size || *size > bytes_.size() - at_) {
                    return std::nullopt;
                }
                item.bytes = bytes_.substr(at_, *size);
                at_ += *size;
                return item;
            }
            case 5:
                return fixed(item, 4);
            default:
                return std::nullopt;
        }
    }

  private:
    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == bytes_.size()) {
                return std::nullopt;
            }
            const auto byte = static_cast<unsigned char>(bytes_[at_++]);
            value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if ((byte & 0x80U) == 0) {
                return value;
            }
        }
        return std::nullopt;
    }
    std::optional<Item> fixed(Item item, std::size_t size) {
        if (bytes_.size() - at_ < size) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < size; ++i) {
            const auto byte = static_cast<unsigned char>(bytes_[at_ + i]);
            item.value |= static_cast<std::uint64_t>(byte) << (8 * i);
        }
        at_ += size;
        return item;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
};

Error malformed() {
    return make_invalid("the body is not a protobuf message");
}

/// Returns the fields of a message by their number; the last of several wins, as protobuf
/// prescribes.
Result<std::map<std::uint64_t, Item>> fields_of(std::string_view bytes) {
    std::map<std::uint64_t, Item> items;
    Reader reader(bytes);
    while (!reader.is_done()) {
        const auto item = reader.next();
        if (!item) {
            return malformed();
        }
        items[item->number] = *item;
    }
    return items;
}

/// Prints a time from the year 1 on, a wider range than that of Time. `micros`: negative if
/// microseconds are not printed.
std::string print_time(std::int64_t seconds, std::int64_t micros) {
    const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    std::string text = fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        clock.hours().count(),
        clock.minutes().count(),
        clock.seconds().count()
    );
    return micros < 0 ? text + "Z" : fmt::format("{}.{:06}Z", text, micros);
}

Result<json::Value> decode_time(std::string_view bytes, bool is_micro) {
    const auto items = fields_of(bytes);
    if (!items) {
        return items.error();
    }
    const auto part = [&items](std::uint64_t number) {
        const auto found = items->find(number);
        return found == items->end() ? std::int64_t{0}
                                     : std::bit_cast<std::int64_t>(found->second.value);
    };
    constexpr std::int64_t kYear1 = -62135596800;
    constexpr std::int64_t kYear10000 = 253402300800;
    // Go's types decode an empty message as an unset time.
    const bool is_none = (part(1) == 0 && part(2) == 0) || (part(1) == kYear1 && part(2) == 0);
    if (is_none || part(1) < kYear1 || part(1) >= kYear10000) {
        return json::Value();
    }
    return json::Value(print_time(part(1), is_micro ? part(2) / 1000 % 1'000'000 : -1));
}

/// Decodes a message whose JSON is not an object; returns nullopt for any other type.
std::optional<Result<json::Value>> decode_special(std::string_view type, std::string_view bytes) {
    const bool is_quantity = type.ends_with(".api.resource.Quantity");
    const bool is_choice = type.ends_with(".util.intstr.IntOrString");
    const bool is_raw = type.ends_with(".runtime.RawExtension") ||
                        type == std::string(kMetaMessages) + "FieldsV1" ||
                        type == std::string(kDefinitionMessages) + "JSON";
    if (type == std::string(kMetaMessages) + "Time" ||
        type == std::string(kMetaMessages) + "MicroTime") {
        return decode_time(bytes, type.ends_with("MicroTime"));
    }
    if (!is_quantity && !is_choice && !is_raw) {
        return std::nullopt;
    }
    const auto items = fields_of(bytes);
    if (!items) {
        return Result<json::Value>(items.error());
    }
    const auto find = [&items](std::uint64_t number) {
        const auto found = items->find(number);
        return found == items->end() ? Item{} : found->second;
    };
    if (is_quantity) {
        return Result<json::Value>(json::Value(find(1).bytes));
    }
    if (is_raw) {
        return json::parse(find(1).bytes, {.depth = kMessageDepthMax});
    }
    const bool is_text = find(1).value == 1;
    return Result<json::Value>(
        is_text ? json::Value(find(3).bytes)
                : json::Value(static_cast<std::int64_t>(static_cast<std::int32_t>(find(2).value)))
    );
}

Result<json::Value> decode_message(std::string_view type, std::string_view bytes, int depth);

bool is_scalar(std::string_view type) {
    return type.find('.') == std::string_view::npos;
}

Result<json::Value> decode_value(const ProtobufField& field, const Item& item, int depth) {
    if (!is_scalar(field.type)) {
        return decode_message(field.type, item.bytes, depth + 1);
    }
    if (field.type == "string") {
        return json::Value(item.bytes);
    }
    if (field.type == "bytes") {
        return json::Value(kube::encode_base64(item.bytes));
    }
    if (field.type == "bool") {
        return json::Value(item.value != 0);
    }
    if (field.type == "double") {
        return json::Value(std::bit_cast<double>(item.value));
    }
    const auto number = std::bit_cast<std::int64_t>(item.value);
    return json::Value(field.type == "int32" ? static_cast<std::int32_t>(number) : number);
}

/// Returns true if JSON omits the value: a field that protobuf always sends, with its zero value.
bool says_nothing(const ProtobufField& field, const json::Value& value) {
    if (value.is_null()) {
        return true;
    }
    if (field.may_be_absent || field.is_list) {
        return false;
    }
    return (value.is_string() && value.as_string().empty()) ||
           (value.is_bool() && !value.as_bool()) || (value.is_int() && value.as_int() == 0) ||
           (value.is_object() && value.as_object().empty());
}

Result<void> add_entry(
    json::Value& object, const ProtobufField& field, std::string_view bytes, int depth
) {
    const auto items = fields_of(bytes);
    if (!items) {
        return items.error();
    }
    const auto key = items->find(1);
    const auto value = items->find(2);
    const Item none;
    auto decoded = decode_value(field, value == items->end() ? none : value->second, depth);
    if (!decoded) {
        return decoded.error();
    }
    json::Value* map = object.find(field.name);
    if (map == nullptr) {
        map = &object.set(field.name, json::Object());
    }
    map->set(key == items->end() ? std::string_view() : key->second.bytes, std::move(*decoded));
    return {};
}

/// Returns the JSON of a part of a CRD's schema that is one of several alternatives: the
/// alternative that is set. Returns the object itself for other types.
json::Value choose_part(std::string_view type, json::Value object) {
    constexpr std::string_view kEither = "JSONSchemaPropsOr";
    if (!type.starts_with(kDefinitionMessages) ||
        !type.substr(kDefinitionMessages.size()).starts_with(kEither)) {
        return object;
    }
    for (const std::string_view part : {"schema", "jSONSchemas", "property", "allows"}) {
        if (const json::Value* found = object.find(part)) {
            return *found;
        }
    }
    return type.ends_with("OrBool") ? json::Value(false) : json::Value(json::Array());
}

Result<json::Value> decode_message(std::string_view type, std::string_view bytes, int depth) {
    if (depth > kMessageDepthMax) {
        return make_invalid("the message is nested too deep");
    }
    if (auto special = decode_special(type, bytes)) {
        return std::move(*special);
    }
    const auto known = protobuf_messages().find(type);
    if (known == protobuf_messages().end()) {
        return make_invalid(fmt::format("the kind {} is not known in protobuf", type));
    }
    json::Value object = json::Object();
    Reader reader(bytes);
    while (!reader.is_done()) {
        const auto item = reader.next();
        if (!item) {
            return malformed();
        }
        const auto found = known->second.find(item->number);
        if (found == known->second.end()) {
            continue;
        }
        const ProtobufField& field = found->second;
        if (field.is_map) {
            if (const auto added = add_entry(object, field, item->bytes, depth); !added) {
                return added.error();
            }
            continue;
        }
        auto value = decode_value(field, *item, depth);
        if (!value) {
            return value;
        }
        if (field.is_inline) {
            for (const auto& [name, member] :
                 value->is_object() ? value->as_object() : json::Object()) {
                object.set(name, member);
            }
        } else if (field.is_list) {
            json::Value* list = object.find(field.name);
            if (list == nullptr) {
                list = &object.set(field.name, json::Array());
            }
            list->as_array().push_back(std::move(*value));
        } else if (!says_nothing(field, *value)) {
            object.set(field.name, std::move(*value));
        }
    }
    return choose_part(type, std::move(object));
}

}  // namespace

Result<json::Value> decode_protobuf(std::string_view body) {
    if (!body.starts_with(kProtobufMagic)) {
        return malformed();
    }
    const auto unknown = fields_of(body.substr(kProtobufMagic.size()));
    if (!unknown || !unknown->contains(1)) {
        return malformed();
    }
    const auto meta = fields_of(unknown->at(1).bytes);
    if (!meta) {
        return malformed();
    }
    const auto text = [&meta](std::uint64_t number) {
        const auto found = meta->find(number);
        return std::string(found == meta->end() ? std::string_view() : found->second.bytes);
    };
    const std::string api_version = text(1);
    const std::string kind = text(2);
    const auto raw = unknown->find(2);
    auto object = decode_message(
        protobuf_message_of(api_version, kind),
        raw == unknown->end() ? std::string_view() : raw->second.bytes,
        0
    );
    if (object) {
        object->set("apiVersion", api_version);
        object->set("kind", kind);
    }
    return object;
}

}  // namespace sluice::apiserver
