#include "controller/jobs/reconciliation/stray_pods.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/reconcile/assigned_nodes.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "workload/pods/node_fit.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

constexpr char kMessage[] = "Pod terminated by Kueue NodeController due to node taint";
constexpr char kController[] = "kueue-tas-node-controller";

/// Returns the host that the pod waits for; "" if it does not wait for one.
std::string awaited_host(const api::Pod& pod) {
    const auto host = pod.spec.node_selector.find(api::kHostnameLabel);
    const bool waits = pod.spec.node_name.empty() && pod.status.phase == "Pending" &&
                       !pod.metadata.deletion_timestamp &&
                       workload::asks_for_topology(pod.metadata) &&
                       !has_scheduling_gate(pod, api::scheduling_gate::kTopology);
    return waits && host != pod.spec.node_selector.end() ? host->second : std::string();
}

/// Returns true if the topology of the pod's podSet does not end in hosts: its user chose the host.
bool has_other_levels(const api::Workload& workload, const api::Pod& pod) {
    const std::string* pod_set = pod.metadata.find_label(api::label::kPodSet);
    const auto& admission = workload.status.admission;
    return admission && pod_set != nullptr &&
           std::ranges::any_of(admission->pod_set_assignments, [&](const auto& assignment) {
               return assignment.name == *pod_set && assignment.topology_assignment &&
                      !ends_in_hosts(*assignment.topology_assignment);
           });
}

/// Returns true if the host cannot start pods that are assigned to it. A host that is missing is
/// replaced first: only then its pods are strays.
bool is_closed(const View& view, HostState state) {
    const NodeFailureGates& gates = view.settings.node_failure_gates;
    switch (state) {
        case HostState::Usable:
        case HostState::Missing:
        case HostState::ToleratedForATime:
            return false;
        case HostState::NotReady:
            return gates.on_pod_termination;
        case HostState::Tainted:
            return gates.on_taints && gates.on_pod_termination;
    }
    return false;
}

Write fail_pod(const api::Pod& pod, Time now) {
    const Time since = std::chrono::floor<std::chrono::seconds>(now);
    const json::Value condition = json::Object{
        {"type", api::condition::kTerminatedByKueue},
        {"status", api::condition_status::kTrue},
        {"lastTransitionTime", api::to_value(since)},
        {"reason", api::reason::kUnschedulableOnAssignedNode},
        {"message", kMessage},
    };
    Write write = apply_pod_status(
        pod, json::Object{{"phase", "Failed"}, {"conditions", json::Array{condition}}}, kController
    );
    // Refused if the scheduler has bound the pod meanwhile.
    write.body.find("metadata")->set("resourceVersion", pod.metadata.resource_version);
    write.events.push_back({
        .regarding =
            {.api_version = "v1",
             .kind = "Pod",
             .namespace_ = pod.metadata.namespace_,
             .name = pod.metadata.name,
             .uid = pod.metadata.uid},
        .reason = api::reason::kPodTerminatedByKueue,
        .note = kMessage,
        .reporting_controller = kController,
    });
    return write;
}

}  // namespace

void append_stray_pods(
    const View& view, const api::Workload& workload, const Pods& row, Time now, Outcome& outcome
) {
    if (!view.settings.node_failure_gates.replacement ||
        !view.settings.gates.topology_aware_scheduling || is_finished(workload) ||
        is_evicted(workload)) {
        return;
    }
    const AssignedHosts assigned(view, workload);
    std::map<std::string, bool> closed;
    for (const auto& pod : row) {
        const std::string host = awaited_host(*pod);
        if (host.empty() || has_other_levels(workload, *pod)) {
            continue;
        }
        const auto [known, is_new] = closed.try_emplace(host, !assigned.contains(host));
        if (is_new && !known->second) {
            known->second = is_closed(view, assigned.judge(host).state);
        }
        if (known->second) {
            outcome.writes.push_back(fail_pod(*pod, now));
        }
    }
}

}  // namespace sluice::controller
