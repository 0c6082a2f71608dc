#include "controller/reconcile/assigned_nodes.hpp"

#include "api/kueue/topology_assignment.hpp"
#include "controller/reconcile/pod_life.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>
#include <utility>

namespace sluice::controller {

namespace {

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

/// Returns the hosts that the podSet is assigned to; none if its topology does not end in hosts.
std::vector<std::string> hosts_of(const api::PodSetAssignment& assignment) {
    std::vector<std::string> hosts;
    if (assignment.topology_assignment && ends_in_hosts(*assignment.topology_assignment)) {
        for (api::AssignedDomain& domain : api::decode(*assignment.topology_assignment).domains) {
            hosts.push_back(std::move(domain.values.back()));
        }
    }
    return hosts;
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

bool ends_in_hosts(const api::TopologyAssignment& assignment) {
    return !assignment.levels.empty() && assignment.levels.back() == api::kHostnameLabel;
}

std::vector<std::string> hostnames_of(const api::Node& node) {
    const std::string* name = node.metadata.find_label(api::kHostnameLabel);
    return name == nullptr ? std::vector<std::string>{} : std::vector{*name};
}

std::vector<std::string> indexed_hosts_of(const api::Workload& workload) {
    const auto& admission = workload.status.admission;
    if (!admission || !is_admitted(workload) || is_evicted(workload) || is_finished(workload)) {
        return {};
    }
    std::set<std::string> hosts;
    for (const auto& assignment : admission->pod_set_assignments) {
        for (std::string& host : hosts_of(assignment)) {
            hosts.insert(std::move(host));
        }
    }
    return {hosts.begin(), hosts.end()};
}

AssignedHosts::AssignedHosts(const View& view, const api::Workload& workload)
    : stores_(view.stores), workload_(workload) {
    const api::Admission admission = workload.status.admission.value_or(api::Admission{});
    for (std::size_t i = 0; i < admission.pod_set_assignments.size(); ++i) {
        const api::PodSetAssignment& assignment = admission.pod_set_assignments[i];
        tolerations_.push_back(tolerations_of(stores_, workload_, assignment));
        for (std::string& host : hosts_of(assignment)) {
            auto& pod_sets = pod_sets_[std::move(host)];
            if (pod_sets.empty() || pod_sets.back() != i) {
                pod_sets.push_back(i);
            }
        }
    }
}

HostState AssignedHosts::judge_taints(
    const std::string& host, const std::vector<api::Taint>& taints
) const {
    constexpr auto kOperators = api::TolerationOperators::WithNumeric;
    HostState state = HostState::Usable;
    const auto pod_sets = pod_sets_.find(host);
    if (pod_sets == pod_sets_.end()) {
        return state;
    }
    for (const std::size_t pod_set : pod_sets->second) {
        auto tolerations = tolerations_[pod_set];
        if (api::find_untolerated_taint(taints, tolerations, kOperators) != nullptr) {
            return HostState::Tainted;
        }
        std::erase_if(tolerations, [](const api::Toleration& toleration) {
            return toleration.toleration_seconds.has_value();
        });
        if (api::find_untolerated_taint(taints, tolerations, kOperators) != nullptr) {
            state = HostState::ToleratedForATime;
        }
    }
    return state;
}

HostVerdict AssignedHosts::judge_node(const std::string& host, const api::Node& node) const {
    const api::ObjectCondition* ready = find_ready(node);
    if (ready == nullptr) {
        return {.state = HostState::Missing, .not_ready_since = std::nullopt};
    }
    if (ready->status != api::condition_status::kTrue) {
        return {.state = HostState::NotReady, .not_ready_since = ready->last_transition_time};
    }
    const auto taints = scheduling_taints(node);
    return {
        .state = taints.empty() ? HostState::Usable : judge_taints(host, taints),
        .not_ready_since = std::nullopt
    };
}

HostVerdict AssignedHosts::judge(const std::string& host) const {
    const auto* known = stores_.find(kind_of<api::Node>());
    if (known == nullptr || !known->shows_all() || stores_.of<api::Node>().all().empty()) {
        return {};
    }
    HostVerdict best{.state = HostState::Missing, .not_ready_since = std::nullopt};
    for (const auto& [name, node] : stores_.of<api::Node>().by_index(kHostnameIndex, host)) {
        const HostVerdict verdict = judge_node(host, *node);
        if (badness(verdict.state) < badness(best.state)) {
            best = verdict;
        }
    }
    return best;
}

std::optional<PodsOnHosts> find_pods_on_hosts(const Stores& stores, const api::Workload& workload) {
    const auto* known = stores.find(kind_of<api::Pod>());
    if (known == nullptr || !known->shows_all() || stores.find(kind_of<api::Node>()) == nullptr) {
        return std::nullopt;
    }
    PodsOnHosts found;
    const std::string row = workload.metadata.namespace_ + "/" + slice_name(workload);
    for (const auto& [name, pod] : stores.of<api::Pod>().by_index(kSliceIndex, row)) {
        if (pod->spec.node_name.empty() || has_ended(*pod)) {
            continue;
        }
        const auto node = stores.of<api::Node>().find(pod->spec.node_name);
        const auto labels = node ? hostnames_of(*node) : std::vector<std::string>{};
        auto& hosts = pod->metadata.deletion_timestamp ? found.leaving : found.running;
        hosts.insert(labels.empty() ? pod->spec.node_name : labels.front());
    }
    return found;
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
