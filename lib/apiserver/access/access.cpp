#include "apiserver/access/access.hpp"

#include "api/meta/names.hpp"
#include "apiserver/objects/field_checks.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;

const Collection role_collection{"rbac.authorization.k8s.io", "roles"};
const Collection cluster_role_collection{"rbac.authorization.k8s.io", "clusterroles"};
const Collection role_binding_collection{"rbac.authorization.k8s.io", "rolebindings"};
const Collection cluster_role_binding_collection{
    "rbac.authorization.k8s.io", "clusterrolebindings"
};
constexpr std::string_view kMasters = "system:masters";
constexpr std::string_view kAccountPrefix = "system:serviceaccount:";
constexpr std::string_view kAuthenticated = "system:authenticated";
constexpr std::string_view kUnauthenticated = "system:unauthenticated";

/// Returns the service account that the user name denotes; nullopt for any other user.
std::optional<ObjectName> find_account(std::string_view user) {
    if (!user.starts_with(kAccountPrefix)) {
        return std::nullopt;
    }
    user.remove_prefix(kAccountPrefix.size());
    const std::size_t colon = user.find(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view ns = user.substr(0, colon);
    const std::string_view name = user.substr(colon + 1);
    const bool is_valid = !api::check_dns1123_label(ns) && !api::check_dns1123_subdomain(name);
    return is_valid ? std::optional(ObjectName{std::string(ns), std::string(name)}) : std::nullopt;
}

bool has_text(const Value* list, std::string_view text) {
    return std::ranges::any_of(items_of(list), [text](const Value& item) {
        return item.is_string() && item.as_string() == text;
    });
}

bool has_text_or_all(const Value* list, std::string_view text) {
    return has_text(list, "*") || has_text(list, text);
}

/// Matches `pods`, `pods/log`, `*/scale` or `*`.
bool covers_resource(const Value* resources, const AccessQuestion& question) {
    if (question.subresource.empty()) {
        return has_text_or_all(resources, question.resource);
    }
    return has_text_or_all(
               resources, fmt::format("{}/{}", question.resource, question.subresource)
           ) ||
           has_text(resources, fmt::format("*/{}", question.subresource));
}

bool covers_path(const Value* paths, std::string_view path) {
    return std::ranges::any_of(items_of(paths), [path](const Value& item) {
        const std::string pattern = item.is_string() ? item.as_string() : "";
        return pattern == path ||
               (pattern.ends_with('*') &&
                path.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1)));
    });
}

bool allows(const Value& rule, const AccessQuestion& question) {
    if (!has_text_or_all(rule.find("verbs"), question.verb)) {
        return false;
    }
    if (!question.path.empty()) {
        return covers_path(rule.find("nonResourceURLs"), question.path);
    }
    const Value* names = rule.find("resourceNames");
    return has_text_or_all(rule.find("apiGroups"), question.group) &&
           covers_resource(rule.find("resources"), question) &&
           (items_of(names).empty() || has_text(names, question.name));
}

/// Returns the subject of a binding as reasons name it if it matches the user; "" if it does not.
std::string match_subject(const Value& bound, const Subject& subject, std::string_view ns) {
    const std::string_view kind = bound.string_at("kind");
    const std::string_view name = bound.string_at("name");
    if (kind == "User" && name == subject.user) {
        return fmt::format("User \"{}\"", name);
    }
    if (kind == "Group" && std::ranges::find(subject.groups, name) != subject.groups.end()) {
        return fmt::format("Group \"{}\"", name);
    }
    const std::string_view own = bound.string_at("namespace");
    const std::string_view account_ns = own.empty() ? ns : own;
    if (kind == "ServiceAccount" &&
        subject.user == fmt::format("{}{}:{}", kAccountPrefix, account_ns, name)) {
        return fmt::format("ServiceAccount \"{}/{}\"", name, account_ns);
    }
    return "";
}

/// Visits the rules of a role; for an aggregated role also the rules of the roles that it selects.
class RuleVisitor {
  public:
    RuleVisitor(const State& state, std::function<void(const Value& rule)> visit)
        : state_(state), visit_(std::move(visit)) {}

    void visit_role(const Value& role) {
        const bool is_new = seen_.insert(text_at(role, {"metadata", "name"})).second;
        if (!is_new) {
            return;
        }
        for (const Value& rule : items_of(role.find("rules"))) {
            visit_(rule);
        }
        const Value* selectors = role.find_path({"aggregationRule", "clusterRoleSelectors"});
        if (items_of(selectors).empty()) {
            return;
        }
        for (const auto& [name, other] : state_.store.objects(cluster_role_collection)) {
            if (is_gathered(*selectors, *other)) {
                visit_role(*other);
            }
        }
    }

  private:
    static bool is_gathered(const Value& selectors, const Value& role) {
        const Value* labels = role.find_path({"metadata", "labels"});
        return std::ranges::any_of(items_of(&selectors), [labels](const Value& selector) {
            return selects(&selector, labels);
        });
    }

    const State& state_;
    std::function<void(const Value& rule)> visit_;
    std::set<std::string_view> seen_;
};

/// A rule that a binding grants to the user.
struct Grant {
    const Value& rule;
    std::string reason;  ///< why the user has the rule
};
using VisitGrant = std::function<void(const Grant& grant)>;

void visit_binding(
    const State& state,
    const Value& binding,
    const Subject& subject,
    std::string_view ns,
    const VisitGrant& visit
) {
    std::string who;
    for (const Value& bound : items_of(binding.find("subjects"))) {
        who = match_subject(bound, subject, ns);
        if (!who.empty()) {
            break;
        }
    }
    const Value& reference = member_or_null(binding, "roleRef");
    const bool is_role = reference.string_at("kind") == "Role";
    const std::string role_name(reference.string_at("name"));
    const Snapshot role = who.empty() ? nullptr
                          : is_role
                              ? state.store.find(role_collection, {std::string(ns), role_name})
                              : state.store.find(cluster_role_collection, {"", role_name});
    if (!role) {
        return;
    }
    const std::string name(text_at(binding, {"metadata", "name"}));
    const std::string reason = fmt::format(
        "RBAC: allowed by {} of {} \"{}\" to {}",
        ns.empty() ? fmt::format("ClusterRoleBinding \"{}\"", name)
                   : fmt::format("RoleBinding \"{}/{}\"", name, ns),
        is_role ? "Role" : "ClusterRole",
        role_name,
        who
    );
    RuleVisitor(state, [&](const Value& rule) { visit({rule, reason}); }).visit_role(*role);
}

void visit_grants(
    const State& state, const Subject& subject, std::string_view ns, const VisitGrant& visit
) {
    for (const auto& [name, binding] : state.store.objects(cluster_role_binding_collection)) {
        visit_binding(state, *binding, subject, "", visit);
    }
    if (ns.empty()) {
        return;
    }
    for (const auto& [name, binding] : state.store.objects(role_binding_collection)) {
        if (name.ns == ns) {
            visit_binding(state, *binding, subject, ns, visit);
        }
    }
}

std::string verb_of(const Request& request, const ResourcePath& path) {
    const bool is_one = !path.name.empty();
    if (request.method == "GET") {
        return request.is_set("watch") ? "watch" : is_one ? "get" : "list";
    }
    if (request.method == "DELETE") {
        return is_one ? "delete" : "deletecollection";
    }
    return request.method == "POST" ? "create" : request.method == "PUT" ? "update" : "patch";
}

Error refuse_path(const Request& request, const AccessQuestion& question) {
    return make_failure(
        403,
        "Forbidden",
        fmt::format(
            "forbidden: User \"{}\" cannot {} path \"{}\"",
            request.user,
            question.verb,
            question.path
        ),
        json::Object()
    );
}

Error refuse_resource(const Request& request, const AccessQuestion& question) {
    const std::string resource =
        question.subresource.empty()
            ? question.resource
            : fmt::format("{}/{}", question.resource, question.subresource);
    const std::string what = question.group.empty()
                                 ? question.resource
                                 : fmt::format("{}.{}", question.resource, question.group);
    json::Object details;
    if (!question.name.empty()) {
        details.emplace_back("name", question.name);
    }
    if (!question.group.empty()) {
        details.emplace_back("group", question.group);
    }
    details.emplace_back("kind", question.resource);
    return make_failure(
        403,
        "Forbidden",
        fmt::format(
            "{}{} is forbidden: User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {}",
            what,
            question.name.empty() ? "" : fmt::format(" \"{}\"", question.name),
            request.user,
            question.verb,
            resource,
            question.group,
            question.ns.empty() ? "at the cluster scope"
                                : fmt::format("in the namespace \"{}\"", question.ns)
        ),
        std::move(details)
    );
}

}  // namespace

Subject subject_of(const Request& request) {
    Subject subject{
        .user = request.user, .groups = request.groups, .uid = request.uid, .extra = request.extra
    };
    if (!request.is_restricted) {
        subject.groups = {std::string(kMasters)};
    } else if (const auto account = find_account(request.user); account && request.groups.empty()) {
        subject.groups = {
            "system:serviceaccounts", fmt::format("system:serviceaccounts:{}", account->ns)
        };
    }
    const std::string_view all =
        request.user == "system:anonymous" ? kUnauthenticated : kAuthenticated;
    const bool is_said = std::ranges::any_of(subject.groups, [](const std::string& group) {
        return group == kAuthenticated || group == kUnauthenticated;
    });
    if (!is_said) {
        subject.groups.emplace_back(all);
    }
    return subject;
}

Value user_info(const Subject& subject) {
    json::Array groups;
    std::ranges::copy(subject.groups, std::back_inserter(groups));
    Value info = json::Object{{"username", subject.user}};
    if (!subject.uid.empty()) {
        info.set("uid", subject.uid);
    }
    info.set("groups", std::move(groups));
    if (!subject.extra.empty()) {
        Value& extra = info.set("extra", json::Object());
        for (const auto& [name, values] : subject.extra) {
            extra.set(name, json::Array(values.begin(), values.end()));
        }
    }
    return info;
}

void note_requester(Value& spec, const Subject& subject) {
    const Value info = user_info(subject);
    for (const auto& [name, value] : info.as_object()) {
        spec.set(name, value);
    }
}

std::optional<std::string> find_grant(
    const State& state, const Subject& subject, const AccessQuestion& question
) {
    if (std::ranges::find(subject.groups, kMasters) != subject.groups.end()) {
        return "";
    }
    std::optional<std::string> reason;
    visit_grants(state, subject, question.path.empty() ? question.ns : "", [&](const Grant& grant) {
        if (!reason && allows(grant.rule, question)) {
            reason = grant.reason;
        }
    });
    return reason;
}

std::vector<Value> rules_of(const State& state, const Subject& subject, std::string_view ns) {
    std::vector<Value> rules;
    if (std::ranges::find(subject.groups, kMasters) != subject.groups.end()) {
        const json::Array all{"*"};
        rules.emplace_back(json::Object{{"verbs", all}, {"apiGroups", all}, {"resources", all}});
        rules.emplace_back(json::Object{{"verbs", all}, {"nonResourceURLs", all}});
    }
    visit_grants(state, subject, ns, [&](const Grant& grant) { rules.push_back(grant.rule); });
    return rules;
}

std::optional<Error> find_access_fault(const State& state, const Request& request) {
    if (!request.is_restricted) {
        return std::nullopt;
    }
    AccessQuestion question;
    // Later steps check whether the resource exists.
    const auto path = read_resource_path(request.path);
    if (path) {
        question = {
            .verb = verb_of(request, *path),
            .group = std::string(path->group),
            .resource = std::string(path->resource),
            .subresource = std::string(path->subresource),
            .name = std::string(path->name),
            .ns = std::string(path->ns),
            .path = {}
        };
    } else {
        question.verb = request.method == "GET" ? "get" : "post";
        question.path = request.path;
    }
    if (find_grant(state, subject_of(request), question)) {
        return std::nullopt;
    }
    return path ? refuse_resource(request, question) : refuse_path(request, question);
}

std::optional<Error> find_impersonation_fault(
    const State& state, const Subject& impersonator, const Request& request
) {
    std::vector<AccessQuestion> questions;
    const auto ask = [&](std::string group, std::string resource, std::string name) {
        questions.push_back(
            {.verb = "impersonate",
             .group = std::move(group),
             .resource = std::move(resource),
             .subresource = {},
             .name = std::move(name),
             .ns = {},
             .path = {}}
        );
    };
    constexpr std::string_view kAuthentication = "authentication.k8s.io";
    if (const auto account = find_account(request.user)) {
        ask("", "serviceaccounts", account->name);
        questions.back().ns = account->ns;
    } else {
        ask("", "users", request.user);
    }
    for (const std::string& group : request.groups) {
        ask("", "groups", group);
    }
    if (!request.uid.empty()) {
        ask(std::string(kAuthentication), "uids", request.uid);
    }
    for (const auto& [name, values] : request.extra) {
        for (const std::string& value : values) {
            ask(std::string(kAuthentication), "userextras", value);
            questions.back().subresource = name;
        }
    }
    Request asked;
    asked.user = impersonator.user;
    for (const AccessQuestion& question : questions) {
        if (!find_grant(state, impersonator, question)) {
            return refuse_resource(asked, question);
        }
    }
    return std::nullopt;
}

}  // namespace sluice::apiserver
