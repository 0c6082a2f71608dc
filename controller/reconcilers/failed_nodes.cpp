#include "controller/reconcilers/failed_nodes.hpp"

#include "api/kueue/kueue_names.hpp"
#include "base/earlier.hpp"
#include "controller/reconcile/assigned_nodes.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_status.hpp"

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
    HostFailures(const View& view, const api::Workload& workload, Time now)
        : view_(view), gates_(view.settings.node_failure_gates), workload_(workload), now_(now) {}

    bool has_failed(const std::string& host) {
        const HostVerdict verdict = judge_host(view_, workload_, host);
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
                return gates_.on_taints && is_left(host);
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
    bool is_left(const std::string& host) {
        if (!with_pods_) {
            with_pods_ = hosts_with_pods(view_.stores, workload_);
        }
        return !with_pods_->contains(host);
    }

    const View& view_;
    const NodeFailureGates& gates_;
    const api::Workload& workload_;
    Time now_;
    std::optional<std::set<std::string>> with_pods_;
    std::optional<Time> look_again_;
};

}  // namespace

FailedNodes find_failed_nodes(const View& view, const api::Workload& workload, Time now) {
    FailedNodes found;
    const auto& admission = workload.status.admission;
    if (!view.settings.node_failure_gates.replacement ||
        !view.settings.gates.topology_aware_scheduling || !admission || !is_admitted(workload) ||
        is_evicted(workload)) {
        return found;
    }
    const std::set<std::string> hosts = assigned_hosts(*admission);
    if (hosts.empty()) {
        return found;
    }
    HostFailures failures(view, workload, now);
    std::set<std::string> failed;
    for (const std::string& host : hosts) {
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
