#include "apiserver/schema/schema.hpp"

#include "cel/values/regex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr std::size_t kNodesMax = 200'000;
constexpr std::string_view kComponentPrefix = "#/components/schemas/";

/// The nodes of a compiled schema, which refer to each other.
struct Document {
    std::deque<Schema> nodes;
    std::map<std::string, Schema*, std::less<>> named;
};

bool is_set(const Value& node, std::string_view key) {
    const Value* found = node.find(key);
    return found != nullptr && found->is_bool() && found->as_bool();
}

std::optional<double> bound_at(const Value& node, std::string_view key) {
    const Value* found = node.find(key);
    return found != nullptr && found->is_number() ? std::optional(found->as_double())
                                                  : std::nullopt;
}

std::optional<std::int64_t> count_at(const Value& node, std::string_view key) {
    const Value* found = node.find(key);
    return found != nullptr && found->is_int() ? std::optional(found->as_int()) : std::nullopt;
}

std::vector<std::string> texts_at(const Value& node, std::string_view key) {
    std::vector<std::string> texts;
    const Value* found = node.find(key);
    if (found != nullptr && found->is_array()) {
        for (const auto& item : found->as_array()) {
            if (item.is_string()) {
                texts.push_back(item.as_string());
            }
        }
    }
    return texts;
}

Schema::Type schema_type_of(std::string_view name) {
    constexpr std::pair<std::string_view, Schema::Type> kTypes[] = {
        {"object", Schema::Type::Object},
        {"array", Schema::Type::Array},
        {"string", Schema::Type::String},
        {"integer", Schema::Type::Integer},
        {"number", Schema::Type::Number},
        {"boolean", Schema::Type::Boolean},
    };
    const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& type) {
        return type.first == name;
    });
    return found == std::end(kTypes) ? Schema::Type::Any : found->second;
}

/// Returns the last two parts of a component's name: v1.Container for io.k8s.api.core.v1.Container.
std::string go_type_of(std::string_view component) {
    const auto dot = component.rfind('.');
    const auto package = dot == 0 || dot == std::string_view::npos ? std::string_view::npos
                                                                   : component.rfind('.', dot - 1);
    return std::string(
        package == std::string_view::npos ? component : component.substr(package + 1)
    );
}

void read_extensions(const Value& from, Schema& to) {
    const auto list_type = from.string_at("x-kubernetes-list-type");
    if (!list_type.empty()) {
        to.has_list_type = true;
        to.list_type = list_type == "set"   ? Schema::ListType::Set
                       : list_type == "map" ? Schema::ListType::Map
                                            : Schema::ListType::Atomic;
        to.list_map_keys = texts_at(from, "x-kubernetes-list-map-keys");
    }
    if (from.string_at("x-kubernetes-map-type") == "atomic") {
        to.map_type = Schema::MapType::Atomic;
    }
    const auto strategy = from.string_at("x-kubernetes-patch-strategy");
    to.merges_on_patch |= strategy.find("merge") != strategy.npos;
    to.replaces_keys_on_patch |= strategy.find("retainKeys") != strategy.npos;
    if (const auto key = from.string_at("x-kubernetes-patch-merge-key"); !key.empty()) {
        to.patch_merge_key = key;
    }
    to.preserves_unknown_fields |= is_set(from, "x-kubernetes-preserve-unknown-fields");
    to.is_embedded_resource |= is_set(from, "x-kubernetes-embedded-resource");
    to.int_or_string |=
        is_set(from, "x-kubernetes-int-or-string") || from.string_at("format") == "int-or-string";
    if (const Value* rules = from.find("x-kubernetes-validations")) {
        to.validations = *rules;
    }
    if (const Value* value = from.find("default")) {
        to.default_value = *value;
    }
}

void read_bounds(const Value& from, Schema& to) {
    to.minimum = bound_at(from, "minimum");
    to.maximum = bound_at(from, "maximum");
    to.exclusive_minimum = is_set(from, "exclusiveMinimum");
    to.exclusive_maximum = is_set(from, "exclusiveMaximum");
    to.multiple_of = bound_at(from, "multipleOf");
    to.min_length = count_at(from, "minLength");
    to.max_length = count_at(from, "maxLength");
    to.min_items = count_at(from, "minItems");
    to.max_items = count_at(from, "maxItems");
    to.min_properties = count_at(from, "minProperties");
    to.max_properties = count_at(from, "maxProperties");
    to.unique_items = is_set(from, "uniqueItems");
    to.nullable = is_set(from, "nullable");
    to.format = from.string_at("format");
    to.required = texts_at(from, "required");
    if (const Value* values = from.find("enum"); values != nullptr && values->is_array()) {
        to.enumeration = values->as_array();
    }
}

class Compiler {
  public:
    Compiler(Document& document, const Value* components)
        : document_(document), components_(components) {}

    Result<const Schema*> component(std::string_view name, int depth) {
        if (const auto found = document_.named.find(name); found != document_.named.end()) {
            return found->second;
        }
        const Value* node = components_ == nullptr ? nullptr : components_->find(name);
        if (node == nullptr) {
            return make_invalid(fmt::format("no schema is named {}", name));
        }
        Schema& schema = document_.nodes.emplace_back();
        schema.is_quantity = name.ends_with(".resource.Quantity");
        schema.go_type = go_type_of(name);
        document_.named.emplace(name, &schema);
        if (const auto read = fill(*node, schema, depth); !read) {
            return read.error();
        }
        return &schema;
    }

    Result<const Schema*> compile(const Value& node, int depth) {
        if (depth > kSchemaDepthMax) {
            return make_invalid(fmt::format("the schema is nested deeper than {}", kSchemaDepthMax)
            );
        }
        if (!node.is_object()) {
            return make_invalid("a schema must be an object");
        }
        const auto reference = reference_of(node);
        if (reference.empty()) {
            Schema& schema = document_.nodes.emplace_back();
            const auto read = fill(node, schema, depth);
            return read ? Result<const Schema*>(&schema) : read.error();
        }
        auto target = component(reference, depth + 1);
        if (!target) {
            return target.error();
        }
        if (node.as_object().size() == 1) {
            return target.value();
        }
        return refined(node, *target.value());
    }

  private:
    static std::string_view reference_of(const Value& node) {
        auto text = node.string_at("$ref");
        if (const Value* all = node.find("allOf");
            text.empty() && all != nullptr && all->is_array() && all->as_array().size() == 1) {
            text = all->as_array().front().string_at("$ref");
        }
        if (text.starts_with(kComponentPrefix)) {
            text.remove_prefix(kComponentPrefix.size());
        }
        return text;
    }

    /// Returns a copy of the target with what the field's own node adds to it, such as a default. A
    /// target that is still being read contains this field itself: it is returned unchanged, since
    /// only its default would differ.
    const Schema* refined(const Value& node, const Schema& target) {
        if (open_.contains(&target)) {
            return &target;
        }
        Schema& schema = document_.nodes.emplace_back(target);
        read_extensions(node, schema);
        return &schema;
    }

    Result<void> fill(const Value& node, Schema& to, int depth) {
        if (document_.nodes.size() > kNodesMax) {
            return make_invalid(fmt::format("the schema has more than {} parts", kNodesMax));
        }
        open_.emplace(&to, true);
        auto done = fill_members(node, to, depth);
        open_.erase(&to);
        return done;
    }

    Result<void> fill_members(const Value& node, Schema& to, int depth) {
        to.type = schema_type_of(node.string_at("type"));
        to.is_builtin = components_ != nullptr;
        read_extensions(node, to);
        read_bounds(node, to);
        if (const auto text = node.string_at("pattern"); !text.empty()) {
            to.pattern = text;
            auto compiled = std::make_shared<const cel::Regex>(text);
            if (const auto problem = compiled->problem()) {
                return make_invalid("pattern: " + *problem);
            }
            to.compiled_pattern = std::move(compiled);
        }
        if (const auto read = fill_properties(node, to, depth); !read) {
            return read;
        }
        for (const auto& [key, list] : {
                 std::pair<std::string_view, std::vector<const Schema*>*>{"allOf", &to.all_of},
                 {"anyOf", &to.any_of},
                 {"oneOf", &to.one_of},
             }) {
            const Value* parts = node.find(key);
            if (parts == nullptr || !parts->is_array()) {
                continue;
            }
            for (const auto& part : parts->as_array()) {
                const auto compiled = compile(part, depth + 1);
                if (!compiled) {
                    return compiled.error();
                }
                list->push_back(compiled.value());
            }
        }
        if (const auto read = fill_one(node, "items", to.items, depth); !read) {
            return read;
        }
        return fill_one(node, "not", to.negated, depth);
    }

    Result<void> fill_one(const Value& node, std::string_view key, const Schema*& to, int depth) {
        if (const Value* part = node.find(key)) {
            const auto compiled = compile(*part, depth + 1);
            if (!compiled) {
                return with_context(compiled.error(), key);
            }
            to = compiled.value();
        }
        return {};
    }

    Result<void> fill_properties(const Value& node, Schema& to, int depth) {
        const Value* properties = node.find("properties");
        if (properties != nullptr && properties->is_object()) {
            for (const auto& [name, part] : properties->as_object()) {
                const auto compiled = compile(part, depth + 1);
                if (!compiled) {
                    return with_context(compiled.error(), name);
                }
                const bool required =
                    std::find(to.required.begin(), to.required.end(), name) != to.required.end();
                to.properties.push_back({name, compiled.value(), required});
            }
            std::sort(to.properties.begin(), to.properties.end(), [](auto& a, auto& b) {
                return a.name < b.name;
            });
            to.by_length.resize(to.properties.size());
            std::iota(to.by_length.begin(), to.by_length.end(), 0U);
            std::ranges::stable_sort(to.by_length, {}, [&](std::uint32_t position) {
                return to.properties[position].name.size();
            });
        }
        const Value* additional = node.find("additionalProperties");
        if (additional != nullptr && additional->is_bool()) {
            to.allows_any_member = additional->as_bool() && to.is_builtin;
            to.forbids_other_members = !additional->as_bool() && !to.is_builtin;
            if (additional->as_bool() && !to.is_builtin) {
                // Any member may be present; objects inside it have no declared members.
                to.additional_properties = &document_.nodes.emplace_back();
            }
            return {};
        }
        return fill_one(node, "additionalProperties", to.additional_properties, depth);
    }

    Document& document_;
    const Value* components_;
    std::map<const Schema*, bool> open_;
};

}  // namespace

const SchemaProperty* Schema::property(std::string_view name) const {
    const auto found = std::ranges::lower_bound(
        by_length,
        name,
        [](std::string_view a, std::string_view b) {
            return a.size() != b.size() ? a.size() < b.size() : a < b;
        },
        [&](std::uint32_t position) { return std::string_view(properties[position].name); }
    );
    if (found != by_length.end() && properties[*found].name == name) {
        return &properties[*found];
    }
    return nullptr;
}

const Schema* Schema::member(std::string_view name) const {
    const SchemaProperty* found = property(name);
    return found != nullptr ? found->schema : additional_properties;
}

Result<std::shared_ptr<const Schema>> compile_schema(const Value& open_api_v3_schema) {
    auto document = std::make_shared<Document>();
    const auto root = Compiler(*document, nullptr).compile(open_api_v3_schema, 0);
    if (!root) {
        return root.error();
    }
    return std::shared_ptr<const Schema>(document, root.value());
}

Result<std::shared_ptr<const Schema>> compile_component(
    const Value& components, std::string_view name
) {
    auto document = std::make_shared<Document>();
    const auto root = Compiler(*document, &components).component(name, 0);
    if (!root) {
        return root.error();
    }
    return std::shared_ptr<const Schema>(document, root.value());
}

}  // namespace sluice::apiserver
