#include "api/kueue/kueue_names.hpp"
#include "validation/topology_request_rules.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

namespace sluice::validation {

namespace {

namespace annotation = api::annotation;

const std::string* find_topology(const PodSetTopology& pod_set, const char* key) {
    return pod_set.pod_template.find_annotation(key);
}

/// Returns true if the pod set has one of the annotations without which its group is ignored.
bool asks_for_place(const PodSetTopology& pod_set) {
    return find_topology(pod_set, annotation::kPodSetRequiredTopology) != nullptr ||
           find_topology(pod_set, annotation::kPodSetPreferredTopology) != nullptr;
}

bool is_same(const PodSetTopology& a, const PodSetTopology& b, const char* key) {
    const std::string* first = find_topology(a, key);
    const std::string* second = find_topology(b, key);
    return first == nullptr || second == nullptr ? first == second : *first == *second;
}

/// Returns true if both pod sets request the same topology. `required` takes precedence over
/// `preferred`.
bool asks_for_same(const PodSetTopology& a, const PodSetTopology& b) {
    const bool is_required = find_topology(a, annotation::kPodSetRequiredTopology) != nullptr ||
                             find_topology(b, annotation::kPodSetRequiredTopology) != nullptr;
    return is_same(
        a,
        b,
        is_required ? annotation::kPodSetRequiredTopology : annotation::kPodSetPreferredTopology
    );
}

/// Printed by Kueue instead of the name of a field that it does not know.
constexpr std::string_view kNoField = "<nil>";

std::string annotations_of(const PodSetTopology& pod_set) {
    return pod_set.path.empty() ? std::string(kNoField) : pod_set.path + ".annotations";
}

api::FieldError wrong_group(
    const PodSetTopology& pod_set, const std::string& group, const std::string& detail
) {
    return api::FieldError::invalid(
        fmt::format(
            "{}[{}]",
            pod_set.path.empty() ? std::string() : annotations_of(pod_set),
            annotation::kPodSetGroupName
        ),
        group,
        detail
    );
}

api::FieldError inconsistent(
    const PodSetTopology& pod_set, const PodSetTopology& other, const std::string& group
) {
    return {
        api::FieldError::Class::Invalid,
        annotations_of(pod_set),
        std::nullopt,
        fmt::format(
            "must specify '{}' or '{}' topology consistent with '{}' in group '{}'",
            annotation::kPodSetRequiredTopology,
            annotation::kPodSetPreferredTopology,
            annotations_of(other),
            group
        ),
    };
}

void check_group(
    const std::string& group,
    const std::vector<const PodSetTopology*>& members,
    api::FieldErrors& errors
) {
    if (members.size() != 2) {
        for (const PodSetTopology* pod_set : members) {
            errors.push_back(wrong_group(
                *pod_set,
                group,
                fmt::format(
                    "can only define groups of exactly 2 pod sets, got: {} pod set(s)",
                    members.size()
                )
            ));
        }
        return;
    }
    const PodSetTopology& first = *members[0];
    const PodSetTopology& second = *members[1];
    if (first.count != 1 && second.count != 1) {
        const std::string detail = fmt::format(
            "can only define groups where at least one pod set has only 1 replica, got: {} "
            "replica(s) and {} replica(s) in the group",
            first.count,
            second.count
        );
        errors.push_back(wrong_group(first, group, detail));
        errors.push_back(wrong_group(second, group, detail));
    }
    if (!asks_for_same(first, second)) {
        errors.push_back(inconsistent(first, second, group));
        errors.push_back(inconsistent(second, first, group));
    }
}

}  // namespace

api::FieldErrors validate_pod_set_groups(const std::vector<PodSetTopology>& pod_sets) {
    std::vector<std::pair<std::string, std::vector<const PodSetTopology*>>> groups;
    std::map<std::string_view, std::size_t> places;
    for (const PodSetTopology& pod_set : pod_sets) {
        const std::string* group =
            pod_set.pod_template.find_annotation(annotation::kPodSetGroupName);
        if (group == nullptr || !asks_for_place(pod_set)) {
            continue;
        }
        const auto [place, is_new] = places.emplace(*group, groups.size());
        if (is_new) {
            groups.emplace_back(*group, std::vector<const PodSetTopology*>());
        }
        groups[place->second].second.push_back(&pod_set);
    }
    api::FieldErrors errors;
    for (const auto& [group, members] : groups) {
        check_group(group, members, errors);
    }
    return errors;
}

}  // namespace sluice::validation
