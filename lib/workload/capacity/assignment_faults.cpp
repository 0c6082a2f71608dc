#include "workload/capacity/assignment_faults.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "workload/capacity/placed_pods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace sluice::workload {
namespace {

/// Returns the number of pods in a slice; 1 without slices.
std::int64_t slice_size(const std::optional<api::PodSetTopologyRequest>& request) {
    if (!request) {
        return 1;
    }
    const auto& layers = request->podset_slice_required_topology_constraints;
    return layers.empty() ? request->pod_set_slice_size.value_or(1) : layers.front().size;
}

class FaultSearch {
  public:
    explicit FaultSearch(const CapacityInput& input) : nodes_(input.nodes) {
        for (const auto* flavor : input.flavors) {
            flavors_[flavor->metadata.name] = flavor;
        }
        for (const auto* topology : input.topologies) {
            topologies_[topology->metadata.name] = topology;
        }
    }

    std::string faults_of(const api::Workload& workload, const api::Admission& admission) {
        std::vector<std::string> found;
        for (const auto& pod_set : admission.pod_set_assignments) {
            if (auto fault = fault_of(workload, pod_set)) {
                found.push_back(fmt::format("{}: {}", pod_set.name, *fault));
            }
        }
        return fmt::format("{}", fmt::join(found, "; "));
    }

  private:
    const api::Topology* topology_of(const api::PodSetAssignment& pod_set) const {
        for (const auto& [resource, name] : pod_set.flavors) {
            const auto flavor = flavors_.find(name);
            if (flavor == flavors_.end() || flavor->second->spec.topology_name.empty()) {
                continue;
            }
            const auto topology = topologies_.find(flavor->second->spec.topology_name);
            if (topology != topologies_.end()) {
                return topology->second;
            }
        }
        return nullptr;
    }

    std::optional<std::string> fault_of(
        const api::Workload& workload, const api::PodSetAssignment& pod_set
    ) {
        if (!pod_set.topology_assignment) {
            return std::nullopt;
        }
        const auto& levels = pod_set.topology_assignment->levels;
        const api::Topology* topology = topology_of(pod_set);
        if (topology != nullptr && !topology->spec.levels.empty() &&
            (levels.empty() || levels.back() != topology->spec.levels.back().node_label)) {
            return fmt::format(
                "its topologyAssignment is for the levels [{}], and topology \"{}\" ends with {}",
                fmt::join(levels, ", "),
                topology->metadata.name,
                topology->spec.levels.back().node_label
            );
        }
        std::int64_t assigned = 0;
        for (const auto& domain : api::decode(*pod_set.topology_assignment).domains) {
            assigned += domain.count;
            if (topology != nullptr && is_unknown(*topology, domain.values)) {
                return fmt::format(
                    "its topologyAssignment is for {}, which no node is in",
                    fmt::join(domain.values, "/")
                );
            }
        }
        const auto of = std::ranges::find(workload.spec.pod_sets, pod_set.name, &api::PodSet::name);
        if (of == workload.spec.pod_sets.end()) {
            return std::nullopt;
        }
        const std::int64_t count = admitted_pods(*of, pod_set);
        if (assigned < count) {
            return missing_words(slice_size(of->topology_request), assigned, count);
        }
        if (assigned > count &&
            !workload.metadata.annotations.contains(api::annotation::kElasticJob)) {
            return fmt::format(
                "its topologyAssignment is for {} pods, and it has {}", assigned, count
            );
        }
        return std::nullopt;
    }

    /// Returns true for a domain above hosts that no node is in. A host that is gone is replaced.
    bool is_unknown(const api::Topology& topology, const std::vector<std::string>& values) {
        if (topology.spec.levels.size() != values.size() ||
            topology.spec.levels.back().node_label == api::kHostnameLabel) {
            return false;
        }
        const auto [known, is_new] = domains_.try_emplace(&topology);
        if (is_new) {
            for (const auto* node : nodes_) {
                std::vector<std::string> path;
                for (const auto& level : topology.spec.levels) {
                    const auto* value = node->metadata.find_label(level.node_label);
                    path.push_back(value == nullptr ? "" : *value);
                }
                known->second.insert(std::move(path));
            }
        }
        return !known->second.contains(values);
    }

    static std::string missing_words(std::int64_t size, std::int64_t assigned, std::int64_t count) {
        std::string words = fmt::format(
            "{} of {} pods stay gated, because the topologyAssignment has no domain for them",
            count - assigned,
            count
        );
        if (size > 1 && count % size != 0) {
            words += fmt::format(": slices of {} pods do not divide {}", size, count);
        }
        return words;
    }

    std::vector<const api::Node*> nodes_;
    std::map<const api::Topology*, std::set<std::vector<std::string>>> domains_;  // those of nodes
    std::map<std::string, const api::ResourceFlavor*, std::less<>> flavors_;
    std::map<std::string, const api::Topology*, std::less<>> topologies_;
};

}  // namespace

std::vector<AssignmentFault> find_assignment_faults(const CapacityInput& input) {
    FaultSearch search(input);
    std::vector<AssignmentFault> found;
    for (const auto* workload : input.workloads) {
        const auto& conditions = workload->status.conditions;
        const auto& admission = workload->status.admission;
        if (!admission || !api::is_true(conditions, api::condition::kQuotaReserved) ||
            api::is_true(conditions, api::condition::kFinished)) {
            continue;
        }
        std::string words = search.faults_of(*workload, *admission);
        if (!words.empty()) {
            found.push_back(
                {.workload =
                     fmt::format("{}/{}", workload->metadata.namespace_, workload->metadata.name),
                 .words = std::move(words)}
            );
        }
    }
    return found;
}

}  // namespace sluice::workload
