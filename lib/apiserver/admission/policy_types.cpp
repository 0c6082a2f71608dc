#include "apiserver/admission/policy_types.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/state/admission_programs.hpp"
#include "apiserver/types/builtin_schemas.hpp"
#include "cel/evaluation/program.hpp"
#include "cel/values/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::size_t kKindsMax = 10;
constexpr std::string_view kComponents = "#/components/schemas/";

/// A component that is being expanded, and the one that refers to it.
struct Expansion {
    const Value* component = nullptr;
    const Expansion* outer = nullptr;

    bool holds(const Value& other) const {
        return component == &other || (outer != nullptr && outer->holds(other));
    }
};

/// Returns a schema of Kubernetes' own kinds with all references replaced by their targets. A
/// schema that refers to itself, such as JSONSchemaProps, is not expanded again: each level would
/// have seven times the size of the one before.
Value expand(const Value& schema, const Value& components, const Expansion* outer) {
    const Value* reference = schema.find("$ref");
    if (const auto& all = items_of(schema.find("allOf")); reference == nullptr && all.size() == 1) {
        reference = all.front().find("$ref");
    }
    if (reference != nullptr && reference->is_string()) {
        const Value* found =
            components.find(std::string_view(reference->as_string()).substr(kComponents.size()));
        if (found == nullptr) {
            return json::Object();
        }
        if (outer != nullptr && outer->holds(*found)) {
            return json::Object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
        }
        const Expansion inner{.component = found, .outer = outer};
        return expand(*found, components, &inner);
    }
    Value made = schema;
    if (schema.string_at("format") == "int-or-string" || !items_of(schema.find("oneOf")).empty()) {
        return json::Object{{"x-kubernetes-int-or-string", true}};  // or a quantity
    }
    for (const char* name : {"items", "additionalProperties"}) {
        if (const Value* part = schema.find(name); part != nullptr && part->is_object()) {
            made.set(name, expand(*part, components, outer));
        }
    }
    if (const Value* properties = schema.find("properties")) {
        Value expanded = json::Object();
        for (const auto& [name, part] : members_of(properties)) {
            expanded.set(name, expand(part, components, outer));
        }
        made.set("properties", std::move(expanded));
    }
    return made;
}

/// Returns the schema of a custom kind with the fields that all objects have.
Value complete(Value schema, const Value& components) {
    constexpr std::string_view kMetadata = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    Value& properties = object_at(schema, "properties");
    for (const char* name : {"apiVersion", "kind"}) {
        properties.set(name, json::Object{{"type", "string"}});
    }
    if (const Value* metadata = components.find(kMetadata)) {
        properties.set("metadata", expand(*metadata, components, nullptr));
    }
    return schema;
}

/// Returns the schema of a kind; nullptr if it is unknown.
std::unique_ptr<cel::Schema> find_schema(const ResourceType& type) {
    // Every document of Kubernetes' own kinds contains the metadata, which custom kinds share.
    const Value whole = type.is_custom ? open_api_document("apps", "v1", {})
                                       : open_api_document(type.group, type.version, {});
    const Value* components = whole.find_path({"components", "schemas"});
    Value document;
    if (type.is_custom && type.schema != nullptr) {
        document = complete(*type.schema, *components);
    }
    for (const auto& [name, component] : members_of(type.is_custom ? nullptr : components)) {
        const auto& kinds = items_of(component.find("x-kubernetes-group-version-kind"));
        const bool is_it = std::ranges::any_of(kinds, [&type](const Value& kind) {
            return kind.string_at("group") == type.group &&
                   kind.string_at("version") == type.version && kind.string_at("kind") == type.kind;
        });
        if (is_it) {
            document = expand(component, *components, nullptr);
        }
    }
    if (!document.is_object()) {
        return nullptr;
    }
    auto read = cel::read_schema(document, false);
    return read ? std::move(*read) : nullptr;
}

std::vector<ResourceTable::TypePointer> find_types(const State& state, const Value& spec) {
    std::vector<ResourceTable::TypePointer> types;
    const Value* rules = spec.find_path({"matchConstraints", "resourceRules"});
    for (const Value& rule : items_of(rules)) {
        for (const Value& group : items_of(rule.find("apiGroups"))) {
            for (const Value& version : items_of(rule.find("apiVersions"))) {
                for (const Value& plural : items_of(rule.find("resources"))) {
                    const auto type = state.types.find(
                        group.as_string(), version.as_string(), plural.as_string()
                    );
                    if (type != nullptr && std::ranges::find(types, type) == types.end() &&
                        types.size() < kKindsMax) {
                        types.push_back(type);
                    }
                }
            }
        }
    }
    return types;
}

/// The declarations for a policy about objects of one kind. Variables are added one by one.
class TypedPolicy {
  public:
    explicit TypedPolicy(const cel::TypePtr& object) : declarations_(admission_declarations()) {
        declarations_.variables["object"] = object;
        declarations_.variables["oldObject"] = object;
        declarations_.scope = object->name;
        declare_variables();
    }

    /// Returns the fault of an expression; "" if it has none.
    std::string check(std::string_view expression) const {
        const auto program = cel::compile(expression, declarations_);
        return program ? std::string() : program.error().detail;
    }
    void add_variable(const std::string& name, std::string_view expression) {
        const auto program = cel::compile(expression, declarations_);
        variables_.fields[name] = program ? std::make_shared<cel::Type>(program->type())
                                          : cel::simple_type(cel::Kind::Dyn);
        declare_variables();
    }

  private:
    void declare_variables() {
        auto type = std::make_shared<cel::Type>(variables_);
        type->kind = cel::Kind::Object;
        type->name = "variables";
        declarations_.variables["variables"] = std::move(type);
    }

    cel::Declarations declarations_;
    cel::Type variables_;
};

struct Checked {
    std::string field;
    std::string_view expression;
};

std::vector<Checked> expressions_of(const Value& spec) {
    std::vector<Checked> all;
    const auto& validations = items_of(spec.find("validations"));
    for (std::size_t i = 0; i < validations.size(); ++i) {
        for (const char* name : {"expression", "messageExpression"}) {
            if (const auto text = validations[i].string_at(name); !text.empty()) {
                all.push_back({fmt::format("spec.validations[{}].{}", i, name), text});
            }
        }
    }
    return all;
}

}  // namespace

json::Array find_type_warnings(const State& state, const Value& policy_spec) {
    const std::vector<Checked> expressions = expressions_of(policy_spec);
    std::vector<std::string> found(expressions.size());
    for (const auto& type : find_types(state, policy_spec)) {
        const auto schema = find_schema(*type);
        if (schema == nullptr || schema->declared == nullptr) {
            continue;
        }
        TypedPolicy policy(schema->declared);
        for (const Value& variable : items_of(policy_spec.find("variables"))) {
            policy.add_variable(
                std::string(variable.string_at("name")), variable.string_at("expression")
            );
        }
        for (std::size_t i = 0; i < expressions.size(); ++i) {
            const std::string fault = policy.check(expressions[i].expression);
            if (!fault.empty()) {
                found[i] +=
                    fmt::format("{}, Kind={}: {}\n", type->api_version(), type->kind, fault);
            }
        }
    }
    json::Array warnings;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        if (!found[i].empty()) {
            warnings.emplace_back(
                json::Object{{"fieldRef", expressions[i].field}, {"warning", found[i]}}
            );
        }
    }
    return warnings;
}

}  // namespace sluice::apiserver
