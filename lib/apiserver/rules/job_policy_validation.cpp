#include "apiserver/rules/job_policy_validation.hpp"

#include "apiserver/objects/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::size_t kRulesMax = 20;
constexpr std::size_t kConditionsMax = 20;
constexpr std::size_t kExitCodesMax = 255;

/// Requires one of the texts; an empty text is a missing field.
void check_choice(
    Causes& causes,
    const std::string& path,
    std::string_view text,
    const std::vector<std::string>& choices
) {
    if (text.empty()) {
        std::string listed;
        for (const std::string& choice : choices) {
            listed += fmt::format("{}\"{}\"", listed.empty() ? "" : " ", choice);
        }
        causes.push_back(api::FieldError::required(path, fmt::format("valid values: [{}]", listed))
        );
    } else if (std::ranges::find(choices, text) == choices.end()) {
        causes.push_back(api::FieldError::not_supported(path, text, choices));
    }
}

bool names_container(const Value& spec, std::string_view name) {
    const Value* pod = spec.find_path({"template", "spec"});
    const auto has = [pod, name](std::string_view list) {
        return pod != nullptr &&
               std::ranges::any_of(items_of(pod->find(list)), [name](const Value& container) {
                   return container.string_at("name") == name;
               });
    };
    return has("containers") || has("initContainers");
}

void check_exit_values(Causes& causes, const std::string& path, const Value& codes) {
    const Value& values = member_or_null(codes, "values");
    const auto& items = items_of(&values);
    if (items.empty()) {
        causes.push_back(
            api::FieldError::invalid(path, json::Array(), "at least one value is required")
        );
        return;
    }
    if (items.size() > kExitCodesMax) {
        causes.push_back(api::FieldError::too_many(path, items.size(), kExitCodesMax));
    }
    bool is_ordered = true;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string here = fmt::format("{}[{}]", path, i);
        if (items[i] == Value(0) && codes.string_at("operator") == "In") {
            causes.push_back(
                api::FieldError::invalid(here, items[i], "must not be 0 for the In operator")
            );
        }
        const auto before = items.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::find(items.begin(), before, items[i]) != before) {
            causes.push_back(api::FieldError::duplicate(here, items[i]));
        }
        is_ordered = is_ordered && (i == 0 || !items[i].is_int() || !items[i - 1].is_int() ||
                                    items[i - 1].as_int() <= items[i].as_int());
    }
    if (!is_ordered) {
        causes.push_back(api::FieldError::invalid(path, values, "must be ordered"));
    }
}

void check_exit_codes(
    Causes& causes, const std::string& path, const Value& codes, const Value& spec
) {
    check_choice(causes, path + ".operator", codes.string_at("operator"), {"In", "NotIn"});
    const std::string_view container = codes.string_at("containerName");
    if (!container.empty() && !names_container(spec, container)) {
        causes.push_back(api::FieldError::invalid(
            path + ".containerName",
            container,
            "must be one of the container or initContainer names in the pod template"
        ));
    }
    check_exit_values(causes, path + ".values", codes);
}

void check_conditions(Causes& causes, const std::string& path, const json::Array& conditions) {
    if (conditions.size() > kConditionsMax) {
        causes.push_back(api::FieldError::too_many(path, conditions.size(), kConditionsMax));
    }
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        const std::string here = fmt::format("{}[{}]", path, i);
        check_qualified_name(causes, here + ".type", conditions[i].string_at("type"));
        check_choice(
            causes,
            here + ".status",
            conditions[i].string_at("status"),
            {"False", "True", "Unknown"}
        );
    }
}

/// Returns the fault of an invalid rule; its message does not print the rule.
Cause invalid_rule(const std::string& path, std::string_view why) {
    return {"FieldValueInvalid", fmt::format("Invalid value: {}", why), path};
}

void check_failure_rule(
    Causes& causes, const std::string& path, const Value& rule, const Value& spec
) {
    const std::string_view action = rule.string_at("action");
    check_choice(causes, path + ".action", action, {"Count", "FailIndex", "FailJob", "Ignore"});
    if (action == "FailIndex" && spec.find("backoffLimitPerIndex") == nullptr) {
        causes.push_back(api::FieldError::invalid(
            path + ".action", action, "requires the backoffLimitPerIndex to be set"
        ));
    }
    const Value* codes = rule.find("onExitCodes");
    const auto& conditions = items_of(rule.find("onPodConditions"));
    const bool has_codes = codes != nullptr && codes->is_object();
    if (has_codes) {
        check_exit_codes(causes, path + ".onExitCodes", *codes, spec);
    }
    check_conditions(causes, path + ".onPodConditions", conditions);
    if (has_codes && !conditions.empty()) {
        causes.push_back(
            invalid_rule(path, "specifying both OnExitCodes and OnPodConditions is not supported")
        );
    } else if (!has_codes && conditions.empty()) {
        causes.push_back(
            invalid_rule(path, "specifying one of OnExitCodes and OnPodConditions is required")
        );
    }
}

void check_failure_policy(Causes& causes, const std::string& path, const Value& spec) {
    const Value* policy = spec.find("podFailurePolicy");
    if (policy == nullptr || !policy->is_object()) {
        return;
    }
    const auto restart = text_at(spec, {"template", "spec", "restartPolicy"});
    if (restart != "Never") {
        causes.push_back(api::FieldError::invalid(
            path + ".template.spec.restartPolicy",
            restart,
            "only \"Never\" is supported when podFailurePolicy is specified"
        ));
    }
    const std::string list = path + ".podFailurePolicy.rules";
    const auto& rules = items_of(policy->find("rules"));
    if (rules.size() > kRulesMax) {
        causes.push_back(api::FieldError::too_many(list, rules.size(), kRulesMax));
    }
    for (std::size_t i = 0; i < rules.size(); ++i) {
        check_failure_rule(causes, fmt::format("{}[{}]", list, i), rules[i], spec);
    }
}

std::optional<std::int64_t> read_index(std::string_view text) {
    std::int64_t index = 0;
    const char* end = text.data() + text.size();
    const auto [rest, fault] = std::from_chars(text.data(), end, index);
    return fault == std::errc() && rest == end ? std::optional(index) : std::nullopt;
}

/// Parses indexes such as `0-2,4`: counts them, or returns why they are malformed.
class Indexes {
  public:
    explicit Indexes(std::int64_t completions) : completions_(completions) {}

    std::string read(std::string_view text) {
        while (!text.empty()) {
            const std::string_view part = text.substr(0, text.find(','));
            text.remove_prefix(std::min(text.size(), part.size() + 1));
            const std::size_t dash = part.find('-');
            if (auto fault = add(part.substr(0, dash), 1); !fault.empty()) {
                return fault;
            }
            if (dash != std::string_view::npos) {
                const std::int64_t first = previous_.value_or(0);
                if (auto fault = add(part.substr(dash + 1), 0); !fault.empty()) {
                    return fault;
                }
                count_ += previous_.value_or(0) - first;
            }
        }
        return "";
    }

    std::int64_t count() const { return count_; }

  private:
    std::string add(std::string_view text, std::int64_t counted) {
        const auto index = read_index(text);
        if (!index) {
            return fmt::format("cannot convert string to integer for index: \"{}\"", text);
        }
        if (*index >= completions_) {
            return fmt::format("too large index: \"{}\"", text);
        }
        if (previous_ && *previous_ >= *index) {
            return fmt::format(
                "non-increasing order, previous: {}, current: {}", *previous_, *index
            );
        }
        previous_ = index;
        count_ += counted;
        return "";
    }

    std::int64_t completions_;
    std::optional<std::int64_t> previous_;
    std::int64_t count_ = 0;
};

void check_success_rule(
    Causes& causes, const std::string& path, const Value& rule, std::int64_t completions
) {
    const Value* count = rule.find("succeededCount");
    const Value* indexes = rule.find("succeededIndexes");
    if (count == nullptr && indexes == nullptr) {
        causes.push_back(api::FieldError::required(
            path, "at least one of succeededCount or succeededIndexes must be specified"
        ));
        return;
    }
    std::optional<std::int64_t> among;
    if (indexes != nullptr && indexes->is_string()) {
        Indexes read(completions);
        if (const auto fault = read.read(indexes->as_string()); fault.empty()) {
            among = read.count();
        } else {
            causes.push_back(api::FieldError::invalid(
                path + ".succeededIndexes",
                *indexes,
                fmt::format("error parsing succeededIndexes: {}", fault)
            ));
        }
    }
    if (count == nullptr || !count->is_int()) {
        return;
    }
    const std::string field = path + ".succeededCount";
    if (count->as_int() < 0) {
        causes.push_back(
            api::FieldError::invalid(field, *count, "must be greater than or equal to 0")
        );
    } else if (count->as_int() > completions) {
        causes.push_back(api::FieldError::invalid(
            field,
            *count,
            fmt::format(
                "must be less than or equal to {} (the number of specified completions)",
                completions
            )
        ));
    } else if (among && count->as_int() > *among) {
        causes.push_back(api::FieldError::invalid(
            field,
            *count,
            fmt::format(
                "must be less than or equal to {} (the number of indexes in the specified "
                "succeededIndexes field)",
                *among
            )
        ));
    }
}

/// Returns the policy in the form of the API server's internal struct.
Value shown(const Value& policy) {
    json::Array rules;
    for (const Value& rule : items_of(policy.find("rules"))) {
        rules.push_back(json::Object{
            {"SucceededIndexes", member_or_null(rule, "succeededIndexes")},
            {"SucceededCount", member_or_null(rule, "succeededCount")}
        });
    }
    return json::Object{{"Rules", std::move(rules)}};
}

void check_success_policy(Causes& causes, const std::string& path, const Value& spec) {
    const Value* policy = spec.find("successPolicy");
    if (policy == nullptr || !policy->is_object()) {
        return;
    }
    const std::string here = path + ".successPolicy";
    if (spec.string_at("completionMode") != "Indexed") {
        causes.push_back(
            api::FieldError::invalid(here, shown(*policy), "requires indexed completion mode")
        );
        return;
    }
    const auto& rules = items_of(policy->find("rules"));
    if (rules.empty()) {
        causes.push_back(api::FieldError::required(
            here + ".rules",
            "at least one rules must be specified when the successPolicy is specified"
        ));
    }
    if (rules.size() > kRulesMax) {
        causes.push_back(api::FieldError::too_many(here + ".rules", rules.size(), kRulesMax));
    }
    const std::int64_t completions = int_at(spec, "completions", 0);
    for (std::size_t i = 0; i < rules.size(); ++i) {
        check_success_rule(causes, fmt::format("{}.rules[{}]", here, i), rules[i], completions);
    }
}

}  // namespace

void check_job_policies(Causes& causes, const std::string& path, const Value& spec) {
    check_failure_policy(causes, path, spec);
    check_success_policy(causes, path, spec);
}

}  // namespace sluice::apiserver
