#include "apiserver/workload_validation.hpp"

#include "apiserver/pod_validation.hpp"
#include "apiserver/values.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace sluice::apiserver {
namespace {

using json::Value;

/// Selector, template and restart policy, which must fit together. `named`: the kind as messages of
/// an empty selector name it.
void check_pods(Causes& causes, const Value& spec, std::string_view named) {
    const Value* selector = spec.find("selector");
    const bool is_missing = selector == nullptr || selector->is_null();
    const std::size_t known = causes.size();
    check_label_selector(causes, "spec.selector", selector);
    const bool is_readable = causes.size() == known;
    if (is_missing) {
        causes.push_back(required_value("spec.selector"));
    } else if (members_of(selector).empty()) {
        causes.push_back(invalid_value(
            "spec.selector", *selector, "empty selector is invalid for " + std::string(named)
        ));
    }
    const Value& pod_template = member_or_null(spec, "template");
    const Value* labels = pod_template.find_path({"metadata", "labels"});
    if (!is_readable && named != "daemonset") {
        const auto* detail = named == "deployment" ? "invalid label selector" : "";
        causes.push_back(invalid_value("spec.selector", *selector, detail));
    } else if (is_readable && !selects(selector, labels)) {
        causes.push_back(invalid_value(
            "spec.template.metadata.labels",
            labels == nullptr ? Value() : *labels,
            "`selector` does not match template `labels`"
        ));
    }
    check_pod_template(causes, "spec.template", pod_template);
    const Value& pod = member_or_null(pod_template, "spec");
    const auto policy = pod.string_at("restartPolicy");
    if (policy == "Never" || policy == "OnFailure") {
        causes.push_back(unsupported_value("spec.template.spec.restartPolicy", policy, {"Always"}));
    }
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
            causes.push_back(forbidden(
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
        // The API server prints the type before the rest.
        causes.push_back(unsupported_value("spec.strategy", shown, {"Recreate", "RollingUpdate"}));
        causes.back().message = "Unsupported value: " + json::print(shown) +
                                ": supported values: \"Recreate\", \"RollingUpdate\"";
        return;
    }
    if (rolling == nullptr) {
        causes.push_back(required_value(
            "spec.strategy.rollingUpdate", "this should be defaulted and never be nil"
        ));
        return;
    }
    if (is_zero_amount(rolling->find("maxUnavailable")) &&
        is_zero_amount(rolling->find("maxSurge"))) {
        causes.push_back(invalid_value(
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
    check_pods(causes, spec, "deployment");
    check_strategy(causes, member_or_null(spec, "strategy"));
}

void check_replica_set(Causes& causes, const Value& replica_set) {
    const Value& spec = member_or_null(replica_set, "spec");
    check_not_negative(causes, "spec", spec, "replicas");
    check_not_negative(causes, "spec", spec, "minReadySeconds");
    check_pods(causes, spec, "deployment");
}

void check_daemon_set(Causes& causes, const Value& daemon_set) {
    const Value& spec = member_or_null(daemon_set, "spec");
    check_not_negative(causes, "spec", spec, "minReadySeconds");
    check_not_negative(causes, "spec", spec, "revisionHistoryLimit");
    check_pods(causes, spec, "daemonset");
}

void check_stateful_set(Causes& causes, const Value& stateful_set) {
    const Value& spec = member_or_null(stateful_set, "spec");
    check_one_of(causes, "spec", spec, "podManagementPolicy", {"OrderedReady", "Parallel"});
    const Value& strategy = member_or_null(spec, "updateStrategy");
    const Value* rolling = strategy.find("rollingUpdate");
    if (strategy.string_at("type") == "OnDelete" && rolling != nullptr) {
        const Value shown = json::Object{
            {"Partition", member_or_null(*rolling, "partition")},
            {"MaxUnavailable", member_or_null(*rolling, "maxUnavailable")},
        };
        causes.push_back(invalid_value(
            "spec.updateStrategy.rollingUpdate",
            shown,
            "only allowed for updateStrategy 'RollingUpdate'"
        ));
        causes.back().message = "Invalid value: " + json::print(shown) +
                                ": only allowed for updateStrategy 'RollingUpdate'";
    }
    check_one_of(causes, "spec.updateStrategy", strategy, "type", {"RollingUpdate", "OnDelete"});
    for (const auto* name : {"replicas", "minReadySeconds", "revisionHistoryLimit"}) {
        check_not_negative(causes, "spec", spec, name);
    }
    check_pods(causes, spec, "statefulset");
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
        causes.push_back(forbidden(
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
