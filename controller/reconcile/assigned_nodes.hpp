// Finds the nodes that a Workload's topology assignment names, and their state for its pods.
#pragma once

#include "api/core/core.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "controller/reconcile/view.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// The nodes of an admitted Workload with a topology (KEP-2724). A node is known by its hostname,
/// the value of its label `kubernetes.io/hostname`: assignments and pods' node selectors name it.
namespace sluice::controller {

/// The index of nodes by hostname.
inline constexpr std::string_view kHostnameIndex = "hostname";
/// The index of admitted Workloads by the hostnames in their assignments.
inline constexpr std::string_view kAssignedHostIndex = "assigned_host";

/// Returns the node's value in kHostnameIndex; empty without the label.
std::vector<std::string> hostnames_of(const api::Node& node);
/// Returns the Workload's values in kAssignedHostIndex; empty unless it is admitted, is neither
/// evicted nor finished, and its assignments end in hostnames.
std::vector<std::string> indexed_hosts_of(const api::Workload& workload);

/// Returns the hostnames in the assignments of the admission's podSets.
std::set<std::string> assigned_hosts(const api::Admission& admission);

/// Says if a host can run the pods that are assigned to it.
enum class HostState : std::uint8_t {
    Usable,
    Missing,            ///< no node has the hostname, or its node has no condition Ready
    NotReady,           ///< the condition Ready is not True
    Tainted,            ///< a taint NoSchedule or NoExecute that the pods do not tolerate
    ToleratedForATime,  ///< such taints, each tolerated, one of them for tolerationSeconds only
};

/// The state of a host, and since when.
struct HostVerdict {
    HostState state = HostState::Usable;
    std::optional<Time> not_ready_since;  ///< NotReady: the transition of the condition Ready
};

/// Returns the state of a host for the podSets of the Workload that are assigned to it. Their
/// tolerations are those of the pods, their flavors and the updates of checks. If several nodes
/// have the hostname, the best state counts. Returns Usable while no node at all is known.
HostVerdict judge_host(const View& view, const api::Workload& workload, const std::string& host);

/// Returns the hosts on which pods of the Workload run or end: pods that have a node, have not
/// ended and are not being deleted.
std::set<std::string> hosts_with_pods(const Stores& stores, const api::Workload& workload);

/// Returns true if a change of a node may change judge_host().
bool changes_host_state(const api::Node* before, const api::Node* after);

}  // namespace sluice::controller
