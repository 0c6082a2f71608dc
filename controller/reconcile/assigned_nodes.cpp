#include "controller/reconcile/assigned_nodes.hpp"

#include "api/kueue/topology_assignment.hpp"
#include "controller/reconcile/pod_life.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>
#include <utility>

namespace sluice::controller {

namespace {

constexpr char kHostname[] = "kubernetes.io/hostname";

const api::ObjectCondition* find_ready(const api::Node& node) {
    const auto found =
        std::ranges::find(node.status.conditions, "Ready", &api::ObjectCondition::type_);
    return found == node.status.conditions.end() ? nullptr : &*found;
}

bool is_node_ready(const api::Node& node) {
    const api::ObjectCondition* ready = find_ready(node);
    return ready != nullptr && ready->status == api::condition_status::kTrue;
}

std::vector<api::Taint> scheduling_taints(const api::Node& node) {
    std::vector<api::Taint> found;
    std::ranges::copy_if(node.spec.taints, std::back_inserter(found), [](const api::Taint& taint) {
        return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    });
    return found;
}

bool names_host(const api::TopologyAssignment& assignment, const std::string& host) {
    if (assignment.levels.empty() || assignment.levels.back() != kHostname) {
        return false;
    }
    const api::DomainAssignment decoded = api::decode(assignment);
    return std::ranges::any_of(decoded.domains, [&host](const api::AssignedDomain& domain) {
        return domain.values.back() == host;
    });
}

std::vector<api::Toleration> tolerations_of(
    const Stores& stores, const api::Workload& workload, const api::PodSetAssignment& assignment
) {
    std::vector<api::Toleration> found;
    const auto add = [&found](const std::vector<api::Toleration>& more) {
        found.insert(found.end(), more.begin(), more.end());
    };
    const auto pod_set =
        std::ranges::find(workload.spec.pod_sets, assignment.name, &api::PodSet::name);
    if (pod_set != workload.spec.pod_sets.end()) {
        add(pod_set->template_->spec.tolerations);
    }
    for (const auto& [resource, name] : assignment.flavors) {
        if (const auto flavor = stores.of<api::ResourceFlavor>().find(name)) {
            add(flavor->spec.tolerations);
        }
    }
    for (const api::AdmissionCheckState& check : workload.status.admission_checks) {
        for (const api::PodSetUpdate& update : check.pod_set_updates) {
            if (update.name == assignment.name) {
                add(update.tolerations);
            }
        }
    }
    return found;
}

HostState judge_taints(
    const Stores& stores,
    const api::Workload& workload,
    const std::string& host,
    const std::vector<api::Taint>& taints
) {
    HostState state = HostState::Usable;
    for (const auto& assignment : workload.status.admission->pod_set_assignments) {
        if (!assignment.topology_assignment || !names_host(*assignment.topology_assignment, host)) {
            continue;
        }
        auto tolerations = tolerations_of(stores, workload, assignment);
        if (api::find_untolerated_taint(taints, tolerations) != nullptr) {
            return HostState::Tainted;
        }
        std::erase_if(tolerations, [](const api::Toleration& toleration) {
            return toleration.toleration_seconds.has_value();
        });
        if (api::find_untolerated_taint(taints, tolerations) != nullptr) {
            state = HostState::ToleratedForATime;
        }
    }
    return state;
}

HostVerdict judge_node(
    const Stores& stores,
    const api::Workload& workload,
    const std::string& host,
    const api::Node& node
) {
    const api::ObjectCondition* ready = find_ready(node);
    if (ready == nullptr) {
        return {.state = HostState::Missing, .not_ready_since = std::nullopt};
    }
    if (ready->status != api::condition_status::kTrue) {
        return {.state = HostState::NotReady, .not_ready_since = ready->last_transition_time};
    }
    const auto taints = scheduling_taints(node);
    const HostState state =
        taints.empty() ? HostState::Usable : judge_taints(stores, workload, host, taints);
    return {.state = state, .not_ready_since = std::nullopt};
}

/// Orders states from the best to the worst.
int badness(HostState state) {
    switch (state) {
        case HostState::Usable:
            return 0;
        case HostState::ToleratedForATime:
            return 1;
        case HostState::Tainted:
            return 2;
        case HostState::NotReady:
            return 3;
        case HostState::Missing:
            return 4;
    }
    return 4;
}

}  // namespace

std::vector<std::string> hostnames_of(const api::Node& node) {
    const std::string* name = node.metadata.find_label(kHostname);
    return name == nullptr ? std::vector<std::string>{} : std::vector{*name};
}

std::set<std::string> assigned_hosts(const api::Admission& admission) {
    std::set<std::string> hosts;
    for (const auto& assignment : admission.pod_set_assignments) {
        const auto& topology = assignment.topology_assignment;
        if (!topology || topology->levels.empty() || topology->levels.back() != kHostname) {
            continue;
        }
        for (api::AssignedDomain& domain : api::decode(*topology).domains) {
            hosts.insert(std::move(domain.values.back()));
        }
    }
    return hosts;
}

std::vector<std::string> indexed_hosts_of(const api::Workload& workload) {
    const auto& admission = workload.status.admission;
    if (!admission || !is_admitted(workload) || is_evicted(workload) || is_finished(workload)) {
        return {};
    }
    const std::set<std::string> hosts = assigned_hosts(*admission);
    return {hosts.begin(), hosts.end()};
}

HostVerdict judge_host(const View& view, const api::Workload& workload, const std::string& host) {
    const auto* known = view.stores.find(kind_of<api::Node>());
    if (known == nullptr || view.stores.of<api::Node>().all().empty()) {
        return {};
    }
    HostVerdict best{.state = HostState::Missing, .not_ready_since = std::nullopt};
    for (const auto& [name, node] : view.stores.of<api::Node>().by_index(kHostnameIndex, host)) {
        const HostVerdict verdict = judge_node(view.stores, workload, host, *node);
        if (badness(verdict.state) < badness(best.state)) {
            best = verdict;
        }
    }
    return best;
}

std::set<std::string> hosts_with_pods(const Stores& stores, const api::Workload& workload) {
    std::set<std::string> hosts;
    if (stores.find(kind_of<api::Pod>()) == nullptr ||
        stores.find(kind_of<api::Node>()) == nullptr) {
        return hosts;
    }
    const std::string row = workload.metadata.namespace_ + "/" + slice_name(workload);
    for (const auto& [name, pod] : stores.of<api::Pod>().by_index(kSliceIndex, row)) {
        if (pod->spec.node_name.empty() || has_ended(*pod) || pod->metadata.deletion_timestamp) {
            continue;
        }
        const auto node = stores.of<api::Node>().find(pod->spec.node_name);
        const auto labels = node ? hostnames_of(*node) : std::vector<std::string>{};
        hosts.insert(labels.empty() ? pod->spec.node_name : labels.front());
    }
    return hosts;
}

bool changes_host_state(const api::Node* before, const api::Node* after) {
    if (before == nullptr || after == nullptr) {
        return before != after;
    }
    return is_node_ready(*before) != is_node_ready(*after) ||
           before->spec.taints != after->spec.taints ||
           hostnames_of(*before) != hostnames_of(*after) ||
           (find_ready(*before) == nullptr) != (find_ready(*after) == nullptr);
}

}  // namespace sluice::controller
