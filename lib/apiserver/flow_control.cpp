#include "apiserver/flow_control.hpp"

#include "api/micro_time.hpp"
#include "apiserver/rule_matching.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

const std::string group_name = "flowcontrol.apiserver.k8s.io";
const Collection schemas_collection{group_name, "flowschemas"};
const Collection levels_collection{group_name, "prioritylevelconfigurations"};
constexpr std::string_view kAdministrator = "kubernetes-admin";
/// Requests that a real API server has at work at a time.
constexpr std::int64_t kSeats = 600;

std::string_view level_of(const Value& schema) {
    const Value* name = schema.find_path({"spec", "priorityLevelConfiguration", "name"});
    return name != nullptr && name->is_string() ? std::string_view(name->as_string())
                                                : std::string_view();
}

bool is_about_user(const Value& subject, std::string_view user) {
    const std::string_view kind = subject.string_at("kind");
    if (kind == "User") {
        const Value* of = subject.find("user");
        const std::string_view name = of == nullptr ? std::string_view() : of->string_at("name");
        return name == "*" || name == user;
    }
    if (kind == "Group") {
        const Value* of = subject.find("group");
        const std::string_view name = of == nullptr ? std::string_view() : of->string_at("name");
        return name == "*" || name == "system:authenticated" ||
               (name == "system:masters" && user == kAdministrator);
    }
    const Value* account = subject.find("serviceAccount");
    if (account == nullptr) {
        return false;
    }
    const std::string prefix =
        fmt::format("system:serviceaccount:{}:", account->string_at("namespace"));
    const std::string_view name = account->string_at("name");
    return user.starts_with(prefix) && (name == "*" || user.substr(prefix.size()) == name);
}

std::string_view flow_verb_of(const Request& request, bool is_one) {
    return request.method == "POST"     ? "create"
           : request.method == "PUT"    ? "update"
           : request.method == "PATCH"  ? "patch"
           : request.method == "DELETE" ? (is_one ? "delete" : "deletecollection")
           : request.is_set("watch")    ? "watch"
           : is_one                     ? "get"
                                        : "list";
}

bool fits_resource(const Value& rule, const Request& request, const Route& route) {
    return has_any(rule, "verbs", flow_verb_of(request, !route.name.empty())) &&
           has_any(rule, "apiGroups", route.type->group) &&
           has_any(rule, "resources", route.type->plural) &&
           (route.ns.empty() ? is_true(rule, "clusterScope") : has_any(rule, "namespaces", route.ns)
           );
}

bool fits_path(const Value& rule, const Request& request) {
    std::string method = request.method;
    std::ranges::transform(method, method.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return has_any(rule, "verbs", method) &&
           std::ranges::any_of(items_of(rule.find("nonResourceURLs")), [&](const Value& url) {
               const std::string_view text =
                   url.is_string() ? std::string_view(url.as_string()) : std::string_view();
               return text.ends_with('*')
                          ? request.path.starts_with(text.substr(0, text.size() - 1))
                          : request.path == text;
           });
}

bool fits(const Value& rules, const Request& request, const Result<Route>& route) {
    const bool is_about =
        std::ranges::any_of(items_of(rules.find("subjects")), [&](const Value& subject) {
            return is_about_user(subject, request.user);
        });
    if (!is_about) {
        return false;
    }
    const auto& list = items_of(rules.find(route ? "resourceRules" : "nonResourceRules"));
    return std::ranges::any_of(list, [&](const Value& rule) {
        return route ? fits_resource(rule, request, *route) : fits_path(rule, request);
    });
}

/// The condition that a schema's level is missing.
Value make_dangling(const Value& schema, bool is_missing, const Value* known, Time now) {
    const std::string_view status = is_missing ? "True" : "False";
    const bool is_same = known != nullptr && known->string_at("status") == status;
    return json::Object{
        {"type", "Dangling"},
        {"status", status},
        {"lastTransitionTime",
         is_same ? std::string(known->string_at("lastTransitionTime")) : api::to_string(now)},
        {"reason", is_missing ? "NotFound" : "Found"},
        {"message",
         fmt::format(
             "The PriorityLevelConfiguration \"{}\" of this FlowSchema {}.",
             level_of(schema),
             is_missing ? "does not exist" : "exists"
         )}
    };
}

std::int64_t shares_of(const Value& level) {
    for (const char* type : {"limited", "exempt"}) {
        if (const Value* part = level.find_path({"spec", type})) {
            return int_at(*part, "nominalConcurrencyShares", 0);
        }
    }
    return 0;
}

}  // namespace

FlowClass classify_request(const State& state, const Request& request) {
    const auto route = find_route(state.types, request.path);
    const Value* chosen = nullptr;
    std::int64_t lowest = 0;
    for (const auto& [name, schema] : state.store.objects(schemas_collection)) {
        const Value* spec = schema->find("spec");
        const std::int64_t precedence =
            spec == nullptr ? 0 : int_at(*spec, "matchingPrecedence", 1000);
        const bool is_before = chosen == nullptr || precedence < lowest;
        if (spec == nullptr || !is_before ||
            !state.store.find(levels_collection, {"", std::string(level_of(*schema))})) {
            continue;
        }
        if (std::ranges::any_of(items_of(spec->find("rules")), [&](const Value& rules) {
                return fits(rules, request, route);
            })) {
            chosen = schema.get();
            lowest = precedence;
        }
    }
    if (chosen == nullptr) {
        return {};
    }
    const Snapshot level =
        state.store.find(levels_collection, {"", std::string(level_of(*chosen))});
    return {
        .schema = std::string(chosen->find("metadata")->string_at("uid")),
        .level = std::string(level->find("metadata")->string_at("uid"))
    };
}

void settle_flow_schemas(State& state, const Collection& changed, Time now) {
    if (changed != schemas_collection && changed != levels_collection) {
        return;
    }
    const Store::Objects schemas = state.store.objects(schemas_collection);
    for (const auto& [name, schema] : schemas) {
        const bool is_missing =
            !state.store.find(levels_collection, {"", std::string(level_of(*schema))});
        json::Array conditions = items_of(schema->find_path({"status", "conditions"}));
        const auto known = std::ranges::find_if(conditions, [](const Value& each) {
            return each.string_at("type") == "Dangling";
        });
        Value made =
            make_dangling(*schema, is_missing, known == conditions.end() ? nullptr : &*known, now);
        if (known == conditions.end()) {
            conditions.push_back(std::move(made));
        } else if (*known == made) {
            continue;
        } else {
            *known = std::move(made);
        }
        Value written = *schema;
        object_at(written, "status").set("conditions", std::move(conditions));
        state.store.put(schemas_collection, name, std::move(written));
    }
}

std::string print_flow_metrics(const State& state) {
    const auto& levels = state.store.objects(levels_collection);
    std::int64_t sum = 0;
    for (const auto& [name, level] : levels) {
        sum += shares_of(*level);
    }
    constexpr std::string_view kName = "apiserver_flowcontrol_nominal_limit_seats";
    std::string text = fmt::format(
        "# HELP {0} Requests that a priority level may have at work.\n"
        "# TYPE {0} gauge\n",
        kName
    );
    for (const auto& [name, level] : levels) {
        const std::int64_t shares = shares_of(*level);
        const std::int64_t seats = sum == 0 ? 0 : (kSeats * shares + sum - 1) / sum;
        text += fmt::format("{}{{priority_level=\"{}\"}} {}\n", kName, name.name, seats);
    }
    return text;
}

}  // namespace sluice::apiserver
