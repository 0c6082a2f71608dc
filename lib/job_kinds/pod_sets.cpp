#include "job_kinds/pod_sets.hpp"

#include "api/meta/names.hpp"
#include "job_kinds/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::job_kinds {

namespace {

Location append(const Location& base, const Location& rest) {
    Location whole = base;
    whole.insert(whole.end(), rest.begin(), rest.end());
    return whole;
}

std::string text_below(const Location& base, std::string_view rest) {
    const std::string at = to_string(base);
    return at.empty() || rest.empty() ? at + std::string(rest) : fmt::format("{}.{}", at, rest);
}

std::string said_name_of(const PodSetRule& rule, const Found& element) {
    if (!rule.name_from) {
        return rule.name;
    }
    const json::Value* name = rule.name_from->find(*element.value);
    return name != nullptr && name->is_string() ? name->as_string() : std::string();
}

Result<std::string> name_of(
    const PodSetRule& rule, const Found& element, std::string_view said_name
) {
    std::string made = lower_case(said_name);
    if (!rule.name_from) {
        return made;
    }
    if (const auto problem = api::check_dns1123_label(made)) {
        return make_invalid(fmt::format(
            "{}: \"{}\" cannot be the name of a pod set: {}",
            text_below(element.location, rule.name_from->text()),
            made,
            *problem
        ));
    }
    return made;
}

Result<std::int32_t> number_of(const Number& number, const Found& element) {
    const auto value = number.evaluate(*element.value);
    if (!value) {
        return make_invalid(text_below(element.location, value.error().detail));
    }
    return value->value_or(1);
}

Result<DescribedPodSet> read_described_pod_set(const PodSetRule& rule, const Found& element) {
    DescribedPodSet made;
    made.rule = &rule;
    made.said_name = said_name_of(rule, element);
    auto name = name_of(rule, element, made.said_name);
    const auto replicas = number_of(rule.replicas, element);
    const auto pods = number_of(rule.pods_per_replica, element);
    if (!name || !replicas || !pods) {
        return !name ? name.error() : !replicas ? replicas.error() : pods.error();
    }
    made.name = std::move(*name);
    made.replicas = *replicas;
    made.pods_per_replica = *pods;
    const std::int64_t count = std::int64_t{made.replicas} * made.pods_per_replica;
    if (count > std::numeric_limits<std::int32_t>::max()) {
        return make_invalid(
            fmt::format("{}: {} pods are too many", to_string(element.location), count)
        );
    }
    made.pod_template = append(element.location, rule.pod_template.steps());
    return made;
}

}  // namespace

Result<std::vector<DescribedPodSet>> find_pod_sets(
    const Description& description, const json::Value& object
) {
    std::vector<DescribedPodSet> all;
    std::set<std::string> names;
    for (const PodSetRule& rule : description.pod_sets) {
        if (rule.when && !rule.when->holds(object)) {
            continue;
        }
        for (const Found& element : rule.at.find_all(object)) {
            auto pod_set = read_described_pod_set(rule, element);
            if (!pod_set) {
                return pod_set.error();
            }
            if (!names.insert(pod_set->name).second) {
                return make_invalid(fmt::format(
                    "{}: pod set \"{}\" is there twice", to_string(element.location), pod_set->name
                ));
            }
            all.push_back(std::move(*pod_set));
        }
    }
    return all;
}

std::vector<std::pair<std::string, std::int32_t>> find_reclaimable(
    const Description& description,
    const std::vector<DescribedPodSet>& pod_sets,
    const json::Value& object
) {
    std::vector<std::pair<std::string, std::int32_t>> reclaimable;
    if (!description.reclaimable) {
        return reclaimable;
    }
    const ReclaimableRule& rule = *description.reclaimable;
    std::map<std::string_view, std::int64_t> succeeded;
    for (const Found& entry : rule.at.find_all(object)) {
        const json::Value* name = rule.name.find(*entry.value);
        const json::Value* number = rule.succeeded.find(*entry.value);
        if (name != nullptr && name->is_string()) {
            succeeded[name->as_string()] =
                number != nullptr && number->is_int() ? number->as_int() : 0;
        }
    }
    for (const DescribedPodSet& pod_set : pod_sets) {
        const auto found = succeeded.find(pod_set.said_name);
        const std::int64_t limit = rule.counts_replicas ? pod_set.replicas : pod_set.count();
        if (found == succeeded.end() || found->second <= 0 || found->second > limit) {
            continue;
        }
        const auto ended = static_cast<std::int32_t>(found->second);
        reclaimable.emplace_back(
            pod_set.name, rule.counts_replicas ? ended * pod_set.pods_per_replica : ended
        );
    }
    return reclaimable;
}

}  // namespace sluice::job_kinds
