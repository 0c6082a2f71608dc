// Finds the nodes that a Workload's topology assignment names, and their state for its pods.
#pragma once

#include "api/core/core.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "controller/reconcile/view.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
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

/// Returns true if the finest level of the assignment is the hostname.
bool ends_in_hosts(const api::TopologyAssignment& assignment);

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

/// The hosts of one Workload. Decodes its assignments once. *Lifetime*: that of the view and the
/// Workload, and until a store changes.
class AssignedHosts {
  public:
    AssignedHosts(const View& view, const api::Workload& workload);

    bool empty() const { return pod_sets_.empty(); }
    bool contains(const std::string& host) const { return pod_sets_.contains(host); }
    /// By host, in order: the positions of the podSets in the admission that are assigned to it.
    const std::map<std::string, std::vector<std::size_t>>& all() const { return pod_sets_; }

    /// Returns the state of a host for the podSets that are assigned to it. Their tolerations are
    /// those of the pods, their flavors and the updates of checks. If several nodes have the
    /// hostname, the best state counts. Returns Usable unless all nodes are known.
    HostVerdict judge(const std::string& host) const;

  private:
    HostVerdict judge_node(const std::string& host, const api::Node& node) const;
    HostState judge_taints(const std::string& host, const std::vector<api::Taint>& taints) const;

    const Stores& stores_;
    const api::Workload& workload_;
    std::map<std::string, std::vector<std::size_t>> pod_sets_;
    std::vector<std::vector<api::Toleration>> tolerations_;  // by position in the admission
};

/// The hosts of a Workload's pods that have a node and have not ended.
struct PodsOnHosts {
    std::set<std::string> running;
    std::set<std::string> leaving;  ///< the pods are being deleted
};

/// Returns the hosts of the Workload's pods; nullopt unless all pods are known.
std::optional<PodsOnHosts> find_pods_on_hosts(const Stores& stores, const api::Workload& workload);

/// Returns true if a change of a node may change judge_host().
bool changes_host_state(const api::Node* before, const api::Node* after);

}  // namespace sluice::controller
