#include "apiserver/go_types.hpp"

#include <fmt/format.h>

namespace sluice::apiserver {
namespace {

using json::Value;

std::string_view json_name(const Value& value) {
    if (value.is_string()) {
        return "string";
    }
    if (value.is_bool()) {
        return "bool";
    }
    if (value.is_array()) {
        return "array";
    }
    return value.is_object() ? "object" : "number";
}

std::string go_name(const Schema& schema) {
    switch (schema.type) {
        case Schema::Type::String:
            return "string";
        case Schema::Type::Boolean:
            return "bool";
        case Schema::Type::Integer:
            return schema.format.empty() ? "int64" : schema.format;
        case Schema::Type::Number:
            return "float64";
        case Schema::Type::Array:
            return schema.items == nullptr ? "[]interface {}" : "[]" + go_name(*schema.items);
        case Schema::Type::Object:
            return schema.additional_properties == nullptr
                       ? "object"
                       : "map[string]" + go_name(*schema.additional_properties);
        case Schema::Type::Any:
            break;
    }
    return "interface {}";
}

bool fits(const Schema& schema, const Value& value) {
    if (schema.int_or_string) {
        return value.is_string() || value.is_int();
    }
    switch (schema.type) {
        case Schema::Type::String:
            // Quantities may be numbers.
            return value.is_string() || (schema.format.empty() && !schema.any_of.empty());
        case Schema::Type::Boolean:
            return value.is_bool();
        case Schema::Type::Integer:
            return value.is_int()
                   || (value.is_double()
                       && value.as_double() == static_cast<double>(static_cast<std::int64_t>(
                              value.as_double()
                          )));
        case Schema::Type::Number:
            return value.is_number();
        case Schema::Type::Array:
            return value.is_array();
        case Schema::Type::Object:
            return value.is_object();
        case Schema::Type::Any:
            break;
    }
    return true;
}

/// Looks for the first value that does not fit.
class Walk {
  public:
    explicit Walk(std::string_view kind) : kind_(kind) {}

    // The depth is bounded by the reader of JSON.
    std::optional<std::string> visit(
        const Schema& schema, const Value& value, const std::string& path
    ) {
        if (value.is_null()) {
            return std::nullopt;
        }
        if (!fits(schema, value)) {
            const auto field = path.empty() ? std::string() : fmt::format("struct field {}.{} of type ", kind_, path);
            return fmt::format(
                "json: cannot unmarshal {} into Go {}{}",
                json_name(value),
                path.empty() ? "value of type " : field,
                go_name(schema)
            );
        }
        if (value.is_array() && schema.items != nullptr) {
            for (const auto& item : value.as_array()) {
                if (auto fault = visit(*schema.items, item, path)) {
                    return fault;
                }
            }
        }
        if (value.is_object()) {
            return visit_members(schema, value, path);
        }
        return std::nullopt;
    }

  private:
    std::optional<std::string> visit_members(
        const Schema& schema, const Value& value, const std::string& path
    ) {
        for (const auto& [name, content] : value.as_object()) {
            const auto* property = schema.property(name);
            const Schema* member =
                property == nullptr ? schema.additional_properties : property->schema;
            if (member == nullptr) {
                continue;
            }
            // The keys of maps are no part of the path.
            const auto below = property == nullptr ? path
                               : path.empty()      ? name
                                                   : path + "." + name;
            if (auto fault = visit(*member, content, below)) {
                return fault;
            }
        }
        return std::nullopt;
    }

    std::string_view kind_;
};

}  // namespace

std::optional<std::string> find_type_fault(
    const Schema& schema, std::string_view kind, const Value& object
) {
    return Walk(kind).visit(schema, object, "");
}

}  // namespace sluice::apiserver
