#include "controller/reconcilers/failed_nodes.hpp"

#include "api/kueue/kueue_names.hpp"
#include "base/earlier.hpp"
#include "controller/reconcile/assigned_nodes.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "workload/translation/queueable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace sluice::controller {

namespace {

constexpr Duration kNotReadyMax = std::chrono::seconds(30);

/// Judges the hosts of one Workload.
class HostFailures {
  public:
    HostFailures(
        const View& view, const api::Workload& workload, const AssignedHosts& hosts, Time now
    )
        : stores_(view.stores),
          gates_(view.settings.node_failure_gates),
          workload_(workload),
          hosts_(hosts),
          now_(now) {}

    bool has_failed(const std::string& host) {
        const HostVerdict verdict = hosts_.judge(host);
        switch (verdict.state) {
            case HostState::Usable:
                return false;
            case HostState::Missing:
                return true;
            case HostState::NotReady:
                return is_late(verdict) || (gates_.on_pod_termination && is_left(host));
            case HostState::Tainted:
                return gates_.on_taints && (!gates_.on_pod_termination || is_left(host));
            case HostState::ToleratedForATime:
                // Pods may start on it, so it fails them only once some had to leave.
                return gates_.on_taints && is_left(host) && is_being_left(host);
        }
        return false;
    }
    std::optional<Time> look_again() const { return look_again_; }

  private:
    /// Returns true if the time that a host may be not ready is over.
    bool is_late(const HostVerdict& verdict) {
        if (gates_.on_pod_termination && !gates_.after_fixed_time) {
            return false;
        }
        const Time limit = verdict.not_ready_since.value_or(Time{}) + kNotReadyMax;
        if (now_ >= limit) {
            return true;
        }
        look_again_ = earlier(look_again_, limit);
        return false;
    }
    /// Returns true if all pods are known and none runs on the host.
    bool is_left(const std::string& host) {
        if (!pods_) {
            pods_ = find_pods_on_hosts(stores_, workload_);
        }
        return pods_ && !pods_->running.contains(host);
    }
    /// Returns true if pods on the host are being deleted.
    bool is_being_left(const std::string& host) const {
        return pods_ && pods_->leaving.contains(host);
    }

    const Stores& stores_;
    const NodeFailureGates& gates_;
    const api::Workload& workload_;
    const AssignedHosts& hosts_;
    Time now_;
    std::optional<PodsOnHosts> pods_;
    std::optional<Time> look_again_;
};

/// Returns true if the nodes of the Workload are judged at all. A single pod cannot move: its
/// Workload ends with it.
bool is_judged(const View& view, const api::Workload& workload) {
    const Settings& settings = view.settings;
    const bool is_pinned = settings.gates.skip_reassignment_for_pod_owned_workloads &&
                           workload::is_owned_by_single_pod(workload);
    return settings.node_failure_gates.replacement && settings.gates.topology_aware_scheduling &&
           is_admitted(workload) && !is_evicted(workload) && !is_pinned;
}

}  // namespace

FailedNodes find_failed_nodes(const View& view, const api::Workload& workload, Time now) {
    FailedNodes found;
    if (!is_judged(view, workload)) {
        return found;
    }
    const AssignedHosts hosts(view, workload);
    if (hosts.empty()) {
        return found;
    }
    HostFailures failures(view, workload, hosts, now);
    std::set<std::string> failed;
    for (const auto& [host, pod_sets] : hosts.all()) {
        if (failures.has_failed(host)) {
            failed.insert(host);
        }
    }
    for (const api::UnhealthyNode& node : workload.status.unhealthy_nodes) {
        if (failed.erase(node.name) > 0 || !hosts.contains(node.name)) {
            found.names.push_back(node.name);
        }
    }
    const std::size_t kept = found.names.size();
    found.names.insert(found.names.end(), failed.begin(), failed.end());
    found.is_changed = kept != workload.status.unhealthy_nodes.size() || !failed.empty();
    found.look_again = failures.look_again();
    return found;
}

NodesStep follow_failed_nodes(const View& view, const api::Workload& workload, Time now) {
    const FailedNodes found = find_failed_nodes(view, workload, now);
    NodesStep step{.eviction = {}, .writes = {}, .look_again = found.look_again};
    if (!found.is_changed) {
        return step;
    }
    if (found.names.size() > 1) {
        step.eviction = {
            .reason = api::reason::kNodeFailures,
            .message = fmt::format(
                "Workload eviction triggered due to multiple TAS assigned node failures, "
                "including: {}",
                fmt::join(found.names, ", ")
            ),
            .cause = {},
        };
    } else if (found.names.empty()) {
        // Unlike a server-side apply, a merge patch also removes what another manager wrote.
        step.writes.push_back(strict_patch(
            key_of(workload),
            workload.metadata,
            json::Object{{"status", json::Object{{"unhealthyNodes", nullptr}}}},
            Verb::MergePatchStatus
        ));
    } else {
        api::Workload changed = workload;
        changed.status.unhealthy_nodes = {{.name = found.names.front()}};
        step.writes.push_back(status_write(changed));
    }
    return step;
}

}  // namespace sluice::controller
