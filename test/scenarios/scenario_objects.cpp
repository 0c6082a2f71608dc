#include "scenarios/scenario_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace sluice::scenarios {

namespace {

Error invalid(std::string detail) {
    return {ErrorCode::Invalid, std::move(detail), {}, 0};
}

template <class Enum, std::size_t N>
Result<Enum> one_of(
    std::string_view text, const std::array<std::pair<std::string_view, Enum>, N>& known
) {
    for (const auto& [name, value] : known) {
        if (name == text) {
            return value;
        }
    }
    return invalid(fmt::format("'{}' is not known", text));
}

constexpr std::array<std::pair<std::string_view, engine::PreemptionPolicy>, 4> kPolicies = {{
    {"Never", engine::PreemptionPolicy::Never},
    {"LowerPriority", engine::PreemptionPolicy::LowerPriority},
    {"LowerOrNewerEqualPriority", engine::PreemptionPolicy::LowerOrNewerEqualPriority},
    {"Any", engine::PreemptionPolicy::Any},
}};
constexpr std::array<std::pair<std::string_view, engine::FungibilityPolicy>, 2> kFungibility = {{
    {"MayStopSearch", engine::FungibilityPolicy::MayStopSearch},
    {"TryNextFlavor", engine::FungibilityPolicy::TryNextFlavor},
}};
constexpr std::array<std::pair<std::string_view, engine::FungibilityPreference>, 2> kPreferences = {
    {
        {"BorrowingOverPreemption", engine::FungibilityPreference::BorrowingOverPreemption},
        {"PreemptionOverBorrowing", engine::FungibilityPreference::PreemptionOverBorrowing},
    }
};
constexpr std::array<std::pair<std::string_view, engine::QueueingStrategy>, 2> kStrategies = {{
    {"StrictFIFO", engine::QueueingStrategy::StrictFIFO},
    {"BestEffortFIFO", engine::QueueingStrategy::BestEffortFIFO},
}};
constexpr std::array<std::pair<std::string_view, engine::FairSharingStrategy>, 2> kFair = {{
    {"LessThanOrEqualToFinalShare", engine::FairSharingStrategy::LessThanOrEqualToFinalShare},
    {"LessThanInitialShare", engine::FairSharingStrategy::LessThanInitialShare},
}};
constexpr std::array<std::pair<std::string_view, bool engine::Gates::*>, 13> kGates = {{
    {"PartialAdmission", &engine::Gates::partial_admission},
    {"FlavorFungibility", &engine::Gates::flavor_fungibility},
    {"FlavorFungibilityPreserveScanProgress",
     &engine::Gates::flavor_fungibility_preserve_scan_progress},
    {"PrioritySortingWithinCohort", &engine::Gates::priority_sorting_within_cohort},
    {"FairSharingPreemptWithinNominal", &engine::Gates::fair_sharing_preempt_within_nominal},
    {"FairSharingPrioritizeNonBorrowing", &engine::Gates::fair_sharing_prioritize_non_borrowing},
    {"SluicePreventFairSharingLoops", &engine::Gates::prevent_fair_sharing_loops},
    {"SchedulingEquivalenceHashing", &engine::Gates::scheduling_equivalence_hashing},
    {"PrioritizePreemptorWorkloads", &engine::Gates::prioritize_preemptor_workloads},
    {"RecomputeAssignmentUponPreemptionTargetsOverlap",
     &engine::Gates::recompute_assignment_upon_overlap},
    {"ElasticJobsViaWorkloadSlices", &engine::Gates::elastic_jobs},
    {"ReclaimablePods", &engine::Gates::reclaimable_pods},
    {"PreemptionGates", &engine::Gates::preemption_gates},
}};

engine::Amount amount_of(std::string_view text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return text == "unlimited" ? engine::Amount::unlimited() : engine::Amount(value);
}

/// 4, or "4 borrow=2 lend=1".
engine::ResourceQuota parse_quota(const json::Value& value) {
    if (value.is_int()) {
        return {.nominal = engine::Amount(value.as_int())};
    }
    const Line line = parse_line(value.is_string() ? value.as_string() : "");
    engine::ResourceQuota quota{.nominal = amount_of(line.name)};
    if (const auto limit = line.find("borrow")) {
        quota.borrowing_limit = amount_of(*limit);
    }
    if (const auto limit = line.find("lend")) {
        quota.lending_limit = amount_of(*limit);
    }
    return quota;
}

Result<engine::ResourceGroup> parse_group(const json::Value& flavors) {
    engine::ResourceGroup group;
    for (const auto& [flavor, resources] : flavors.as_object()) {
        if (!resources.is_object()) {
            return invalid(fmt::format("flavor {}: not a map of resources", flavor));
        }
        engine::FlavorQuotas quotas{flavor, {}};
        std::vector<std::string> covered;
        for (const auto& [resource, quota] : resources.as_object()) {
            covered.push_back(resource);
            quotas.quotas.push_back(parse_quota(quota));
        }
        if (!group.flavors.empty() && covered != group.covered_resources) {
            return invalid(fmt::format("flavor {}: other resources than the one before", flavor));
        }
        group.covered_resources = std::move(covered);
        group.flavors.push_back(std::move(quotas));
    }
    return group;
}

Result<void> parse_preemption(const json::Value& value, engine::Preemption& preemption) {
    for (const auto& [word, setting] : value.as_object()) {
        if (word == "threshold") {
            preemption.max_priority_threshold = static_cast<std::int32_t>(setting.as_int());
            continue;
        }
        const auto policy = one_of(setting.as_string(), kPolicies);
        if (!policy) {
            return policy.error();
        }
        if (word == "within") {
            preemption.within_cluster_queue = *policy;
        } else if (word == "reclaim") {
            preemption.reclaim_within_cohort = *policy;
        } else if (word == "borrow") {
            preemption.borrow_within_cohort = *policy != engine::PreemptionPolicy::Never;
        } else {
            return invalid("preemption has no " + word);
        }
    }
    return {};
}

Result<void> parse_fungibility(const json::Value& value, engine::ClusterQueue& queue) {
    for (const auto& [word, setting] : value.as_object()) {
        if (word == "preference") {
            const auto preference = one_of(setting.as_string(), kPreferences);
            if (!preference) {
                return preference.error();
            }
            queue.preference = *preference;
            continue;
        }
        const auto policy = one_of(setting.as_string(), kFungibility);
        if (!policy) {
            return policy.error();
        }
        if (word != "borrow" && word != "preempt") {
            return invalid("fungibility has no " + word);
        }
        (word == "borrow" ? queue.when_can_borrow : queue.when_can_preempt) = *policy;
    }
    return {};
}

Result<void> parse_admission_fair_sharing(const json::Value& value, engine::Options& options) {
    options.admission_fair_sharing = true;
    for (const auto& [word, setting] : value.as_object()) {
        if (word == "halfLife") {
            options.usage_half_life = std::chrono::seconds(setting.as_int());
        } else if (word == "interval") {
            options.usage_sampling_interval = std::chrono::seconds(setting.as_int());
        } else if (word == "weights") {
            for (const auto& [resource, weight] : setting.as_object()) {
                options.resource_weights[resource] = weight.as_double();
            }
        } else {
            return invalid("admissionFairSharing has no " + word);
        }
    }
    return {};
}

bool is_setting(std::string_view word) {
    constexpr std::array<std::string_view, 10> kSettings = {
        "admissionFairSharing",
        "cohort",
        "flavors",
        "groups",
        "strategy",
        "preemption",
        "fungibility",
        "generation",
        "weight",
        "stopped",
    };
    return std::find(kSettings.begin(), kSettings.end(), word) != kSettings.end();
}

}  // namespace

std::optional<std::string> Line::find(std::string_view word) const {
    const auto found = parts.front().find(word);
    return found == parts.front().end() ? std::nullopt : std::optional(found->second);
}

std::int64_t Line::number(std::string_view word, std::int64_t otherwise) const {
    const auto text = find(word);
    return text ? amount_of(*text).value() : otherwise;
}

Line parse_line(std::string_view text) {
    Line line;
    line.parts.emplace_back();
    std::istringstream words{std::string(text)};
    words >> line.name;
    for (std::string word; words >> word;) {
        if (word == "|") {
            line.parts.emplace_back();
            continue;
        }
        const std::size_t equals = word.find('=');
        line.parts.back()[word.substr(0, equals)] =
            equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    return line;
}

Result<engine::Options> parse_options(const json::Value* value) {
    engine::Options options;
    if (value == nullptr) {
        return options;
    }
    for (const auto& [word, setting] : value->as_object()) {
        if (word == "fairSharing") {
            options.fair_sharing = setting.as_bool();
        } else if (word == "preemptionStrategies") {
            options.fair_sharing_strategies.clear();
            for (const json::Value& name : setting.as_array()) {
                const auto strategy = one_of(name.as_string(), kFair);
                if (!strategy) {
                    return strategy.error();
                }
                options.fair_sharing_strategies.push_back(*strategy);
            }
        } else if (word == "ignoreUndeclared") {
            options.quota_check_strategy = setting.as_bool()
                                               ? engine::QuotaCheckStrategy::IgnoreUndeclared
                                               : engine::QuotaCheckStrategy::BlockUndeclared;
        } else if (word == "gates") {
            for (const auto& [name, on] : setting.as_object()) {
                const auto gate = one_of(name, kGates);
                if (!gate) {
                    return gate.error();
                }
                options.gates.*(*gate) = on.as_bool();
            }
        } else if (word == "wakeBatch") {
            options.wake_batch = std::chrono::seconds(setting.as_int());
        } else if (word == "admissionFairSharing") {
            if (auto parsed = parse_admission_fair_sharing(setting, options); !parsed) {
                return parsed.error();
            }
        } else if (word == "blockAdmission") {
            options.block_admission_until_pods_ready = setting.as_bool();
        } else {
            return invalid("options have no " + word);
        }
    }
    return options;
}

Result<std::vector<engine::ResourceGroup>> parse_groups(const json::Value& queue) {
    json::Array groups;
    if (const json::Value* given = queue.find("groups")) {
        groups = given->as_array();
    } else if (const json::Value* flavors = queue.find("flavors")) {
        groups = {*flavors};
    } else {
        json::Object quotas;
        for (const auto& [word, value] : queue.as_object()) {
            if (!is_setting(word)) {
                quotas.emplace_back(word, value);
            }
        }
        if (!quotas.empty()) {
            groups = {json::Object{{"default", std::move(quotas)}}};
        }
    }
    std::vector<engine::ResourceGroup> result;
    for (const json::Value& group : groups) {
        auto parsed = parse_group(group);
        if (!parsed) {
            return parsed.error();
        }
        result.push_back(std::move(*parsed));
    }
    return result;
}

Result<engine::ClusterQueue> parse_queue(const std::string& name, const json::Value& value) {
    engine::ClusterQueue queue;
    queue.name = name;
    auto groups = parse_groups(value);
    if (!groups) {
        return groups.error();
    }
    queue.resource_groups = std::move(*groups);
    queue.cohort = value.string_at("cohort");
    if (const json::Value* preemption = value.find("preemption")) {
        if (auto parsed = parse_preemption(*preemption, queue.preemption); !parsed) {
            return parsed.error();
        }
    }
    if (const json::Value* fungibility = value.find("fungibility")) {
        if (auto parsed = parse_fungibility(*fungibility, queue); !parsed) {
            return parsed.error();
        }
    }
    if (const json::Value* strategy = value.find("strategy")) {
        const auto parsed = one_of(strategy->as_string(), kStrategies);
        if (!parsed) {
            return parsed.error();
        }
        queue.strategy = *parsed;
    }
    if (const json::Value* weight = value.find("weight")) {
        queue.fair_weight = weight->as_double();
    }
    if (const json::Value* generation = value.find("generation")) {
        queue.generation = generation->as_int();
    }
    if (const json::Value* stopped = value.find("stopped")) {
        queue.accepts_workloads = !stopped->as_bool();
    }
    if (const json::Value* mode = value.find("admissionFairSharing")) {
        queue.admission_fair_sharing = mode->as_bool();
    }
    return queue;
}

}  // namespace sluice::scenarios
