#include "apiserver/role_escalation.hpp"

#include "apiserver/access.hpp"
#include "apiserver/failures.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
/// Rules are compared piece by piece. Roles of people have some hundreds of them.
constexpr std::size_t kPiecesMost = 10'000;

/// What a rule says, each text once.
struct Rule {
    explicit Rule(const Value& rule)
        : groups(texts_in(rule, "apiGroups")),
          resources(texts_in(rule, "resources")),
          names(texts_in(rule, "resourceNames")),
          paths(texts_in(rule, "nonResourceURLs")),
          verbs(texts_in(rule, "verbs")) {}

    static std::set<std::string> texts_in(const Value& rule, std::string_view list) {
        auto texts = texts_of(rule.find(list));
        return {std::make_move_iterator(texts.begin()), std::make_move_iterator(texts.end())};
    }

    std::set<std::string> groups;
    std::set<std::string> resources;
    std::set<std::string> names;
    std::set<std::string> paths;
    std::set<std::string> verbs;
};

/// One thing that a rule allows: one verb on one resource, name or path.
struct Piece {
    std::string group{};
    std::string resource{};
    std::string name{};
    std::string path{};  ///< "": it is about resources
    std::string verb{};
};

bool has_or_all(const std::set<std::string>& texts, const std::string& text) {
    return texts.contains("*") || texts.contains(text);
}

bool owns_path(const Rule& rule, const std::string& path) {
    return std::ranges::any_of(rule.paths, [&path](const std::string& each) {
        return each == path ||
               (each.ends_with('*') && path.starts_with(each.substr(0, each.size() - 1)));
    });
}

bool grants_piece(const Rule& rule, const Piece& piece) {
    if (!has_or_all(rule.verbs, piece.verb)) {
        return false;
    }
    if (!piece.path.empty()) {
        return owns_path(rule, piece.path);
    }
    const std::size_t slash = piece.resource.find('/');
    const bool has_resource =
        has_or_all(rule.resources, piece.resource) ||
        (slash != std::string::npos && rule.resources.contains("*" + piece.resource.substr(slash)));
    const bool has_name =
        rule.names.empty() || (!piece.name.empty() && rule.names.contains(piece.name));
    return has_resource && has_name && has_or_all(rule.groups, piece.group);
}

/// How many pieces a rule has; kPiecesMost + 1 for any larger number.
std::size_t count_pieces(const Rule& rule) {
    std::size_t count = 1;
    for (const std::size_t each :
         {rule.groups.size(), rule.resources.size(), std::max<std::size_t>(rule.names.size(), 1)}) {
        count = std::min(count * each, kPiecesMost + 1);
    }
    return std::min((count + rule.paths.size()) * rule.verbs.size(), kPiecesMost + 1);
}

/// The texts of a list, each once, in their order.
std::vector<std::string> distinct_texts(const Value& rule, std::string_view list) {
    std::vector<std::string> distinct;
    std::set<std::string> seen;
    for (std::string& text : texts_of(rule.find(list))) {
        if (seen.insert(text).second) {
            distinct.push_back(std::move(text));
        }
    }
    return distinct;
}

void add_pieces(const Value& rule, std::vector<Piece>& pieces) {
    const auto groups = distinct_texts(rule, "apiGroups");
    const auto resources = distinct_texts(rule, "resources");
    const auto paths = distinct_texts(rule, "nonResourceURLs");
    auto names = distinct_texts(rule, "resourceNames");
    if (names.empty()) {
        names.emplace_back();
    }
    for (const std::string& verb : distinct_texts(rule, "verbs")) {
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
    }
}

/// Nothing: there are more than can be compared.
std::optional<std::vector<Piece>> pieces_of(const json::Array& rules) {
    std::vector<Piece> pieces;
    std::size_t count = 0;
    for (const Value& each : rules) {
        count += count_pieces(Rule(each));
        if (count > kPiecesMost) {
            return std::nullopt;
        }
        add_pieces(each, pieces);
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
    auto pieces = pieces_of(rules);
    if (!pieces) {
        return fmt::format("more than {} rights cannot be compared", kPiecesMost);
    }
    std::vector<Rule> own;
    for (const Value& rule : rules_of(state, subject, ns)) {
        own.emplace_back(rule);
    }
    std::vector<Piece>& missing = *pieces;
    std::erase_if(missing, [&own](const Piece& piece) {
        return std::ranges::any_of(own, [&piece](const Rule& rule) {
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
    const State& state,
    const Subject& subject,
    const ResourceType& type,
    const Value& role,
    const Value* old_role
) {
    const std::string ns(text_at(role, {"metadata", "namespace"}));
    const std::string name(text_at(role, {"metadata", "name"}));
    if (may(state, subject, "escalate", type.plural, ns, name)) {
        return std::nullopt;
    }
    const json::Array all{"*"};
    // What gathers rules may gather any; so may what did.
    const bool gathers = role.find("aggregationRule") != nullptr ||
                         (old_role != nullptr && old_role->find("aggregationRule") != nullptr);
    if (gathers) {
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

/// Whether nothing changes but what the garbage collector needs to change.
bool is_same_but_for_deletion(Value object, Value old_object) {
    for (Value* each : {&object, &old_object}) {
        Value& metadata = object_at(*each, "metadata");
        for (const char* const name :
             {"finalizers", "managedFields", "ownerReferences", "resourceVersion"}) {
            metadata.erase(name);
        }
    }
    return object == old_object;
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
    if (old_object != nullptr && is_same_but_for_deletion(object, *old_object)) {
        return std::nullopt;
    }
    const Subject subject = subject_of(request);
    return type.kind == "Role" || type.kind == "ClusterRole"
               ? check_granting_role(state, subject, type, object, old_object)
               : check_granting_binding(state, subject, type, object);
}

}  // namespace sluice::apiserver
