#include "apiserver/scaler_validation.hpp"

#include "api/quantity.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

/// Where each type of metric says what it is about.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSources{
    {{"Object", "object"},
     {"External", "external"},
     {"Pods", "pods"},
     {"Resource", "resource"},
     {"ContainerResource", "containerResource"}}
};
constexpr std::int64_t kWindowMost = 3600;
constexpr std::int64_t kPeriodMost = 1800;

void check_reference(Causes& causes, const std::string& path, const Value& reference) {
    for (const char* const name : {"kind", "name"}) {
        const std::string_view text = reference.string_at(name);
        if (text.empty()) {
            causes.push_back(required_value(fmt::format("{}.{}", path, name)));
            continue;
        }
        for (const char bad : {'/', '%'}) {
            if (text.find(bad) != std::string_view::npos) {
                causes.push_back(invalid_value(
                    fmt::format("{}.{}", path, name), text, fmt::format("may not contain '{}'", bad)
                ));
            }
        }
    }
}

/// A group and a version; ReplicationControllers alone have no group, and may be scaled.
void check_target_version(Causes& causes, const Value& target) {
    const std::string_view version = target.string_at("apiVersion");
    const auto slashes = std::ranges::count(version, '/');
    std::string why;
    if (slashes > 1) {
        why = fmt::format("unexpected GroupVersion string: {}", version);
    } else if ((slashes == 0 || version.starts_with('/')) &&
               target.string_at("kind") != "ReplicationController") {
        why = "apiVersion must specify API group";
    }
    if (!why.empty()) {
        causes.push_back(invalid_value("spec.scaleTargetRef.apiVersion", version, why));
    }
}

void check_positive(Causes& causes, const std::string& path, const Value* amount) {
    if (amount == nullptr || amount->is_null()) {
        return;
    }
    const auto read =
        api::Quantity::parse(amount->is_string() ? amount->as_string() : json::print(*amount));
    if (read && read->sign() <= 0) {
        causes.push_back(invalid_value(path, *amount, "must be positive"));
    }
}

void check_target(Causes& causes, const std::string& path, const Value& target) {
    const std::string_view type = target.string_at("type");
    if (type.empty()) {
        causes.push_back(required_value(path + ".type", "must specify a metric target type"));
    }
    if (type != "Utilization" && type != "Value" && type != "AverageValue") {
        causes.push_back(invalid_value(
            path + ".type", type, "must be either Utilization, Value, or AverageValue"
        ));
    }
    check_positive(causes, path + ".value", target.find("value"));
    check_positive(causes, path + ".averageValue", target.find("averageValue"));
    const Value* utilization = target.find("averageUtilization");
    if (utilization != nullptr && utilization->is_int() && utilization->as_int() < 1) {
        causes.push_back(
            invalid_value(path + ".averageUtilization", *utilization, "must be greater than 0")
        );
    }
}

/// Of a resource of pods or of one of their containers.
void check_resource_source(Causes& causes, const std::string& path, const Value& source) {
    if (source.string_at("name").empty()) {
        causes.push_back(required_value(path + ".name", "must specify a resource name"));
    }
    const Value& target = member_or_null(source, "target");
    const bool has_share = target.find("averageUtilization") != nullptr;
    const bool has_value = target.find("averageValue") != nullptr;
    check_target(causes, path + ".target", target);
    if (!has_share && !has_value) {
        causes.push_back(required_value(
            path + ".target.averageUtilization",
            "must set either a target raw value or a target utilization"
        ));
    }
    if (has_share && has_value) {
        causes.push_back(forbidden(
            path + ".target.averageValue",
            "may not set both a target raw value and a target utilization"
        ));
    }
}

void check_metric_name(Causes& causes, const std::string& path, const Value& source) {
    if (text_at(source, {"metric", "name"}).empty()) {
        causes.push_back(required_value(path + ".metric.name", "must specify a metric name"));
    }
}

void check_source(
    Causes& causes, const std::string& path, std::string_view name, const Value& source
) {
    const Value& target = member_or_null(source, "target");
    if (name == "resource" || name == "containerResource") {
        if (name == "containerResource" && source.string_at("container").empty()) {
            causes.push_back(required_value(path + ".container", "must specify a container"));
        }
        check_resource_source(causes, path, source);
        return;
    }
    if (name == "object") {
        check_reference(
            causes, path + ".describedObject", member_or_null(source, "describedObject")
        );
    }
    check_metric_name(causes, path, source);
    check_target(causes, path + ".target", target);
    const bool has_value = target.find("value") != nullptr;
    const bool has_average = target.find("averageValue") != nullptr;
    if (name == "pods" && !has_average) {
        causes.push_back(required_value(
            path + ".target.averageValue", "must specify a positive target averageValue"
        ));
    } else if (name != "pods" && !has_value && !has_average) {
        causes.push_back(required_value(
            path + ".target.averageValue",
            name == "external" ? "must set either a target value for metric or a per-pod target"
                               : "must set either a target value or averageValue"
        ));
    } else if (name == "external" && has_value && has_average) {
        causes.push_back(forbidden(
            path + ".target.value",
            "may not set both a target value for metric and a per-pod target"
        ));
    }
}

void check_metric(Causes& causes, const std::string& path, const Value& metric) {
    static const std::vector<std::string> kTypes{
        "ContainerResource", "External", "Object", "Pods", "Resource"
    };
    const std::string_view type = metric.string_at("type");
    if (type.empty()) {
        causes.push_back(required_value(path + ".type", "must specify a metric source type"));
    }
    const bool is_known = std::ranges::find(kTypes, type) != kTypes.end();
    const auto refuse_type = [&] {
        causes.push_back(unsupported_value(path + ".type", type, kTypes));
    };
    if (!is_known) {
        refuse_type();
    }
    std::vector<std::string_view> present;
    std::string_view expected;
    for (const auto& [of_type, name] : kSources) {
        const Value* source = metric.find(name);
        expected = of_type == type ? name : expected;
        if (source == nullptr || source->is_null()) {
            continue;
        }
        present.push_back(name);
        if (present.size() == 1) {
            check_source(causes, fmt::format("{}.{}", path, name), name, *source);
        }
    }
    if (!is_known) {
        refuse_type();
    } else if (std::ranges::find(present, expected) == present.end()) {
        causes.push_back(required_value(
            fmt::format("{}.{}", path, expected),
            "must populate information for the given metric source"
        ));
    }
    if (present.size() != 1) {
        for (const std::string_view name : present) {
            if (name != expected) {
                causes.push_back(forbidden(
                    fmt::format("{}.{}", path, name), "must populate the given metric source only"
                ));
            }
        }
    }
}

void check_scaling_policy(Causes& causes, const std::string& path, const Value& policy) {
    const std::string_view type = policy.string_at("type");
    if (type != "Pods" && type != "Percent") {
        causes.push_back(unsupported_value(path + ".type", type, {"Percent", "Pods"}));
    }
    for (const char* const name : {"value", "periodSeconds"}) {
        if (const std::int64_t number = int_at(policy, name, 0); number <= 0) {
            causes.push_back(
                invalid_value(fmt::format("{}.{}", path, name), number, "must be greater than zero")
            );
        }
    }
    if (const std::int64_t period = int_at(policy, "periodSeconds", 0); period > kPeriodMost) {
        causes.push_back(invalid_value(
            path + ".periodSeconds",
            period,
            fmt::format("must be less than or equal to {}", kPeriodMost)
        ));
    }
}

void check_scaling_rules(Causes& causes, const std::string& path, const Value* rules) {
    if (rules == nullptr || !rules->is_object()) {
        return;
    }
    const std::string window_path = path + ".stabilizationWindowSeconds";
    const std::int64_t window = int_at(*rules, "stabilizationWindowSeconds", 0);
    if (window < 0) {
        causes.push_back(invalid_value(window_path, window, "must be greater than or equal to zero")
        );
    } else if (window > kWindowMost) {
        causes.push_back(invalid_value(
            window_path, window, fmt::format("must be less than or equal to {}", kWindowMost)
        ));
    }
    check_one_of(causes, path, *rules, "selectPolicy", {"Disabled", "Max", "Min"});
    const auto& policies = items_of(rules->find("policies"));
    if (policies.empty()) {
        causes.push_back(required_value(path + ".policies", "must specify at least one Policy"));
    }
    for (std::size_t i = 0; i < policies.size(); ++i) {
        check_scaling_policy(causes, element_path(path + ".policies", i), policies[i]);
    }
}

}  // namespace

void check_scaler(Causes& causes, const Value& scaler) {
    const Value& spec = member_or_null(scaler, "spec");
    const std::int64_t least = int_at(spec, "minReplicas", 1);
    const std::int64_t most = int_at(spec, "maxReplicas", 0);
    if (least < 1) {
        causes.push_back(
            invalid_value("spec.minReplicas", least, "must be greater than or equal to 1")
        );
    }
    if (most == 0) {
        causes.push_back(required_value("spec.maxReplicas", "must be set and greater than 0"));
    } else if (most < 0) {
        causes.push_back(
            invalid_value("spec.maxReplicas", most, "must be greater than or equal to 1")
        );
    }
    if (most < least) {
        causes.push_back(invalid_value(
            "spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"
        ));
    }
    const Value& target = member_or_null(spec, "scaleTargetRef");
    check_reference(causes, "spec.scaleTargetRef", target);
    check_target_version(causes, target);
    const auto& metrics = items_of(spec.find("metrics"));
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        check_metric(causes, element_path("spec.metrics", i), metrics[i]);
    }
    const bool is_measured = std::ranges::any_of(metrics, [](const Value& metric) {
        return metric.string_at("type") == "Object" || metric.string_at("type") == "External";
    });
    if (least == 0 && !is_measured) {
        causes.push_back(forbidden(
            "spec.metrics",
            "must specify at least one Object or External metric to support scaling to zero "
            "replicas"
        ));
    }
    const Value* utilization = spec.find("targetCPUUtilizationPercentage");
    if (utilization != nullptr && utilization->is_int() && utilization->as_int() < 1) {
        causes.push_back(invalid_value(
            "spec.metrics[0].resource.target.averageUtilization",
            *utilization,
            "must be greater than 0"
        ));
    }
    const Value& behavior = member_or_null(spec, "behavior");
    check_scaling_rules(causes, "spec.behavior.scaleUp", behavior.find("scaleUp"));
    check_scaling_rules(causes, "spec.behavior.scaleDown", behavior.find("scaleDown"));
}

}  // namespace sluice::apiserver
