#include "apiserver/scaler_versions.hpp"

#include "apiserver/values.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Array;
using json::Object;
using json::Value;

/// Where v1 keeps what it has no field for: the member and its path in v2.
struct Kept {
    const char* annotation;
    const char* part;
    const char* name;
};
constexpr Kept kKept[] = {
    {"autoscaling.alpha.kubernetes.io/metrics", "spec", "metrics"},
    {"autoscaling.alpha.kubernetes.io/behavior", "spec", "behavior"},
    {"autoscaling.alpha.kubernetes.io/current-metrics", "status", "currentMetrics"},
    {"autoscaling.alpha.kubernetes.io/conditions", "status", "conditions"},
};

bool is_cpu(const Value& metric) {
    const Value* name = metric.find_path({"resource", "name"});
    return metric.string_at("type") == "Resource" && name != nullptr && *name == Value("cpu");
}

Value cpu_metric(std::string_view side, Value amounts) {
    return Object{
        {"type", "Resource"},
        {"resource", Object{{"name", "cpu"}, {std::string(side), std::move(amounts)}}}
    };
}

void erase_member(Value& object, std::string_view part, std::string_view name) {
    if (Value* found = object.find(part); found != nullptr && found->is_object()) {
        found->erase(name);
    }
}

}  // namespace

Value to_new_scaler(Value scaler) {
    scaler.set("apiVersion", "autoscaling/v2");
    for (const auto& [annotation, part, name] : kKept) {
        const Value* text = scaler.find_path({"metadata", "annotations", annotation});
        if (text == nullptr || !text->is_string()) {
            continue;
        }
        auto content = json::parse(text->as_string());
        erase_member(object_at(scaler, "metadata"), "annotations", annotation);
        if (content) {
            object_at(scaler, part).set(name, std::move(*content));
        }
    }
    if (members_of(scaler.find_path({"metadata", "annotations"})).empty()) {
        erase_member(scaler, "metadata", "annotations");
    }
    Value& spec = object_at(scaler, "spec");
    if (const Value* target = spec.find("targetCPUUtilizationPercentage")) {
        Array metrics{
            cpu_metric("target", Object{{"type", "Utilization"}, {"averageUtilization", *target}})
        };
        for (const Value& other : items_of(spec.find("metrics"))) {
            metrics.push_back(other);
        }
        spec.set("metrics", std::move(metrics));
        spec.erase("targetCPUUtilizationPercentage");
    }
    if (Value* status = scaler.find("status"); status != nullptr && status->is_object()) {
        if (const Value* now = status->find("currentCPUUtilizationPercentage")) {
            Array metrics{cpu_metric("current", Object{{"averageUtilization", *now}})};
            for (const Value& other : items_of(status->find("currentMetrics"))) {
                metrics.push_back(other);
            }
            status->set("currentMetrics", std::move(metrics));
            status->erase("currentCPUUtilizationPercentage");
        }
    }
    return scaler;
}

Value to_old_scaler(Value scaler) {
    scaler.set("apiVersion", "autoscaling/v1");
    const auto split = [&scaler](
                           const char* part,
                           const char* list,
                           std::initializer_list<std::string_view> path,
                           const char* name
                       ) {
        const Value* found = scaler.find_path({part, list});
        Array others;
        for (const Value& metric : Array(items_of(found))) {
            const Value* amount = is_cpu(metric) ? metric.find_path(path) : nullptr;
            if (amount != nullptr && amount->is_int()) {
                object_at(scaler, part).set(name, *amount);
            } else {
                others.push_back(metric);
            }
        }
        erase_member(scaler, part, list);
        if (!others.empty()) {
            object_at(scaler, part).set(list, std::move(others));
        }
    };
    split(
        "spec",
        "metrics",
        {"resource", "target", "averageUtilization"},
        "targetCPUUtilizationPercentage"
    );
    split(
        "status",
        "currentMetrics",
        {"resource", "current", "averageUtilization"},
        "currentCPUUtilizationPercentage"
    );
    for (const auto& [annotation, part, name] : kKept) {
        const Value* found = scaler.find_path({part, name});
        if (found != nullptr && !found->is_null()) {
            const std::string text = json::print(*found);
            erase_member(scaler, part, name);
            object_at(object_at(scaler, "metadata"), "annotations").set(annotation, text);
        }
    }
    return scaler;
}

}  // namespace sluice::apiserver
