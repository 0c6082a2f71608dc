#include "controller/jobs/reconciliation/pod_places.hpp"

#include "api/kueue/kueue_names.hpp"
#include "validation/go_numbers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace sluice::controller {

bool is_in(
    const api::Pod& pod, const std::vector<std::string>& levels, const api::AssignedDomain& domain
) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto found = pod.spec.node_selector.find(levels[i]);
        const std::string_view value =
            found == pod.spec.node_selector.end() ? std::string_view() : found->second;
        if (value != domain.values[i]) {
            return false;
        }
    }
    return true;
}

namespace {

/// The ranks that the pods of a pod set may have.
struct RankRules {
    const api::PodSetTopologyRequest* request = nullptr;
    std::int64_t count = 0;
    std::int64_t offset = 0;     ///< the index of the pod with rank 0
    std::int64_t index_end = 0;  ///< indexes are below
};

/// Returns a number below `end` from the pod's label; nullopt if the label is missing or has
/// anything else.
std::optional<std::int64_t> find_index(
    const api::Pod& pod, const std::string& label, std::int64_t end
) {
    const std::string* text = pod.metadata.find_label(label);
    const auto number =
        text == nullptr ? std::nullopt : validation::parse_decimal<std::uint32_t>(*text);
    return number && *number < end ? std::optional<std::int64_t>(*number) : std::nullopt;
}

std::int64_t assigned_count(
    const api::Workload& workload, const api::PodSetAssignment& assignment
) {
    const auto pod_set =
        std::ranges::find(workload.spec.pod_sets, assignment.name, &api::PodSet::name);
    const std::int32_t asked = pod_set == workload.spec.pod_sets.end() ? 0 : pod_set->count;
    return assignment.count.value_or(asked);
}

const api::PodSetTopologyRequest* find_request(
    const api::Workload& workload, const std::string& pod_set
) {
    const auto found = std::ranges::find(workload.spec.pod_sets, pod_set, &api::PodSet::name);
    if (found == workload.spec.pod_sets.end()) {
        return nullptr;
    }
    const auto& request = found->topology_request;
    return request ? &*request : nullptr;
}

/// Returns how many pods of the group precede the pod set's own: the leader's, for the workers. The
/// leader is the smaller pod set; of equal ones, the first.
std::int64_t pods_before(const api::Workload& workload, const api::PodSetAssignment& assignment) {
    const auto* request = find_request(workload, assignment.name);
    const auto& admission = workload.status.admission;
    if (request == nullptr || !request->pod_set_group_name || !admission) {
        return 0;
    }
    bool is_first = true;
    for (const auto& other : admission->pod_set_assignments) {
        if (other.name == assignment.name) {
            is_first = false;
            continue;
        }
        const auto* others = find_request(workload, other.name);
        if (others == nullptr || others->pod_set_group_name != request->pod_set_group_name) {
            continue;
        }
        const std::int64_t count = assigned_count(workload, other);
        const std::int64_t own = assigned_count(workload, assignment);
        return count < own || (count == own && is_first) ? count : 0;
    }
    return 0;
}

RankRules make_rules(
    const api::Workload& workload, const api::PodSetAssignment& assignment, const Pods& pods
) {
    RankRules rules;
    rules.request = find_request(workload, assignment.name);
    rules.count = assigned_count(workload, assignment);
    rules.offset = pods_before(workload, assignment);
    const std::string* annotated =
        pods.empty() ? nullptr
                     : pods.front()->metadata.find_annotation(api::annotation::kPodIndexOffset);
    if (annotated != nullptr) {
        const auto offset = validation::parse_decimal<std::int32_t>(*annotated);
        rules.offset += offset.value_or(0);
        rules.request = offset ? rules.request : nullptr;  // without ranks, in order
    }
    rules.index_end = rules.count + rules.offset;
    return rules;
}

/// Returns the pod's rank in its pod set; nullopt if its labels do not say it.
std::optional<std::int64_t> find_rank(const api::Pod& pod, const RankRules& rules) {
    const auto& label_of_pods = rules.request->pod_index_label;
    const auto index =
        label_of_pods ? find_index(pod, *label_of_pods, rules.index_end) : std::nullopt;
    if (!index) {
        return std::nullopt;
    }
    std::int64_t rank = *index - rules.offset;
    if (const auto& label = rules.request->sub_group_index_label) {
        const std::int32_t groups = rules.request->sub_group_count.value_or(0);
        const auto group = find_index(pod, *label, groups);
        const std::int64_t size = groups <= 0 ? 0 : rules.count / groups;
        if (!group || *index >= size) {
            return std::nullopt;
        }
        rank += *group * size;
    }
    return rank >= 0 && rank < rules.count ? std::optional(rank) : std::nullopt;
}

bool waits_for_domain(const api::Pod& pod) {
    return has_scheduling_gate(pod, api::scheduling_gate::kTopology);
}

/// Returns nullopt if a pod has no valid rank of its own, or runs in another domain than its
/// rank's.
std::optional<std::vector<PlacedPod>> place_by_rank(
    const RankRules& rules, const api::DomainAssignment& domains, const Pods& pods
) {
    if (rules.request == nullptr || !rules.request->pod_index_label) {
        return std::nullopt;
    }
    std::vector<std::int64_t> ends;  // the rank after the last of each domain
    ends.reserve(domains.domains.size());
    std::int64_t end = 0;
    for (const api::AssignedDomain& domain : domains.domains) {
        end += domain.count;
        ends.push_back(end);
    }
    std::map<std::int64_t, const api::Pod*> by_rank;
    std::vector<PlacedPod> placed;
    for (const auto& pod : pods) {
        const auto rank = find_rank(*pod, rules);
        if (!rank || *rank >= end || !by_rank.emplace(*rank, pod.get()).second) {
            return std::nullopt;
        }
        const auto domain =
            static_cast<std::size_t>(std::ranges::upper_bound(ends, *rank) - ends.begin());
        if (waits_for_domain(*pod)) {
            placed.push_back({.pod = pod.get(), .domain = domain});
        } else if (!is_in(*pod, domains.levels, domains.domains[domain])) {
            return std::nullopt;
        }
    }
    return placed;
}

std::vector<PlacedPod> place_in_order(const api::DomainAssignment& domains, const Pods& pods) {
    std::map<std::vector<std::string>, std::int64_t> running;
    std::vector<const api::Pod*> gated;
    for (const auto& pod : pods) {
        if (waits_for_domain(*pod)) {
            gated.push_back(pod.get());
            continue;
        }
        std::vector<std::string> values;
        for (const std::string& level : domains.levels) {
            const auto found = pod->spec.node_selector.find(level);
            values.push_back(found == pod->spec.node_selector.end() ? "" : found->second);
        }
        ++running[std::move(values)];
    }
    std::vector<PlacedPod> placed;
    auto next = gated.begin();
    for (std::size_t i = 0; i < domains.domains.size() && next != gated.end(); ++i) {
        const auto there = running.find(domains.domains[i].values);
        std::int64_t room = domains.domains[i].count - (there == running.end() ? 0 : there->second);
        for (; room > 0 && next != gated.end(); --room, ++next) {
            placed.push_back({.pod = *next, .domain = i});
        }
    }
    return placed;
}

}  // namespace

std::vector<PlacedPod> place_pods(
    const api::Workload& workload,
    const api::PodSetAssignment& assignment,
    const api::DomainAssignment& domains,
    const Pods& pods
) {
    auto by_rank = place_by_rank(make_rules(workload, assignment, pods), domains, pods);
    return by_rank ? std::move(*by_rank) : place_in_order(domains, pods);
}

bool has_scheduling_gate(const api::Pod& pod, std::string_view gate) {
    return std::ranges::any_of(pod.spec.scheduling_gates, [gate](const auto& each) {
        return each.name == gate;
    });
}

}  // namespace sluice::controller
