#include "apiserver/types/builtin_schemas.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace sluice::apiserver {

std::string_view builtin_open_api();

namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
constexpr std::string_view kReferencePrefix = "#/components/schemas/";
constexpr std::string_view kKindKey = "x-kubernetes-group-version-kind";

const Value& builtin_document() {
    static const Value kDocument = [] {
        auto parsed = json::parse(builtin_open_api());
        SLUICE_ASSERT(parsed.has_value());
        return std::move(parsed).value();
    }();
    return kDocument;
}

const Value& components() {
    return *builtin_document().find("components");
}

using KindKey = std::tuple<std::string, std::string, std::string>;

/// Returns the names of the components that are kinds.
const std::map<KindKey, std::string>& component_names() {
    static const std::map<KindKey, std::string> kNames = [] {
        std::map<KindKey, std::string> names;
        for (const auto& [name, component] : components().as_object()) {
            const Value* kinds = component.find(kKindKey);
            if (kinds == nullptr || !kinds->is_array()) {
                continue;
            }
            for (const auto& kind : kinds->as_array()) {
                names.emplace(
                    KindKey(
                        kind.string_at("group"), kind.string_at("version"), kind.string_at("kind")
                    ),
                    name
                );
            }
        }
        return names;
    }();
    return kNames;
}

std::vector<OpenApiKind> read_kinds() {
    std::vector<OpenApiKind> kinds;
    for (const auto& row : builtin_document().find("kinds")->as_array()) {
        OpenApiKind kind{
            .group = std::string(row.string_at("group")),
            .version = std::string(row.string_at("version")),
            .kind = std::string(row.string_at("kind")),
            .plural = std::string(row.string_at("plural")),
            .namespaced = row.find("namespaced")->as_bool(),
            .subresources = {},
            .schema = {},
        };
        for (const auto& name : row.find("subresources")->as_array()) {
            kind.subresources.push_back(name.as_string());
        }
        kinds.push_back(std::move(kind));
    }
    return kinds;
}

/// Adds the components that the node refers to, directly and indirectly.
void collect_references(const Value& node, std::set<std::string, std::less<>>& names) {
    if (node.is_array()) {
        for (const auto& item : node.as_array()) {
            collect_references(item, names);
        }
    }
    if (!node.is_object()) {
        return;
    }
    for (const auto& [key, member] : node.as_object()) {
        if (key != "$ref" || !member.is_string()) {
            collect_references(member, names);
            continue;
        }
        const auto name = member.as_string().substr(kReferencePrefix.size());
        const Value* component = components().find(name);
        if (component != nullptr && names.insert(name).second) {
            collect_references(*component, names);
        }
    }
}

Value kind_value(const OpenApiKind& kind) {
    return Object{{"group", kind.group}, {"kind", kind.kind}, {"version", kind.version}};
}

/// Returns the name of a custom kind's component, with the parts of the group in reverse order, as
/// in io.example.v1.Kind.
std::string custom_name(const OpenApiKind& kind) {
    std::string name;
    std::size_t end = kind.group.size();
    while (end != 0) {
        const auto dot = kind.group.rfind('.', end - 1);
        const auto begin = dot == std::string::npos ? 0 : dot + 1;
        name += kind.group.substr(begin, end - begin) + ".";
        end = dot == std::string::npos ? 0 : dot;
    }
    return name + kind.version + "." + kind.kind;
}

Value custom_component(const OpenApiKind& kind) {
    Value schema = kind.schema.is_object() ? kind.schema : Value(Object{{"type", "object"}});
    Value* properties = schema.find("properties");
    if (properties == nullptr || !properties->is_object()) {
        properties = &schema.set("properties", Object{});
    }
    constexpr std::string_view kOfVersion =
        "APIVersion defines the group and version in which this object is written.";
    constexpr std::string_view kOfKind = "Kind names the resource that this object represents.";
    properties->set("apiVersion", Object{{"description", kOfVersion}, {"type", "string"}});
    properties->set("kind", Object{{"description", kOfKind}, {"type", "string"}});
    const auto reference = std::string(kReferencePrefix) + std::string(kObjectMeta);
    properties->set(
        "metadata",
        Object{
            {"description", "Standard object's metadata: names, labels, annotations, owners."},
            {"allOf", Array{Object{{"$ref", reference}}}}
        }
    );
    schema.set(kKindKey, Array{kind_value(kind)});
    return schema;
}

/// Sets the texts with which `kubectl explain` describes the metadata that all kinds have.
void describe_metadata(Value& schema) {
    constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
        {"annotations", "Annotations are texts that clients keep with the object."},
        {"creationTimestamp", "CreationTimestamp is a timestamp: when the server took the object."},
        {"finalizers", "Finalizers must all be gone before the object is."},
        {"labels", "Labels are what selectors choose objects by."},
        {"name",
         "Name is unique among the objects of a kind, within their namespace if they have one."},
        {"namespace", "Namespace is where the object is, unless its kind has none."},
        {"ownerReferences", "OwnerReferences name the objects without which this one goes, too."},
    };
    schema.set("description", "ObjectMeta is what all objects have that are stored.");
    Value* properties = schema.find("properties");
    for (const auto& [name, text] : kTexts) {
        if (Value* property = properties == nullptr ? nullptr : properties->find(name)) {
            property->set("description", text);
        }
    }
}

Array parameters(std::initializer_list<std::string_view> names) {
    Array list;
    for (const auto name : names) {
        const bool is_switch = name == "force";
        list.push_back(Object{
            {"name", std::string(name)},
            {"in", "query"},
            {"schema", Object{{"type", is_switch ? "boolean" : "string"}}},
        });
    }
    return list;
}

Value operation(const OpenApiKind& kind, std::string_view action, Array list) {
    Value made = Object{
        {"x-kubernetes-action", std::string(action)},
        {std::string(kKindKey), kind_value(kind)},
        {"responses", Object{{"200", Object{{"description", "OK"}}}}},
    };
    if (!list.empty()) {
        // Left out if empty: clients drop an empty list when they write the document.
        made.set("parameters", std::move(list));
    }
    return made;
}

void add_paths(const OpenApiKind& kind, Value& paths) {
    const auto root =
        kind.group.empty() ? "/api/" + kind.version : "/apis/" + kind.group + "/" + kind.version;
    const auto write = [&](std::string_view action) {
        return operation(kind, action, parameters({"dryRun", "fieldManager", "fieldValidation"}));
    };
    const auto list = operation(
        kind, "list", parameters({"continue", "fieldSelector", "labelSelector", "limit", "watch"})
    );
    const auto prefix = root + (kind.namespaced ? "/namespaces/{namespace}/" : "/") + kind.plural;
    if (kind.namespaced) {
        paths.set(root + "/" + kind.plural, Object{{"get", list}});
    }
    paths.set(prefix, Object{{"get", list}, {"post", write("post")}});
    Value one = Object{
        {"get", operation(kind, "get", {})},
        {"put", write("put")},
        {"delete", operation(kind, "delete", parameters({"dryRun", "propagationPolicy"}))},
        {"patch",
         operation(
             kind, "patch", parameters({"dryRun", "fieldManager", "fieldValidation", "force"})
         )},
    };
    for (const auto& subresource : kind.subresources) {
        if (subresource == "status") {
            paths.set(prefix + "/{name}/status", one);
        }
    }
    paths.set(prefix + "/{name}", std::move(one));
}

}  // namespace

std::shared_ptr<const Schema> builtin_schema(
    std::string_view group, std::string_view version, std::string_view kind
) {
    thread_local std::map<KindKey, std::shared_ptr<const Schema>> compiled;
    const KindKey key(group, version, kind);
    if (const auto found = compiled.find(key); found != compiled.end()) {
        return found->second;
    }
    const auto name = component_names().find(key);
    if (name == component_names().end()) {
        return nullptr;
    }
    auto schema = compile_component(components(), name->second);
    SLUICE_ASSERT(schema.has_value());
    return compiled.emplace(key, std::move(schema).value()).first->second;
}

const Schema& object_meta_schema() {
    static const std::shared_ptr<const Schema> kSchema = [] {
        auto schema = compile_component(components(), kObjectMeta);
        SLUICE_ASSERT(schema.has_value());
        return std::move(schema).value();
    }();
    return *kSchema;
}

const std::vector<OpenApiKind>& builtin_kinds() {
    static const std::vector<OpenApiKind> kKinds = read_kinds();
    return kKinds;
}

Value open_api_document(
    std::string_view group, std::string_view version, const std::vector<OpenApiKind>& custom
) {
    Value schemas = Object{};
    Value paths = Object{};
    std::set<std::string, std::less<>> names;
    for (const auto& [key, name] : component_names()) {
        if (std::get<0>(key) == group && std::get<1>(key) == version) {
            names.insert(name);
            collect_references(*components().find(name), names);
        }
    }
    for (const auto& kind : builtin_kinds()) {
        if (kind.group == group && kind.version == version) {
            add_paths(kind, paths);
        }
    }
    for (const auto& kind : custom) {
        auto component = custom_component(kind);
        collect_references(component, names);
        schemas.set(custom_name(kind), std::move(component));
        add_paths(kind, paths);
    }
    for (const auto& name : names) {
        Value& schema = schemas.set(name, *components().find(name));
        if (name == kObjectMeta) {
            describe_metadata(schema);
        }
    }
    return Object{
        {"openapi", "3.0.0"},
        {"info", Object{{"title", "Kubernetes"}, {"version", "v1.36.3"}}},
        {"paths", std::move(paths)},
        {"components", Object{{"schemas", std::move(schemas)}}},
    };
}

}  // namespace sluice::apiserver
