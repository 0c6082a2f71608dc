#include "apiserver/role_escalation.hpp"

#include "apiserver/access.hpp"
#include "apiserver/failures.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
/// Rules are compared piece by piece, and roles are written by people.
constexpr std::size_t kPiecesMost = 100'000;

/// One thing that a rule allows: one verb on one resource, name or path.
struct Piece {
    std::string group{};
    std::string resource{};
    std::string name{};
    std::string path{};  ///< "": it is about resources
    std::string verb{};
};

bool has_or_all(const Value& rule, std::string_view list, const std::string& text) {
    const auto texts = texts_of(rule.find(list));
    return std::ranges::any_of(texts, [&text](const std::string& each) {
        return each == "*" || each == text;
    });
}

bool owns_path(const Value& rule, const std::string& path) {
    const auto paths = texts_of(rule.find("nonResourceURLs"));
    return std::ranges::any_of(paths, [&path](const std::string& each) {
        return each == path ||
               (each.ends_with('*') && path.starts_with(each.substr(0, each.size() - 1)));
    });
}

bool grants_piece(const Value& rule, const Piece& piece) {
    if (!has_or_all(rule, "verbs", piece.verb)) {
        return false;
    }
    if (!piece.path.empty()) {
        return owns_path(rule, piece.path);
    }
    const std::size_t slash = piece.resource.find('/');
    const bool has_resource = has_or_all(rule, "resources", piece.resource) ||
                              (slash != std::string::npos &&
                               has_or_all(rule, "resources", "*" + piece.resource.substr(slash)));
    const auto names = texts_of(rule.find("resourceNames"));
    const bool has_name = names.empty() || (!piece.name.empty() &&
                                            std::ranges::find(names, piece.name) != names.end());
    return has_resource && has_name && has_or_all(rule, "apiGroups", piece.group);
}

std::vector<Piece> pieces_of(const json::Array& rules) {
    std::vector<Piece> pieces;
    for (const Value& rule : rules) {
        auto names = texts_of(rule.find("resourceNames"));
        if (names.empty()) {
            names.emplace_back();
        }
        const auto groups = texts_of(rule.find("apiGroups"));
        const auto resources = texts_of(rule.find("resources"));
        const auto paths = texts_of(rule.find("nonResourceURLs"));
        for (const std::string& verb : texts_of(rule.find("verbs"))) {
            for (const std::string& group : groups) {
                for (const std::string& resource : resources) {
                    for (const std::string& name : names) {
                        pieces.push_back({group, resource, name, "", verb});
                    }
                }
            }
            for (const std::string& path : paths) {
                pieces.push_back({"", "", "", path, verb});
            }
            if (pieces.size() > kPiecesMost) {
                return pieces;
            }
        }
    }
    return pieces;
}

std::string print_texts(std::string_view name, const std::vector<std::string>& texts) {
    std::vector<std::string> quoted;
    quoted.reserve(texts.size());
    for (const std::string& text : texts) {
        quoted.push_back(json::print(Value(text)));
    }
    return fmt::format("{}:[{}]", name, fmt::join(quoted, " "));
}

/// What is missing, a line for each resource.
std::string print_missing(const std::vector<Piece>& missing) {
    using Subject = std::array<std::string, 4>;
    std::map<Subject, std::vector<std::string>> verbs;
    for (const Piece& each : missing) {
        verbs[{each.group, each.resource, each.name, each.path}].push_back(each.verb);
    }
    std::set<std::string> lines;
    for (const auto& [about, list] : verbs) {
        const auto& [group, resource, name, path] = about;
        std::vector<std::string> parts;
        if (path.empty()) {
            parts.push_back(print_texts("APIGroups", {group}));
            parts.push_back(print_texts("Resources", {resource}));
        } else {
            parts.push_back(print_texts("NonResourceURLs", {path}));
        }
        if (!name.empty()) {
            parts.push_back(print_texts("ResourceNames", {name}));
        }
        parts.push_back(print_texts("Verbs", list));
        lines.insert(fmt::format("{{{}}}", fmt::join(parts, ", ")));
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
}

/// Why the user may not grant these rules; "": the user has all of them.
std::string find_missing_rights(
    const State& state, const Subject& subject, std::string_view ns, const json::Array& rules
) {
    const std::vector<Value> own = rules_of(state, subject, ns);
    std::vector<Piece> missing = pieces_of(rules);
    std::erase_if(missing, [&own](const Piece& piece) {
        return std::ranges::any_of(own, [&piece](const Value& rule) {
            return grants_piece(rule, piece);
        });
    });
    if (missing.empty()) {
        return "";
    }
    std::string groups = print_texts("groups", subject.groups);
    std::replace(groups.begin(), groups.begin() + 7, ':', '=');
    return fmt::format(
        "user {} ({}) is attempting to grant RBAC permissions not currently held:\n{}",
        json::print(Value(subject.user)),
        groups,
        print_missing(missing)
    );
}

bool may(
    const State& state,
    const Subject& subject,
    std::string_view verb,
    std::string_view resource,
    const std::string& ns,
    const std::string& name
) {
    return find_grant(
               state,
               subject,
               {.verb = std::string(verb),
                .group = std::string(kRbacGroup),
                .resource = std::string(resource),
                .subresource = {},
                .name = name,
                .ns = ns,
                .path = {}}
    ).has_value();
}

std::optional<Error> check_granting_role(
    const State& state, const Subject& subject, const ResourceType& type, const Value& role
) {
    const std::string ns(text_at(role, {"metadata", "namespace"}));
    const std::string name(text_at(role, {"metadata", "name"}));
    if (may(state, subject, "escalate", type.plural, ns, name)) {
        return std::nullopt;
    }
    const json::Array all{"*"};
    if (role.find("aggregationRule") != nullptr) {
        const json::Array everything{
            json::Object{{"verbs", all}, {"apiGroups", all}, {"resources", all}},
            json::Object{{"verbs", all}, {"nonResourceURLs", all}}
        };
        if (!find_missing_rights(state, subject, ns, everything).empty()) {
            return forbidden(
                type, name, "must have cluster-admin privileges to use the aggregationRule"
            );
        }
    }
    const std::string why = find_missing_rights(state, subject, ns, items_of(role.find("rules")));
    return why.empty() ? std::nullopt : std::optional(forbidden(type, name, why));
}

std::optional<Error> check_granting_binding(
    const State& state, const Subject& subject, const ResourceType& type, const Value& binding
) {
    const std::string ns(text_at(binding, {"metadata", "namespace"}));
    const std::string role_name(text_at(binding, {"roleRef", "name"}));
    const bool is_cluster_role = text_at(binding, {"roleRef", "kind"}) == "ClusterRole";
    const std::string_view plural = is_cluster_role ? "clusterroles" : "roles";
    if (may(state, subject, "bind", plural, ns, role_name)) {
        return std::nullopt;
    }
    const Snapshot role = state.store.find(
        {std::string(kRbacGroup), std::string(plural)},
        {is_cluster_role ? std::string() : ns, role_name}
    );
    if (!role) {
        return not_found(type, role_name);  // it is told of as if it were the binding
    }
    const std::string why = find_missing_rights(state, subject, ns, rules_of_role(state, *role));
    const std::string name(text_at(binding, {"metadata", "name"}));
    return why.empty() ? std::nullopt : std::optional(forbidden(type, name, why));
}

}  // namespace

std::optional<Error> find_escalation(
    const State& state,
    const Request& request,
    const ResourceType& type,
    const Value& object,
    const Value* old_object
) {
    if (!request.is_restricted || type.is_custom || type.group != kRbacGroup) {
        return std::nullopt;
    }
    const bool is_role = type.kind == "Role" || type.kind == "ClusterRole";
    const auto is_same = [&](std::string_view member) {
        const Value* now = object.find(member);
        const Value* before = old_object->find(member);
        return (now == nullptr) == (before == nullptr) && (now == nullptr || *now == *before);
    };
    if (old_object != nullptr && (is_role ? is_same("rules") && is_same("aggregationRule")
                                          : is_same("roleRef") && is_same("subjects"))) {
        return std::nullopt;
    }
    const Subject subject = subject_of(request);
    return is_role ? check_granting_role(state, subject, type, object)
                   : check_granting_binding(state, subject, type, object);
}

}  // namespace sluice::apiserver
