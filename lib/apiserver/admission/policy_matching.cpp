#include "apiserver/admission/policy_matching.hpp"

#include "apiserver/admission/rule_matching.hpp"
#include "apiserver/objects/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;

const Value* labels_of(const Value& object) {
    return object.is_object() ? object.find_path({"metadata", "labels"}) : nullptr;
}

/// `match`: the matchConstraints of a policy or the matchResources of a binding. Returns the type
/// in whose version the policy sees the request; nullptr if they do not match. `context`: in the
/// version of the request.
ResourceTable::TypePointer find_match(
    const ResourceTable& types,
    const Value* match,
    const RuledRequest& request,
    const AdmissionContext& context,
    bool must_have_rules
) {
    const auto& own = request.route.type;
    if (match == nullptr) {
        return must_have_rules ? nullptr : own;
    }
    // A namespaceSelector selects a Namespace by its own labels.
    const bool is_of_spec = request.route.subresource.empty() && context.object.is_object();
    const Value& ns = !is_namespace(*own) ? context.ns_object
                      : is_of_spec        ? context.object
                                          : context.old_object;
    const bool is_in_namespace = (!own->is_namespaced && !is_namespace(*own)) ||
                                 selects_labels(match->find("namespaceSelector"), labels_of(ns));
    const Value* selector = match->find("objectSelector");
    const bool is_selected =
        (context.object.is_object() && selects_labels(selector, labels_of(context.object))) ||
        (context.old_object.is_object() && selects_labels(selector, labels_of(context.old_object)));
    const auto find_by = [&](const char* list) {
        return match_rules(types, match->find(list), match->string_at("matchPolicy"), request);
    };
    if (!is_in_namespace || !is_selected || find_by("excludeResourceRules") != nullptr) {
        return nullptr;
    }
    const bool has_rules = !items_of(match->find("resourceRules")).empty();
    return has_rules || must_have_rules ? find_by("resourceRules") : own;
}

}  // namespace

std::vector<BoundPair> find_bound_policies(
    const State& state,
    const Collection& policies,
    const Collection& bindings,
    const RuledRequest& request,
    const AdmissionContext& context
) {
    std::vector<BoundPair> found;
    for (const auto& [key, binding] : state.store.objects(bindings)) {
        const Value* bound = binding->find("spec");
        const Snapshot policy =
            bound == nullptr
                ? nullptr
                : state.store.find(policies, {"", std::string(bound->string_at("policyName"))});
        const Value* spec = policy == nullptr ? nullptr : policy->find("spec");
        const auto find = [&](const Value* match, bool must_have_rules) {
            return find_match(state.types, match, request, context, must_have_rules);
        };
        // The policy, not its binding, decides in which version it sees the object.
        auto version = spec == nullptr ? nullptr : find(spec->find("matchConstraints"), true);
        if (version != nullptr && find(bound->find("matchResources"), false) != nullptr) {
            found.push_back({policy, binding, std::move(version)});
        }
    }
    return found;
}

Result<std::vector<Value>> find_params(
    const State& state, const Value& policy_spec, const Value& binding_spec, std::string_view ns
) {
    const Value* kind = policy_spec.find("paramKind");
    const Value* reference = binding_spec.find("paramRef");
    if (kind == nullptr || reference == nullptr) {
        return std::vector<Value>{Value()};
    }
    const std::string version(kind->string_at("apiVersion"));
    const std::size_t slash = version.find('/');
    const auto type = state.types.find_kind(
        slash == std::string::npos ? std::string_view()
                                   : std::string_view(version).substr(0, slash),
        slash == std::string::npos ? version : version.substr(slash + 1),
        kind->string_at("kind")
    );
    if (type == nullptr) {
        return make_invalid(
            fmt::format("paramKind kind `{}, Kind={}` not known", version, kind->string_at("kind"))
        );
    }
    std::string space;
    if (type->is_namespaced) {
        const auto own = reference->string_at("namespace");
        space = own.empty() ? ns : own;
    }
    std::vector<Value> found;
    const auto name = reference->string_at("name");
    for (const auto& [key, object] : state.store.objects(State::collection_of(*type))) {
        const bool is_meant = name.empty()
                                  ? selects_labels(reference->find("selector"), labels_of(*object))
                                  : key.name == name;
        if (key.ns == space && is_meant) {
            found.push_back(state.to_version(*object, *type));
        }
    }
    if (found.empty() && reference->string_at("parameterNotFoundAction") == "Deny") {
        return make_invalid("no params found for policy binding with `Deny` parameterNotFoundAction"
        );
    }
    return found;
}

}  // namespace sluice::apiserver
