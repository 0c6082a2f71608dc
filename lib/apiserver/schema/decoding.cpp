#include "apiserver/schema/decoding.hpp"

#include "api/meta/quantity.hpp"
#include "apiserver/objects/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string_view>

namespace sluice::apiserver {
namespace {

using json::Value;
using Fault = std::optional<std::string>;

constexpr int kDecodedDepthMax = 128;

std::string go_type_of_schema(const Schema& schema) {
    switch (schema.type) {
        case Schema::Type::String:
            return schema.format == "byte" ? "[]uint8" : "string";
        case Schema::Type::Integer:
            return schema.format.empty() ? "int64" : schema.format;
        case Schema::Type::Number:
            return "float64";
        case Schema::Type::Boolean:
            return "bool";
        case Schema::Type::Array:
            return "[]" +
                   (schema.items == nullptr ? "interface {}" : go_type_of_schema(*schema.items));
        case Schema::Type::Object:
            if (schema.additional_properties != nullptr && schema.properties.empty()) {
                return "map[string]" + go_type_of_schema(*schema.additional_properties);
            }
            return schema.go_type;
        case Schema::Type::Any:
            return schema.int_or_string ? "int32" : schema.go_type;
    }
    return schema.go_type;
}

std::string json_type_for(const Schema& schema, const Value& value) {
    if (value.is_bool()) {
        return "bool";
    }
    if (value.is_number()) {
        const bool wants_number =
            schema.type == Schema::Type::Integer || schema.type == Schema::Type::Number;
        return wants_number ? "number " + json::print(value) : "number";
    }
    if (value.is_string()) {
        return "string";
    }
    return value.is_array() ? "array" : "object";
}

bool fits_integer(const Schema& schema, const Value& value) {
    if (!value.is_int()) {
        return false;
    }
    using Limits = std::numeric_limits<std::int32_t>;
    return schema.format != "int32" ||
           (value.as_int() >= Limits::min() && value.as_int() <= Limits::max());
}

bool has_form(const Schema& schema, const Value& value) {
    switch (schema.type) {
        case Schema::Type::String:
            return value.is_string();
        case Schema::Type::Integer:
            return fits_integer(schema, value);
        case Schema::Type::Number:
            return value.is_number();
        case Schema::Type::Boolean:
            return value.is_bool();
        case Schema::Type::Array:
            return value.is_array();
        case Schema::Type::Object:
            return value.is_object();
        case Schema::Type::Any:
            return !schema.int_or_string || value.is_int() || value.is_string();
    }
    return true;
}

/// The length of the part of a time that Go parses before the fraction.
constexpr std::size_t kSecondsEnd = std::string_view("2006-01-02T15:04:05").size();
constexpr std::string_view kMicros = ".000000";

Fault check_time(const Schema& schema, const std::string& text) {
    const bool is_micro = schema.go_type == "v1.MicroTime";
    const auto* fraction = is_micro ? ".000000" : "";
    const auto refusal = [&](std::string_view from, std::string_view as) {
        return fmt::format(
            "parsing time \"{}\" as \"2006-01-02T15:04:05{}Z07:00\": cannot parse \"{}\" as \"{}\"",
            text,
            fraction,
            from,
            as
        );
    };
    if (!has_format("date-time", text) || text.size() <= kSecondsEnd) {
        return refusal(text, "2006");
    }
    if (is_micro) {
        const auto rest = std::string_view(text).substr(kSecondsEnd);
        const auto digits = rest.find_first_not_of("0123456789", 1);
        if (rest.front() != '.' || digits != kMicros.size()) {
            return refusal(rest, kMicros);
        }
    }
    return std::nullopt;
}

Fault check_text(const Schema& schema, const std::string& text) {
    if (schema.format == "date-time") {
        return check_time(schema, text);
    }
    if (schema.format == "byte" && !has_format("byte", text)) {
        const auto is_code = [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '+' || c == '/';
        };
        const auto bad = std::find_if_not(text.begin(), text.end(), is_code);
        return fmt::format("illegal base64 data at input byte {}", bad - text.begin());
    }
    return std::nullopt;
}

/// Returns the kind of a value as Go's reflection names it.
std::string_view go_kind(const Value& value) {
    return value.is_bool()     ? "bool"
           : value.is_int()    ? "int64"
           : value.is_double() ? "float64"
           : value.is_string() ? "string"
           : value.is_array()  ? "slice"
                               : "map";
}

/// Returns the fault of the converter that turns the maps of a strategic merge patch into structs.
std::string conversion_refusal(const Schema& schema, const Value& value) {
    const std::string type = go_type_of_schema(schema);
    switch (schema.type) {
        case Schema::Type::Array:
            return fmt::format("cannot restore slice from {}", go_kind(value));
        case Schema::Type::Object: {
            const bool is_map =
                schema.additional_properties != nullptr && schema.properties.empty();
            return is_map ? fmt::format("cannot restore map from {}", go_kind(value))
                          : fmt::format("cannot restore struct from: {}", go_kind(value));
        }
        case Schema::Type::Any:
            return fmt::format(
                "json: cannot unmarshal {} into Go value of type {}",
                json_type_for(schema, value),
                type
            );
        case Schema::Type::String:
        case Schema::Type::Integer:
        case Schema::Type::Number:
        case Schema::Type::Boolean:
            break;
    }
    const bool converts = value.is_number() && schema.type != Schema::Type::Boolean;
    return converts ? fmt::format("cannot convert {} to {}", go_kind(value), type)
                    : fmt::format("unrecognized type: {}", type);
}

class Decoder {
  public:
    explicit Decoder(DecodedForm form) : form_(form) {}

    /// `holder`: the Go struct that contains the field.
    Fault check(const Schema& schema, const Value& value, const std::string& holder, int depth) {
        if (value.is_null() || depth > kDecodedDepthMax) {
            return std::nullopt;
        }
        if (schema.is_quantity) {
            return check_quantity(value);
        }
        if (!has_form(schema, value)) {
            return refusal(schema, value, holder);
        }
        if (value.is_string()) {
            return check_text(schema, value.as_string());
        }
        if (value.is_array() && schema.items != nullptr) {
            for (const auto& item : value.as_array()) {
                if (auto fault = check(*schema.items, item, holder, depth + 1)) {
                    return fault;
                }
            }
        }
        return value.is_object() ? check_members(schema, value, holder, depth) : std::nullopt;
    }

  private:
    static Fault check_quantity(const Value& value) {
        const auto text = value.is_string() ? value.as_string() : json::print(value);
        const bool has_its_form = value.is_string() || value.is_number();
        if (has_its_form && api::Quantity::parse(text)) {
            return std::nullopt;
        }
        return "quantities must match the regular expression "
               "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    }

    Fault refusal(const Schema& schema, const Value& value, const std::string& holder) const {
        if (form_ == DecodedForm::Maps) {
            return conversion_refusal(schema, value);
        }
        const auto type = go_type_of_schema(schema);
        if (path_.empty()) {
            return fmt::format(
                "json: cannot unmarshal {} into Go value of type {}",
                json_type_for(schema, value),
                type
            );
        }
        return fmt::format(
            "json: cannot unmarshal {} into Go struct field {}.{} of type {}",
            json_type_for(schema, value),
            holder,
            path_,
            type
        );
    }

    Fault check_members(
        const Schema& schema, const Value& value, const std::string& holder, int depth
    ) {
        const auto dot = schema.go_type.rfind('.');
        const auto own = dot == std::string::npos ? schema.go_type : schema.go_type.substr(dot + 1);
        for (const auto& [name, member] : value.as_object()) {
            const SchemaProperty* property = schema.property(name);
            if (property == nullptr) {
                if (schema.additional_properties == nullptr) {
                    continue;
                }
                if (auto fault = check(*schema.additional_properties, member, holder, depth + 1)) {
                    return fault;
                }
                continue;
            }
            const auto length = path_.size();
            path_ += (path_.empty() ? "" : ".") + name;
            auto fault = check(*property->schema, member, own, depth + 1);
            path_.resize(length);
            if (fault) {
                return fault;
            }
        }
        return std::nullopt;
    }

    DecodedForm form_;
    std::string path_;
};

}  // namespace

std::optional<std::string> find_decoding_fault(
    const Schema& schema, const Value& object, DecodedForm form
) {
    if (schema.is_builtin) {
        return Decoder(form).check(schema, object, "", 0);
    }
    const Value* metadata = object.find("metadata");
    return metadata == nullptr ? std::nullopt
                               : Decoder(form).check(object_meta_schema(), *metadata, "", 0);
}

}  // namespace sluice::apiserver
