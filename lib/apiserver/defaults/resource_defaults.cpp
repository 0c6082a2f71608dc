#include "apiserver/defaults/resource_defaults.hpp"

#include "apiserver/objects/values.hpp"

#include <map>
#include <string>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Array;
using json::Object;
using json::Value;

/// Calls the function with each item of the list, if the object has that list.
template <class F>
void for_each_item(Value& object, std::string_view list, F change) {
    if (Value* items = object.find(list); items != nullptr && items->is_array()) {
        for (Value& item : items->as_array()) {
            change(item);
        }
    }
}

void default_device_request(Value& request) {
    if (request.string_at("allocationMode").empty()) {
        request.set("allocationMode", "ExactCount");
    }
    if (request.string_at("allocationMode") == "ExactCount" && int_at(request, "count", 0) == 0) {
        request.set("count", 1);
    }
}

void default_claim_spec(Value& spec) {
    for_each_item(object_at(spec, "devices"), "requests", [](Value& request) {
        if (Value* exactly = request.find("exactly"); exactly != nullptr && exactly->is_object()) {
            default_device_request(*exactly);
        }
        for_each_item(request, "firstAvailable", default_device_request);
    });
}

void default_match(Value& match) {
    set_default(match, "matchPolicy", "Equivalent");
    set_default(match, "namespaceSelector", Object{});
    set_default(match, "objectSelector", Object{});
    for (const char* list : {"resourceRules", "excludeResourceRules"}) {
        for_each_item(match, list, [](Value& rule) { set_default(rule, "scope", "*"); });
    }
}

void default_mutating_policy(Value& policy) {
    Value& spec = object_at(policy, "spec");
    set_default(spec, "failurePolicy", "Fail");
    if (Value* match = spec.find("matchConstraints"); match != nullptr && match->is_object()) {
        default_match(*match);
    }
}

void default_policy_binding(Value& binding) {
    Value* match = object_at(binding, "spec").find("matchResources");
    if (match != nullptr && match->is_object()) {
        default_match(*match);
    }
}

using Apply = void (*)(Value& object);

const std::map<std::pair<std::string_view, std::string_view>, Apply>& kind_rows() {
    static const std::map<std::pair<std::string_view, std::string_view>, Apply> kRows{
        {{"admissionregistration.k8s.io", "MutatingAdmissionPolicy"}, default_mutating_policy},
        {{"admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"}, default_policy_binding
        },
        {{"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"},
         default_policy_binding},
        {{"resource.k8s.io", "ResourceClaim"},
         [](Value& claim) { default_claim_spec(object_at(claim, "spec")); }},
        {{"resource.k8s.io", "ResourceClaimTemplate"},
         [](Value& claim) { default_claim_spec(object_at(object_at(claim, "spec"), "spec")); }},
    };
    return kRows;
}

}  // namespace

bool apply_resource_defaults(std::string_view group, std::string_view kind, Value& object) {
    const auto found = kind_rows().find({group, kind});
    if (found == kind_rows().end()) {
        return false;
    }
    found->second(object);
    return true;
}

}  // namespace sluice::apiserver
