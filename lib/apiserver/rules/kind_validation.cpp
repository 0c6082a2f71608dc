#include "apiserver/rules/kind_validation.hpp"

#include "api/meta/names.hpp"
#include "api/meta/quantity.hpp"
#include "apiserver/objects/cause.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/rules/pod_validation.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>

namespace sluice::apiserver {
namespace {

using json::Value;

void check_keys(Causes& causes, const Value& object, std::string_view list) {
    for (const auto& [key, value] : members_of(object.find(list))) {
        const bool fits = !key.empty() && key.size() <= 253 && key != "." && key != ".." &&
                          std::all_of(key.begin(), key.end(), [](unsigned char c) {
                              return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
                          });
        if (!fits) {
            const auto problem = api::pattern_problem(
                "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                "[-._a-zA-Z0-9]+",
                {"key.name", "KEY_NAME", "key-name"}
            );
            causes.push_back(
                api::FieldError::invalid(fmt::format("{}[{}]", list, key), key, problem)
            );
        }
    }
}

void check_immutable_data(
    Causes& causes,
    const Value& object,
    const Value& old_object,
    std::initializer_list<const char*> fields
) {
    if (!is_true(old_object, "immutable")) {
        return;
    }
    constexpr std::string_view kDetail = "field is immutable when `immutable` is set";
    if (!is_true(object, "immutable")) {
        causes.push_back(api::FieldError::forbidden("immutable", kDetail));
    }
    for (const auto* field : fields) {
        if (!(member_or_null(object, field) == member_or_null(old_object, field))) {
            causes.push_back(api::FieldError::forbidden(field, kDetail));
        }
    }
}

std::optional<api::Quantity> amount_of(const Value* value) {
    if (value == nullptr || !value->is_string()) {
        return std::nullopt;
    }
    const auto parsed = api::Quantity::parse(value->as_string());
    return parsed ? std::optional(*parsed) : std::nullopt;
}

/// The rule that one amount must not exceed another, for each resource that both lists have.
struct Order {
    const char* low;
    const char* high;
    const char* reported_at;  ///< the field that the message names
    const char* low_name;     ///< the list's name in the message
    const char* high_name;
};

void check_order(Causes& causes, const std::string& path, const Value& limit, const Order& order) {
    for (const auto& [name, value] : members_of(limit.find(order.low))) {
        const auto low = amount_of(&value);
        const Value* upper = limit.find(order.high);
        const auto high = amount_of(upper == nullptr ? nullptr : upper->find(name));
        if (!low || !high || *low <= *high) {
            continue;
        }
        // For a default, the message shows the value that the default falls below.
        const bool shows_low = std::string_view(order.reported_at) == "default";
        const Value* shown = shows_low ? &value : limit.find(order.reported_at)->find(name);
        const auto detail = fmt::format(
            "{} value {} is greater than {} value {}",
            order.low_name,
            low->to_string(),
            order.high_name,
            high->to_string()
        );
        causes.push_back(api::FieldError::invalid(
            fmt::format("{}.{}[{}]", path, order.reported_at, name), *shown, detail
        ));
    }
}

/// The maximum size of the data of a ConfigMap or Secret, in bytes.
constexpr std::size_t kDataMax = std::size_t{1} << 20U;

std::size_t text_size(const Value* data) {
    std::size_t sum = 0;
    for (const auto& [key, value] : members_of(data)) {
        sum += value.is_string() ? value.as_string().size() : 0;
    }
    return sum;
}

/// Returns the total size in bytes of base64 values when decoded.
std::size_t decoded_size(const Value* data) {
    std::size_t sum = 0;
    for (const auto& [key, value] : members_of(data)) {
        if (value.is_string()) {
            const std::string& text = value.as_string();
            const auto padding = std::ranges::count(text, '=');
            sum += text.size() / 4 * 3 - static_cast<std::size_t>(padding);
        }
    }
    return sum;
}

}  // namespace

void check_config_map(Causes& causes, const Value& map) {
    check_keys(causes, map, "data");
    check_keys(causes, map, "binaryData");
    for (const auto& [key, value] : members_of(map.find("binaryData"))) {
        const Value* data = map.find("data");
        if (data != nullptr && data->find(key) != nullptr) {
            causes.push_back(api::FieldError::invalid(
                fmt::format("data[{}]", key), key, "duplicate of key present in binaryData"
            ));
        }
    }
    if (text_size(map.find("data")) + decoded_size(map.find("binaryData")) > kDataMax) {
        causes.push_back(api::FieldError::too_long("[]", kDataMax));
    }
}

void check_config_map_update(Causes& causes, const Value& map, const Value& old_map) {
    check_immutable_data(causes, map, old_map, {"data", "binaryData"});
}

void check_secret(Causes& causes, const Value& secret) {
    check_keys(causes, secret, "data");
    if (decoded_size(secret.find("data")) > kDataMax) {
        causes.push_back(api::FieldError::too_long("data", kDataMax));
    }
    constexpr std::pair<std::string_view, std::string_view> kRequired[] = {
        {"kubernetes.io/dockercfg", ".dockercfg"},
        {"kubernetes.io/dockerconfigjson", ".dockerconfigjson"},
        {"kubernetes.io/tls", "tls.crt"},
        {"kubernetes.io/tls", "tls.key"},
        {"kubernetes.io/ssh-auth", "ssh-privatekey"},
    };
    const Value* data = secret.find("data");
    for (const auto& [type, key] : kRequired) {
        if (secret.string_at("type") == type && (data == nullptr || data->find(key) == nullptr)) {
            causes.push_back(api::FieldError::required(fmt::format("data[{}]", key)));
        }
    }
}

void check_secret_update(Causes& causes, const Value& secret, const Value& old_secret) {
    check_unchanged(causes, "", secret, old_secret, "type");
    check_immutable_data(causes, secret, old_secret, {"data"});
}

void check_event(Causes& causes, const Value& event) {
    const Value& metadata = member_or_null(event, "metadata");
    const Value& about = member_or_null(event, "involvedObject");
    const auto space = about.string_at("namespace");
    const auto own = metadata.string_at("namespace");
    // Events about objects without a namespace are in the default namespace.
    const bool fits = space == own || (space.empty() && own == "default");
    if (!fits) {
        causes.push_back(api::FieldError::invalid(
            "involvedObject.namespace", space, "does not match event.namespace"
        ));
    }
}

void check_limit_range(Causes& causes, const Value& range) {
    const auto& limits = items_of(member_or_null(range, "spec").find("limits"));
    std::set<std::string> types;
    for (std::size_t i = 0; i < limits.size(); ++i) {
        const auto path = element_path("spec.limits", i);
        const std::string type(limits[i].string_at("type"));
        if (!types.insert(type).second) {
            causes.push_back(api::FieldError::duplicate(path + ".type", type));
        }
        for (const Order& order :
             {Order{"min", "max", "min", "min", "max"},
              Order{"min", "defaultRequest", "defaultRequest", "min", "default request"},
              Order{"defaultRequest", "max", "defaultRequest", "default request", "max"},
              Order{
                  "defaultRequest", "default", "defaultRequest", "default request", "default limit"
              },
              Order{"min", "default", "default", "min", "default"},
              Order{"default", "max", "default", "default", "max"}}) {
            check_order(causes, path, limits[i], order);
        }
    }
}

void check_node(Causes& causes, const Value& node) {
    const auto& taints = items_of(member_or_null(node, "spec").find("taints"));
    std::set<std::string> seen;
    for (std::size_t i = 0; i < taints.size(); ++i) {
        const auto path = element_path("metadata.taints", i);
        const auto& taint = taints[i];
        check_qualified_name(causes, path + ".key", taint.string_at("key"));
        add_problems(
            causes,
            path + ".value",
            taint.string_at("value"),
            api::find_label_value_problems(taint.string_at("value"))
        );
        if (taint.string_at("effect").empty()) {
            causes.push_back(api::FieldError::required(path + ".effect"));
        }
        check_one_of(
            causes, path, taint, "effect", {"NoSchedule", "PreferNoSchedule", "NoExecute"}
        );
        const auto identity =
            fmt::format("{}:{}", taint.string_at("key"), taint.string_at("effect"));
        if (!seen.insert(identity).second) {
            causes.push_back(api::FieldError::duplicate(path, taint));
            causes.back().message += ": taints must be unique by key and effect pair";
        }
    }
}

void check_lease(Causes& causes, const Value& lease) {
    const Value& spec = member_or_null(lease, "spec");
    const Value* seconds = spec.find("leaseDurationSeconds");
    if (seconds != nullptr && seconds->is_int() && seconds->as_int() <= 0) {
        causes.push_back(api::FieldError::invalid(
            "spec.leaseDurationSeconds", *seconds, "must be greater than 0"
        ));
    }
    const Value* transitions = spec.find("leaseTransitions");
    if (transitions != nullptr && transitions->is_int() && transitions->as_int() < 0) {
        causes.push_back(api::FieldError::invalid(
            "spec.leaseTransitions", *transitions, "must be greater than or equal to 0"
        ));
    }
}

void check_runtime_class(Causes& causes, const Value& runtime_class) {
    const auto handler = runtime_class.string_at("handler");
    if (handler.empty()) {
        causes.push_back(api::FieldError::required("handler"));
    } else {
        check_label(causes, "handler", handler);
    }
    check_overhead(causes, "overhead.podFixed", runtime_class.find_path({"overhead", "podFixed"}));
}

void check_runtime_class_update(
    Causes& causes, const Value& runtime_class, const Value& old_runtime_class
) {
    check_unchanged(causes, "", runtime_class, old_runtime_class, "handler");
}

void check_role(Causes& causes, const Value& role) {
    const auto& rules = items_of(role.find("rules"));
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const auto path = element_path("rules", i);
        if (items_of(rules[i].find("verbs")).empty()) {
            causes.push_back(
                api::FieldError::required(path + ".verbs", "verbs must contain at least one value")
            );
        }
        const bool has_urls = !items_of(rules[i].find("nonResourceURLs")).empty();
        if (has_urls) {
            continue;
        }
        if (items_of(rules[i].find("apiGroups")).empty()) {
            causes.push_back(api::FieldError::required(
                path + ".apiGroups", "resource rules must supply at least one api group"
            ));
        }
        if (items_of(rules[i].find("resources")).empty()) {
            causes.push_back(api::FieldError::required(
                path + ".resources", "resource rules must supply at least one resource"
            ));
        }
    }
}

void check_role_binding(Causes& causes, const Value& binding) {
    const Value& role = member_or_null(binding, "roleRef");
    check_one_of(causes, "roleRef", role, "apiGroup", {"rbac.authorization.k8s.io"});
    check_one_of(causes, "roleRef", role, "kind", {"Role", "ClusterRole"});
    if (role.string_at("name").empty()) {
        causes.push_back(api::FieldError::required("roleRef.name"));
    }
    const auto& subjects = items_of(binding.find("subjects"));
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        const auto path = element_path("subjects", i);
        if (subjects[i].string_at("name").empty()) {
            causes.push_back(api::FieldError::required(path + ".name"));
        }
        check_one_of(causes, path, subjects[i], "kind", {"ServiceAccount", "User", "Group"});
        if (subjects[i].string_at("kind") == "ServiceAccount" &&
            subjects[i].string_at("namespace").empty()) {
            causes.push_back(api::FieldError::required(path + ".namespace"));
        }
    }
}

void check_role_binding_update(Causes& causes, const Value& binding, const Value& old_binding) {
    const Value& role = member_or_null(binding, "roleRef");
    if (role == member_or_null(old_binding, "roleRef")) {
        return;
    }
    const Value shown = json::Object{
        {"APIGroup", member_or_null(role, "apiGroup")},
        {"Kind", member_or_null(role, "kind")},
        {"Name", member_or_null(role, "name")},
    };
    causes.push_back(api::FieldError::invalid("roleRef", shown, "cannot change roleRef"));
}

void check_priority_class(Causes& causes, const Value& priority_class) {
    constexpr std::int64_t kMost = 1'000'000'000;
    const Value& metadata = member_or_null(priority_class, "metadata");
    if (metadata.string_at("name").starts_with("system-")) {
        return;
    }
    if (int_at(priority_class, "value", 0) > kMost) {
        causes.push_back(api::FieldError::forbidden(
            "value", fmt::format("maximum allowed value of a user defined priority is {}", kMost)
        ));
    }
    const auto policy = priority_class.string_at("preemptionPolicy");
    if (!policy.empty() && policy != "PreemptLowerPriority" && policy != "Never") {
        causes.push_back(api::FieldError::not_supported(
            "preemptionPolicy", policy, {"PreemptLowerPriority", "Never"}
        ));
    }
}

void check_priority_class_update(
    Causes& causes, const Value& priority_class, const Value& old_priority_class
) {
    if (int_at(priority_class, "value", 0) != int_at(old_priority_class, "value", 0)) {
        causes.push_back(api::FieldError::forbidden("value", "may not be changed in an update."));
    }
    check_unchanged(causes, "", priority_class, old_priority_class, "preemptionPolicy");
}

}  // namespace sluice::apiserver
