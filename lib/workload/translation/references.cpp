#include "workload/translation/references.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "workload/pods/text.hpp"
#include "workload/translation/quotas.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::workload {
namespace {

namespace reason = api::reason;

/// Collects reasons in the order in which upstream checks them; the first becomes the condition's
/// reason.
class Obstacles {
  public:
    void add(std::string_view reason, std::string message) {
        if (reason_.empty()) {
            reason_ = reason;
        }
        messages_.push_back(std::move(message));
    }
    Activity activity() const {
        if (messages_.empty()) {
            return {
                .is_active = true, .reason = reason::kReady, .message = "Can admit new workloads"
            };
        }
        const auto message =
            fmt::format("Can't admit new workloads: {}.", fmt::join(messages_, ", "));
        return {
            .is_active = false, .reason = reason_, .message = truncated_condition_message(message)
        };
    }

  private:
    std::string reason_;
    std::vector<std::string> messages_;
};

using CheckFlavors = std::map<std::string, std::set<std::string>>;

/// Returns each check with the flavors that it applies to.
CheckFlavors check_flavors(const api::ClusterQueue& queue) {
    CheckFlavors made;
    if (!queue.spec.admission_checks_strategy) {
        return made;
    }
    const auto all = flavor_names(queue);
    for (const auto& check : queue.spec.admission_checks_strategy->admission_checks) {
        const auto& flavors = check.on_flavors.empty() ? all : check.on_flavors;
        made[check.name] = {flavors.begin(), flavors.end()};
    }
    return made;
}

void add_check_obstacles(
    Obstacles& obstacles, const api::ClusterQueue& queue, const References& references
) {
    std::vector<std::string> missing;
    std::vector<std::string> inactive;
    std::vector<std::string> multi;
    std::vector<std::string> multi_by_flavor;
    std::vector<std::string> provisioning;
    const auto all = flavor_names(queue);
    for (const auto& [name, flavors] : check_flavors(queue)) {
        const auto check = references.admission_checks.find(name);
        if (check == references.admission_checks.end()) {
            missing.push_back(name);
            continue;
        }
        if (!api::is_true(check->second.status.conditions, api::condition::kActive)) {
            inactive.push_back(name);
        }
        if (check->second.spec.controller_name == api::check_controller::kProvisioningRequest) {
            provisioning.push_back(name);
        }
        if (check->second.spec.controller_name == api::check_controller::kMultiKueue) {
            multi.push_back(name);
            if (flavors != std::set<std::string>(all.begin(), all.end())) {
                multi_by_flavor.push_back(name);
            }
        }
    }
    const auto add =
        [&](std::string_view reason, std::string_view words, const std::vector<std::string>& names
        ) { obstacles.add(reason, fmt::format("{}: {}", words, fmt::join(names, ","))); };
    if (!missing.empty()) {
        add(reason::kAdmissionCheckNotFound, "references missing AdmissionCheck(s)", missing);
    }
    if (!inactive.empty()) {
        add(reason::kAdmissionCheckInactive, "references inactive AdmissionCheck(s)", inactive);
    }
    if (multi.size() > 1) {
        add(reason::kMultipleMultiKueueAdmissionChecks,
            "Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, found",
            multi);
    }
    if (!multi_by_flavor.empty()) {
        add(reason::kMultiKueueAdmissionCheckAppliedPerFlavor,
            "Cannot specify MultiKueue AdmissionCheck per flavor, found",
            multi_by_flavor);
    }
    if (!multi.empty() && !provisioning.empty()) {
        obstacles.add(
            reason::kMultiKueueWithProvisioningRequest,
            fmt::format(
                "Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks together, "
                "found: {}, {}",
                fmt::join(multi, ","),
                fmt::join(provisioning, ",")
            )
        );
    }
}

void add_topology_obstacles(
    Obstacles& obstacles, const api::ClusterQueue& queue, const References& references
) {
    for (const auto& name : flavor_names(queue)) {
        const auto flavor = references.flavors.find(name);
        if (flavor == references.flavors.end() || flavor->second.spec.topology_name.empty()) {
            continue;
        }
        const auto& topology = flavor->second.spec.topology_name;
        const auto levels = references.topologies.find(topology);
        if (levels == references.topologies.end()) {
            obstacles.add(
                reason::kTopologyNotFound,
                fmt::format("there is no Topology \"{}\" for TAS flavor \"{}\"", topology, name)
            );
        } else if (levels->second.empty()) {
            // The definition does not require a spec.
            obstacles.add(
                reason::kTopologyNotFound,
                fmt::format("Topology \"{}\" of TAS flavor \"{}\" has no levels", topology, name)
            );
        }
    }
}

}  // namespace

bool has_multi_kueue_check(const api::ClusterQueue& queue, const References& references) {
    return std::ranges::any_of(check_flavors(queue), [&](const auto& check) {
        const auto found = references.admission_checks.find(check.first);
        return found != references.admission_checks.end() &&
               found->second.spec.controller_name == api::check_controller::kMultiKueue;
    });
}

std::vector<std::string> flavors_to_provision(
    const api::ClusterQueue& queue, const References& references
) {
    std::set<std::string> made;
    for (const auto& [name, flavors] : check_flavors(queue)) {
        const auto check = references.admission_checks.find(name);
        if (check != references.admission_checks.end() &&
            check->second.spec.controller_name == api::check_controller::kProvisioningRequest) {
            made.insert(flavors.begin(), flavors.end());
        }
    }
    return {made.begin(), made.end()};
}

std::vector<std::string> flavor_names(const api::ClusterQueue& queue) {
    std::vector<std::string> names;
    for (const auto& group : queue.spec.resource_groups) {
        for (const auto& flavor : group.flavors) {
            names.push_back(flavor.name);
        }
    }
    return names;
}

Activity find_activity(
    const api::ClusterQueue& queue, const References& references, bool with_topology
) {
    if (queue.metadata.deletion_timestamp) {
        return {
            .is_active = false,
            .reason = reason::kTerminating,
            .message = "Can't admit new workloads; clusterQueue is terminating",
        };
    }
    if (const auto problem = find_problem(queue)) {
        // Upstream never sees such an object because its webhook rejects it. Unknown is its closest
        // reason.
        const auto message = fmt::format("Can't admit new workloads: {}.", problem->text());
        return {
            .is_active = false,
            .reason = reason::kUnknown,
            .message = truncated_condition_message(message)
        };
    }
    Obstacles obstacles;
    if (queue.spec.stop_policy != api::stop_policy::kNone) {
        obstacles.add(reason::kStopped, "is stopped");
    }
    std::vector<std::string> missing;
    std::ranges::copy_if(
        flavor_names(queue),
        std::back_inserter(missing),
        [&](const std::string& name) { return !references.flavors.contains(name); }
    );
    if (!missing.empty()) {
        obstacles.add(
            reason::kFlavorNotFound,
            fmt::format("references missing ResourceFlavor(s): {}", fmt::join(missing, ","))
        );
    }
    for (const auto& name : flavor_names(queue)) {
        const auto flavor = references.flavors.find(name);
        const auto problem =
            flavor == references.flavors.end() ? std::nullopt : find_problem(flavor->second);
        if (problem) {
            // The API server would reject its labels in the pod template of every job.
            obstacles.add(
                reason::kFlavorNotFound,
                fmt::format("references invalid ResourceFlavor \"{}\": {}", name, problem->text())
            );
        }
    }
    add_check_obstacles(obstacles, queue, references);
    // On a MultiKueue manager, the worker clusters have the topology.
    if (with_topology && !has_multi_kueue_check(queue, references)) {
        add_topology_obstacles(obstacles, queue, references);
    }
    if (const auto cycle = find_cohort_cycle(references, queue.spec.cohort_name); !cycle.empty()) {
        // Upstream excludes the queue as HasCycle, but does not report the cycle anywhere.
        obstacles.add(
            reason::kHasCycle,
            fmt::format(
                "the parents of cohort \"{}\" form the cycle {}", queue.spec.cohort_name, cycle
            )
        );
    }
    return obstacles.activity();
}

std::string find_cohort_cycle(const References& references, std::string_view cohort) {
    std::vector<std::string_view> path;
    std::set<std::string_view> seen;
    while (seen.insert(cohort).second) {
        path.push_back(cohort);
        const auto found = references.cohort_parents.find(cohort);
        if (found == references.cohort_parents.end()) {
            return "";
        }
        cohort = found->second;
    }
    path.erase(path.begin(), std::ranges::find(path, cohort));
    std::ranges::rotate(path, std::ranges::min_element(path));
    path.push_back(path.front());
    return fmt::format("{}", fmt::join(path, " -> "));
}

std::set<std::string> required_checks(
    const api::ClusterQueue& queue, const std::set<std::string>* assigned_flavors
) {
    const auto all = flavor_names(queue);
    std::set<std::string> names;
    for (const auto& [name, flavors] : check_flavors(queue)) {
        const auto is_covered = [&](const std::string& flavor) { return flavors.contains(flavor); };
        const bool is_needed = assigned_flavors != nullptr
                                   ? std::ranges::any_of(*assigned_flavors, is_covered)
                                   : std::ranges::all_of(all, is_covered);
        if (is_needed) {
            names.insert(name);
        }
    }
    return names;
}

}  // namespace sluice::workload
