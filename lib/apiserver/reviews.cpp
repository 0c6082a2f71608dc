#include "apiserver/reviews.hpp"

#include "apiserver/decode.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/values.hpp"

#include <array>
#include <algorithm>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kAdmins = "system:masters";

Array strings(const std::vector<std::string>& texts) {
    return {texts.begin(), texts.end()};
}

Value user_info(const Identity& identity) {
    Value user{Object{}};
    user.set("username", identity.user);
    if (!identity.uid.empty()) {
        user.set("uid", identity.uid);
    }
    user.set("groups", strings(identity.groups));
    return user;
}

Value access_status(bool is_allowed) {
    Value status{Object{}};
    status.set("allowed", is_allowed);
    if (is_allowed) {
        return status;
    }
    status.set("reason", "no RBAC policy matched");
    return status;
}

bool names_admins(const Value& spec) {
    const auto& groups = items_of(spec.find("groups"));
    return std::ranges::find(groups, Value(kAdmins)) != groups.end();
}

Value rules_status() {
    Value resources{Object{}};
    Value others{Object{}};
    for (const auto* name : {"verbs", "apiGroups", "resources"}) {
        resources.set(name, Array{"*"});
    }
    for (const auto* name : {"verbs", "nonResourceURLs"}) {
        others.set(name, Array{"*"});
    }
    Value status{Object{}};
    status.set("resourceRules", Array{std::move(resources)});
    status.set("nonResourceRules", Array{std::move(others)});
    status.set("incomplete", false);
    return status;
}

}  // namespace

bool is_review(const Resource& resource) {
    return resource.group == "authorization.k8s.io" || resource.group == "authentication.k8s.io";
}

Result<Value> answer_review(Core& core, Scope& scope) {
    auto object = decode_object(core, scope);
    if (!object) {
        return object.error();
    }
    const auto& kind = scope.resource->kind;
    const auto& identity = scope.request.identity;
    const bool is_admin =
        std::ranges::find(identity.groups, kAdmins) != identity.groups.end();
    const Value spec = object->find("spec") == nullptr ? Value{Object{}} : *object->find("spec");
    Value status{Object{}};
    if (kind == "SelfSubjectReview") {
        status.set("userInfo", user_info(identity));
        metadata_of(*object).set("creationTimestamp", core.timestamp());
    } else if (kind == "SelfSubjectRulesReview") {
        status = rules_status();
    } else if (kind == "SelfSubjectAccessReview") {
        status = access_status(is_admin);
    } else if (kind == "TokenReview") {
        status.set("user", Object{});
        status.set("error", "[invalid bearer token]");
    } else {
        status = access_status(names_admins(spec));
    }
    object->set("status", std::move(status));
    return object;
}

}  // namespace sluice::apiserver
