#include "api/schema/schema.hpp"

#include "api/schema/schema_cell.hpp"
#include "api/schema/schema_rules.hpp"
#include "base/assert.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace sluice::api {

/// Returns the text of crds/parts/pod_template_schema.json, which is compiled in.
std::string_view pod_template_schema();

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPatterns{{
    {"QTY",
     R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+)))"
     R"((([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)"},
    {"SUB", R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)"},
    {"LBL", R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?$)"},
    {"KEY",
     R"(^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?)"
     R"((([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$)"},
    {"KND", R"(^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$)"},
    {"RSN", R"(^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$)"},
}};

/// Returns the regular expression that the tables of fields call by that name (SUB, LBL, KEY, KND,
/// RSN, QTY).
std::string_view schema_pattern(std::string_view name) {
    const auto found = std::find_if(kPatterns.begin(), kPatterns.end(), [&](const auto& pattern) {
        return pattern.first == name;
    });
    SLUICE_ASSERT(found != kPatterns.end());
    return found->second;
}

/// Returns the schema cell of the root object, which is not a field of any table.
std::string_view root_cell(std::string_view kind, std::string_view version) {
    if (kind == "Workload") {
        return version == "v1beta2" ? "C17-C23" : "C17 C24 C25 C22 C23";
    }
    return "";
}

class Generator {
  public:
    Generator(std::string_view version, bool descriptions)
        : is_v1beta2_(version == "v1beta2"), descriptions_(descriptions) {}

    json::Value root(const KindInfo& kind) {
        const std::string_view version = is_v1beta2_ ? "v1beta2" : "v1beta1";
        const TypeInfo& type = kind.type();
        json::Value schema = object(type.fields);
        auto& properties = *schema.find("properties");
        auto api_version = string_schema();
        describe(api_version, "Version of the schema of this object.");
        properties.set("apiVersion", std::move(api_version));
        auto kind_schema = string_schema();
        describe(kind_schema, "Kind of this object.");
        properties.set("kind", std::move(kind_schema));
        properties.set("metadata", json::Object{{"type", "object"}});
        add_rules(schema, parse_cell(root_cell(kind.kind, version)));
        return schema;
    }

  private:
    static json::Value string_schema() { return json::Object{{"type", "string"}}; }

    void describe(json::Value& schema, std::string_view doc) const {
        if (descriptions_ && !doc.empty()) {
            schema.set("description", doc);
        }
    }

    std::string_view cell_of(const Field& field) const {
        return is_v1beta2_ ? field.v1beta2 : field.v1beta1;
    }

    json::Value object(const std::vector<Field>& fields) {
        json::Value properties(json::Object{});
        std::vector<std::string> required;
        for (const Field& field : fields) {
            const auto text = cell_of(field);
            if (text == "-") {
                continue;
            }
            const SchemaCell cell = parse_cell(text);
            auto schema =
                field.type != nullptr ? of_type(field.type(), cell) : of_cell(field, cell);
            describe(schema, field.doc);
            if (cell.default_value) {
                schema.set("default", *cell.default_value);
            }
            properties.set(field.name, std::move(schema));
            if (cell.required) {
                required.emplace_back(field.name);
            }
        }
        json::Value schema(json::Object{{"type", "object"}});
        schema.set("properties", std::move(properties));
        if (!required.empty()) {
            std::sort(required.begin(), required.end());
            schema.set("required", json::Array(required.begin(), required.end()));
        }
        return schema;
    }

    /// Returns the schema of a field with a C++ member, whose type decides the shape.
    json::Value of_type(const TypeInfo& type, const SchemaCell& cell) {
        static const SchemaCell kPlain;
        const SchemaCell& items = cell.items ? *cell.items : kPlain;
        switch (type.shape) {
            case Shape::Bool:
                return scalar("bool", cell);
            case Shape::Int32:
                return scalar("int32", cell);
            case Shape::Int64:
                return scalar("int64", cell);
            case Shape::String:
                return scalar("str", cell);
            case Shape::Time:
            case Shape::MicroTime:
                return scalar("time", cell);
            case Shape::Quantity:
                return scalar("qty", cell);
            case Shape::Optional:
            case Shape::Shared:
                return of_type(type.item(), cell);
            case Shape::List:
                return list(of_type(type.item(), items), cell);
            case Shape::Map:
                return map(of_type(type.item(), items), cell);
            case Shape::Json:
                SLUICE_ASSERT(false);
                return {};
            case Shape::Object:
                break;
        }
        if (!type.schema_file.empty()) {
            auto file = json::parse(pod_template_schema());
            SLUICE_ASSERT(file.has_value());
            return std::move(*file);
        }
        return finish_object(object(type.fields), cell);
    }

    /// Returns the schema of a field that only v1beta1 has; its cell decides the shape.
    json::Value of_cell(const Field& field, const SchemaCell& cell) {
        if (cell.items) {
            const SchemaCell& items = *cell.items;
            auto schema = items.type == "obj" ? finish_object(object(field.children), items)
                                              : scalar(items.type, items);
            return cell.type == "list" ? list(std::move(schema), cell)
                                       : map(std::move(schema), cell);
        }
        if (cell.type == "obj") {
            return finish_object(object(field.children), cell);
        }
        return scalar(cell.type, cell);
    }

    static json::Value finish_object(json::Value schema, const SchemaCell& cell) {
        add_rules(schema, cell);
        if (cell.list_type == "atomic") {
            schema.set("x-kubernetes-map-type", "atomic");
        }
        return schema;
    }

    static json::Value list(json::Value items, const SchemaCell& cell) {
        json::Value schema(json::Object{{"type", "array"}});
        schema.set("items", std::move(items));
        set_bounds(schema, cell, "minItems", "maxItems");
        if (!cell.list_type.empty()) {
            schema.set("x-kubernetes-list-type", cell.list_type);
        }
        if (!cell.list_keys.empty()) {
            schema.set(
                "x-kubernetes-list-map-keys",
                json::Array(cell.list_keys.begin(), cell.list_keys.end())
            );
        }
        add_rules(schema, cell);
        return schema;
    }

    static json::Value map(json::Value values, const SchemaCell& cell) {
        json::Value schema(json::Object{{"type", "object"}});
        schema.set("additionalProperties", std::move(values));
        set_bounds(schema, cell, "minProperties", "maxProperties");
        return finish_object(std::move(schema), cell);
    }

    static json::Value scalar(std::string_view type, const SchemaCell& cell) {
        json::Value schema(json::Object{});
        if (type == "qty") {
            schema.set(
                "anyOf",
                json::Array{json::Object{{"type", "integer"}}, json::Object{{"type", "string"}}}
            );
            schema.set("pattern", schema_pattern("QTY"));
            schema.set("x-kubernetes-int-or-string", true);
            return schema;
        }
        const bool is_integer = type == "int32" || type == "int64";
        schema.set("type", is_integer ? "integer" : type == "bool" ? "boolean" : "string");
        if (is_integer) {
            schema.set("format", type);
            set_bounds(schema, cell, "minimum", "maximum");
        } else {
            set_bounds(schema, cell, "minLength", "maxLength");
        }
        if (type == "time") {
            schema.set("format", "date-time");
        }
        if (!cell.pattern.empty()) {
            schema.set("pattern", schema_pattern(cell.pattern));
        }
        if (!cell.values.empty()) {
            schema.set("enum", json::Array(cell.values.begin(), cell.values.end()));
        }
        add_rules(schema, cell);
        return schema;
    }

    static void set_bounds(
        json::Value& schema, const SchemaCell& cell, std::string_view min, std::string_view max
    ) {
        if (cell.min) {
            schema.set(min, *cell.min);
        }
        if (cell.max) {
            schema.set(max, *cell.max);
        }
    }

    static void add_rules(json::Value& schema, const SchemaCell& cell) {
        if (cell.rules.empty()) {
            return;
        }
        json::Array rules;
        for (const int number : cell.rules) {
            const SchemaRule& rule = schema_rule(number);
            rules.emplace_back(json::Object{{"rule", rule.rule}, {"message", rule.message}});
        }
        schema.set("x-kubernetes-validations", std::move(rules));
    }

    bool is_v1beta2_;
    bool descriptions_;
};

}  // namespace

json::Value make_schema(const KindInfo& kind, std::string_view version, bool descriptions) {
    return Generator(version, descriptions).root(kind);
}

const json::Value* find_schema(std::string_view kind, std::string_view version) {
    using Key = std::pair<std::string_view, std::string_view>;
    static const auto kSchemas = [] {
        std::map<Key, json::Value> schemas;
        for (const KindInfo& info : kueue_kinds()) {
            for (const auto* v : {"v1beta1", "v1beta2"}) {
                schemas.emplace(Key(info.kind, v), make_schema(info, v, false));
            }
        }
        return schemas;
    }();
    const auto found = kSchemas.find({kind, version});
    return found == kSchemas.end() ? nullptr : &found->second;
}

}  // namespace sluice::api
