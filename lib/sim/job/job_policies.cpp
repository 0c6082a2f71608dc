#include "sim/job/job_policies.hpp"

#include "sim/objects/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::sim {

namespace {

const json::Value* find_failed_container(
    const json::Array& statuses, const json::Value& requirement
) {
    const std::string_view name = requirement.string_at("containerName");
    const bool is_in = requirement.string_at("operator") == "In";
    for (const json::Value& status : statuses) {
        const auto code = find_int(status, {"state", "terminated", "exitCode"});
        const bool is_named = name.empty() || status.string_at("name") == name;
        if (!code || *code == 0 || !is_named) {
            continue;
        }
        const json::Array& values = list_at(requirement, {"values"});
        if ((std::ranges::find(values, json::Value(*code)) != values.end()) == is_in) {
            return &status;
        }
    }
    return nullptr;
}

/// Returns the part of the pod that matches the rule, for people; empty if the rule does not match.
std::string find_match(const json::Value& rule, const json::Value& pod) {
    const std::string name = fmt::format(
        "{}/{}", text_at(pod, {"metadata", "namespace"}), text_at(pod, {"metadata", "name"})
    );
    if (const json::Value* codes = rule.find("onExitCodes")) {
        const json::Value* container =
            find_failed_container(list_at(pod, {"status", "containerStatuses"}), *codes);
        if (container == nullptr) {
            container =
                find_failed_container(list_at(pod, {"status", "initContainerStatuses"}), *codes);
        }
        return container == nullptr
                   ? std::string()
                   : fmt::format(
                         "Container {} for pod {} failed with exit code {}",
                         container->string_at("name"),
                         name,
                         find_int(*container, {"state", "terminated", "exitCode"}).value_or(0)
                     );
    }
    for (const json::Value& condition : list_at(pod, {"status", "conditions"})) {
        for (const json::Value& pattern : list_at(rule, {"onPodConditions"})) {
            if (condition.string_at("type") == pattern.string_at("type") &&
                condition.string_at("status") == pattern.string_at("status")) {
                return fmt::format("Pod {} has condition {}", name, condition.string_at("type"));
            }
        }
    }
    return "";
}

}  // namespace

FailureVerdict judge_failure(const json::Value& job, const JobPod& pod) {
    const json::Array& rules = list_at(job, {"spec", "podFailurePolicy", "rules"});
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const std::string match = find_match(rules[i], *pod.object);
        if (match.empty()) {
            continue;
        }
        const std::string_view action = rules[i].string_at("action");
        FailureVerdict verdict;
        verdict.is_counted = action != "Ignore";
        verdict.fails_index = action == "FailIndex";
        if (action == "FailJob") {
            verdict.job_message = fmt::format("{} matching {} rule at index {}", match, action, i);
        }
        return verdict;
    }
    return {};
}

std::string find_met_success_rule(
    const json::Value& job, const IndexSet& succeeded, std::int64_t completions
) {
    if (succeeded.empty()) {
        return "";
    }
    const json::Array& rules = list_at(job, {"spec", "successPolicy", "rules"});
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const auto count = find_int(rules[i], {"succeededCount"});
        bool is_met = false;
        if (rules[i].find("succeededIndexes") != nullptr) {
            const auto wanted =
                IndexSet::parse(rules[i].string_at("succeededIndexes"), completions);
            const std::int64_t there = wanted.count_common(succeeded);
            is_met = !wanted.empty() && (there == wanted.size() || (count && there >= *count));
        } else {
            is_met = count && succeeded.size() >= *count;
        }
        if (is_met) {
            return fmt::format("Matched rules at index {}", i);
        }
    }
    return "";
}

}  // namespace sluice::sim
