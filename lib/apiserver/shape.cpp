#include "apiserver/shape.hpp"

#include <algorithm>
#include <map>

namespace sluice::apiserver {

namespace {

using Type = ListShape::Type;

/// Lists of Kubernetes' own kinds by the name of their field; others are atomic.
const ListShape& builtin_list(std::string_view field) {
    static const ListShape kAtomic;
    static const ListShape kSet{.type = Type::Set};
    static const auto by = [](std::initializer_list<const char*> keys) {
        return ListShape{.type = Type::Map, .keys = {keys.begin(), keys.end()}};
    };
    static const std::map<std::string_view, ListShape> kLists = {
        {"addresses", by({"type"})},
        {"conditions", by({"type"})},
        {"containers", by({"name"})},
        {"env", by({"name"})},
        {"ephemeralContainers", by({"name"})},
        {"finalizers", kSet},
        {"hostAliases", by({"ip"})},
        {"imagePullSecrets", by({"name"})},
        {"initContainers", by({"name"})},
        {"matchConditions", by({"name"})},
        {"ownerReferences", by({"uid"})},
        {"podIPs", by({"ip"})},
        {"ports", by({"containerPort", "protocol"})},
        {"resourceClaims", by({"name"})},
        {"schedulingGates", by({"name"})},
        {"secrets", by({"name"})},
        {"topologySpreadConstraints", by({"topologyKey", "whenUnsatisfiable"})},
        {"volumeDevices", by({"devicePath"})},
        {"volumeMounts", by({"mountPath"})},
        {"volumes", by({"name"})},
        {"webhooks", by({"name"})},
    };
    const auto found = kLists.find(field);
    return found == kLists.end() ? kAtomic : found->second;
}

bool is_builtin_atomic(std::string_view field) {
    constexpr std::string_view kAtomic[] = {
        "fieldRef",
        "labelSelector",
        "namespaceSelector",
        "objectSelector",
        "resourceFieldRef",
        "secretRef",
        "selector"
    };
    return std::ranges::find(kAtomic, field) != std::end(kAtomic);
}

}  // namespace

Shape Shape::member(std::string_view name) const {
    if (is_builtin_ && schema_ == nullptr) {
        return {nullptr, name, true};
    }
    if (field_.empty() && name == "metadata") {
        return {nullptr, name, true};
    }
    const json::Value* next = nullptr;
    if (schema_ != nullptr) {
        next = schema_->find_path({"properties", name});
        if (next == nullptr) {
            next = schema_->find("additionalProperties");
        }
    }
    if (next != nullptr && !next->is_object()) {
        next = nullptr;
    }
    return {next, name, false};
}

Shape Shape::element() const {
    if (schema_ == nullptr) {
        return {nullptr, "[]", is_builtin_};
    }
    const json::Value* items = schema_->find("items");
    return {items != nullptr && items->is_object() ? items : nullptr, "[]", false};
}

ListShape Shape::list() const {
    if (schema_ == nullptr) {
        return is_builtin_ ? builtin_list(field_) : ListShape();
    }
    const std::string_view type = schema_->string_at("x-kubernetes-list-type");
    ListShape shape;
    shape.type = type == "map" ? Type::Map : type == "set" ? Type::Set : Type::Atomic;
    if (const json::Value* keys = schema_->find("x-kubernetes-list-map-keys");
        keys != nullptr && keys->is_array()) {
        for (const json::Value& key : keys->as_array()) {
            if (key.is_string()) {
                shape.keys.push_back(key.as_string());
            }
        }
    }
    if (shape.type == Type::Map && shape.keys.empty()) {
        shape.type = Type::Atomic;
    }
    return shape;
}

bool Shape::is_atomic_object() const {
    if (schema_ == nullptr) {
        return is_builtin_ && is_builtin_atomic(field_);
    }
    return schema_->string_at("x-kubernetes-map-type") == "atomic";
}

}  // namespace sluice::apiserver
