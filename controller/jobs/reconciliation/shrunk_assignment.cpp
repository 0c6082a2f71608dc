#include "controller/jobs/reconciliation/shrunk_assignment.hpp"

#include "api/core/pod.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "controller/reconcile/pod_life.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

/// Returns the domains with `count` pods, first those where pods are; nullopt while more pods are
/// there, or some end.
std::optional<api::DomainAssignment> keep(
    api::DomainAssignment domains, const Pods& pods, std::int64_t count
) {
    const bool is_ending = std::ranges::any_of(pods, [](const auto& pod) {
        return pod->metadata.deletion_timestamp.has_value();
    });
    if (is_ending || std::ssize(pods) > count) {
        return std::nullopt;
    }
    std::vector<std::int64_t> kept(domains.domains.size());
    std::int64_t left = count;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        kept[i] = std::min<std::int64_t>(
            domains.domains[i].count,
            std::ranges::count_if(
                pods,
                [&](const auto& pod) { return is_in(*pod, domains.levels, domains.domains[i]); }
            )
        );
        left -= kept[i];
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const std::int64_t more =
            std::clamp<std::int64_t>(domains.domains[i].count - kept[i], 0, left);
        left -= more;
        domains.domains[i].count = kept[i] + more;
    }
    std::erase_if(domains.domains, [](const auto& domain) { return domain.count == 0; });
    return domains;
}

}  // namespace

std::optional<api::Admission> without_left_domains(
    const View& view, const api::Workload& workload, const Pods& row
) {
    if (!view.settings.elastic_topologies || !workload.status.admission) {
        return std::nullopt;
    }
    api::Admission made = *workload.status.admission;
    bool is_changed = false;
    for (api::PodSetAssignment& assignment : made.pod_set_assignments) {
        const auto pod_set =
            std::ranges::find(workload.spec.pod_sets, assignment.name, &api::PodSet::name);
        if (!assignment.topology_assignment || pod_set == workload.spec.pod_sets.end()) {
            continue;
        }
        auto domains = api::decode(*assignment.topology_assignment);
        std::int64_t assigned = 0;
        for (const auto& domain : domains.domains) {
            assigned += domain.count;
        }
        if (assigned <= pod_set->count) {
            continue;
        }
        Pods pods;
        std::ranges::copy_if(row, std::back_inserter(pods), [&pod_set](const auto& pod) {
            const std::string* of = pod->metadata.find_label(api::label::kPodSet);
            return of != nullptr && *of == pod_set->name && !has_ended(*pod);
        });
        auto kept = keep(std::move(domains), pods, pod_set->count);
        if (kept) {
            assignment.topology_assignment = api::encode(
                *kept,
                view.settings.gates.tas_encode_hostname_prefixes
                    ? api::AssignmentEncoding::HostnamePrefixes
                    : api::AssignmentEncoding::OneSlice
            );
            is_changed = true;
        }
    }
    return is_changed ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace sluice::controller
