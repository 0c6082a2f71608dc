#include "apiserver/rules/workload_validation.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/rules/pod_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

/// Checks that selector, pod template and restart policy fit together. `named`: the kind as
/// messages about an empty selector name it.
void check_pods(
    Causes& causes, const Value& spec, std::string_view named, const Value& pod_template
) {
    const Value* selector = spec.find("selector");
    const bool is_missing = selector == nullptr || selector->is_null();
    const std::size_t known = causes.size();
    check_label_selector(causes, "spec.selector", selector);
    const bool is_readable = causes.size() == known;
    if (is_missing) {
        causes.push_back(api::FieldError::required("spec.selector"));
    } else if (members_of(selector).empty()) {
        causes.push_back(api::FieldError::invalid(
            "spec.selector", *selector, "empty selector is invalid for " + std::string(named)
        ));
    }
    const Value* labels = pod_template.find_path({"metadata", "labels"});
    if (!is_readable && named != "daemonset") {
        const auto* detail = named == "deployment" ? "invalid label selector" : "";
        causes.push_back(api::FieldError::invalid("spec.selector", *selector, detail));
    } else if (is_readable && !selects(selector, labels)) {
        causes.push_back(api::FieldError::invalid(
            "spec.template.metadata.labels",
            labels == nullptr ? Value() : *labels,
            "`selector` does not match template `labels`"
        ));
    }
    check_pod_template(causes, "spec.template", pod_template);
    const Value& pod = member_or_null(pod_template, "spec");
    const auto policy = pod.string_at("restartPolicy");
    if (policy == "Never" || policy == "OnFailure") {
        causes.push_back(
            api::FieldError::not_supported("spec.template.spec.restartPolicy", policy, {"Always"})
        );
    }
}

/// Returns the pod template of a StatefulSet in the form that its pods have: with the claims among
/// the volumes, and without the hostname and subdomain, which its controller sets.
Value template_of_set(const Value& spec) {
    Value pod_template = member_or_null(spec, "template");
    Value* pod = pod_template.is_object() ? pod_template.find("spec") : nullptr;
    if (pod == nullptr || !pod->is_object()) {
        return pod_template;
    }
    pod->erase("hostname");
    pod->erase("subdomain");
    const auto& claims = items_of(spec.find("volumeClaimTemplates"));
    if (claims.empty()) {
        return pod_template;
    }
    json::Array volumes;
    std::set<std::string_view> claimed;
    for (const Value& claim : claims) {
        const std::string_view name = text_at(claim, {"metadata", "name"});
        if (!claimed.insert(name).second) {
            continue;
        }
        const Value source = json::Object{{"claimName", name}};
        volumes.emplace_back(json::Object{{"name", name}, {"persistentVolumeClaim", source}});
    }
    for (const Value& volume : items_of(pod->find("volumes"))) {
        if (!claimed.contains(volume.string_at("name"))) {
            volumes.push_back(volume);
        }
    }
    pod->set("volumes", std::move(volumes));
    return pod_template;
}

bool is_zero_amount(const Value* amount) {
    if (amount == nullptr) {
        return true;
    }
    return *amount == Value(0) ||
           (amount->is_string() && (amount->as_string() == "0" || amount->as_string() == "0%"));
}

void check_strategy(Causes& causes, const Value& strategy) {
    const auto type = strategy.string_at("type");
    const Value* rolling = strategy.find("rollingUpdate");
    if (type == "Recreate") {
        if (rolling != nullptr) {
            causes.push_back(api::FieldError::forbidden(
                "spec.strategy.rollingUpdate",
                "may not be specified when strategy `type` is 'Recreate'"
            ));
        }
        return;
    }
    if (type != "RollingUpdate") {
        const Value shown = json::Object{
            {"Type", std::string(type)},
            {"RollingUpdate", rolling == nullptr ? Value() : *rolling},
        };
        // The API server prints the type before the other fields.
        causes.push_back(
            api::FieldError::not_supported("spec.strategy", shown, {"Recreate", "RollingUpdate"})
        );
        causes.back().message = "Unsupported value: " + json::print(shown) +
                                ": supported values: \"Recreate\", \"RollingUpdate\"";
        return;
    }
    if (rolling == nullptr) {
        causes.push_back(api::FieldError::required(
            "spec.strategy.rollingUpdate", "this should be defaulted and never be nil"
        ));
        return;
    }
    if (is_zero_amount(rolling->find("maxUnavailable")) &&
        is_zero_amount(rolling->find("maxSurge"))) {
        causes.push_back(api::FieldError::invalid(
            "spec.strategy.rollingUpdate.maxUnavailable",
            member_or_null(*rolling, "maxUnavailable"),
            "may not be 0 when `maxSurge` is 0"
        ));
    }
}

}  // namespace

void check_deployment(Causes& causes, const Value& deployment) {
    const Value& spec = member_or_null(deployment, "spec");
    for (const auto* name :
         {"replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"}) {
        check_not_negative(causes, "spec", spec, name);
    }
    check_pods(causes, spec, "deployment", member_or_null(spec, "template"));
    check_strategy(causes, member_or_null(spec, "strategy"));
}

void check_replica_set(Causes& causes, const Value& replica_set) {
    const Value& spec = member_or_null(replica_set, "spec");
    check_not_negative(causes, "spec", spec, "replicas");
    check_not_negative(causes, "spec", spec, "minReadySeconds");
    check_pods(causes, spec, "deployment", member_or_null(spec, "template"));
}

void check_stateful_set(Causes& causes, const Value& stateful_set) {
    const Value& spec = member_or_null(stateful_set, "spec");
    const std::string_view policy = spec.string_at("podManagementPolicy");
    if (policy != "OrderedReady" && policy != "Parallel") {
        causes.push_back(api::FieldError::invalid(
            "spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"
        ));
    }
    const Value& strategy = member_or_null(spec, "updateStrategy");
    const Value* rolling = strategy.find("rollingUpdate");
    if (strategy.string_at("type") == "OnDelete" && rolling != nullptr) {
        const Value shown = json::Object{
            {"Partition", member_or_null(*rolling, "partition")},
            {"MaxUnavailable", member_or_null(*rolling, "maxUnavailable")},
        };
        causes.push_back(api::FieldError::invalid(
            "spec.updateStrategy.rollingUpdate",
            shown,
            "only allowed for updateStrategy 'RollingUpdate'"
        ));
        causes.back().message = "Invalid value: " + json::print(shown) +
                                ": only allowed for updateStrategy 'RollingUpdate'";
    }
    const std::string_view type = strategy.string_at("type");
    if (type == "RollingUpdate" && rolling != nullptr) {
        check_not_negative(causes, "spec.updateStrategy.rollingUpdate", *rolling, "partition");
    } else if (type != "RollingUpdate" && type != "OnDelete") {
        const Value shown = json::Object{
            {"Type", type}, {"RollingUpdate", member_or_null(strategy, "rollingUpdate")}
        };
        constexpr std::string_view kDetail = "must be 'RollingUpdate' or 'OnDelete'";
        causes.push_back(api::FieldError::invalid("spec.updateStrategy", shown, kDetail));
        // The API server prints the type before the other fields.
        causes.back().message = fmt::format("Invalid value: {}: {}", json::print(shown), kDetail);
    }
    check_not_negative(causes, "spec", spec, "replicas");
    check_not_negative(causes, "spec", spec, "minReadySeconds");
    check_not_negative(causes, "spec.ordinals", member_or_null(spec, "ordinals"), "start");
    if (const auto service = spec.string_at("serviceName"); !service.empty()) {
        check_label(causes, "spec.serviceName", service);
    }
    check_pods(causes, spec, "statefulset", template_of_set(spec));
    if (spec.find_path({"template", "spec", "activeDeadlineSeconds"}) != nullptr) {
        causes.push_back(api::FieldError::forbidden(
            "spec.template.spec.activeDeadlineSeconds",
            "activeDeadlineSeconds in StatefulSet is not Supported"
        ));
    }
}

void check_stateful_set_update(Causes& causes, const Value& set, const Value& old_set) {
    constexpr std::array<std::string_view, 7> kMutable{
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    };
    Value spec = member_or_null(set, "spec");
    Value old_spec = member_or_null(old_set, "spec");
    for (const auto name : kMutable) {
        spec.erase(name);
        old_spec.erase(name);
    }
    if (!(spec == old_spec)) {
        causes.push_back(api::FieldError::forbidden(
            "spec",
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
            "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
            "'minReadySeconds' are forbidden"
        ));
    }
}

void check_selector_update(Causes& causes, const Value& object, const Value& old_object) {
    check_unchanged(
        causes,
        "spec",
        member_or_null(object, "spec"),
        member_or_null(old_object, "spec"),
        "selector"
    );
}

}  // namespace sluice::apiserver
