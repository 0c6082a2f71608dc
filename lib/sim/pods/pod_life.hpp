// Runs pods like a kubelet, and checks which nodes a pod may run on.
#pragma once

#include "api/core/pod.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/objects/pace.hpp"
#include "sim/objects/write.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::sim {

/// Returns the generation of a pod, which its conditions record as observedGeneration.
std::int64_t generation_of(const json::Value& pod);

/// Annotations of a pod that override how long it runs, and its exit code.
inline constexpr std::string_view kRunSeconds = "sluice.dev/run-seconds";
inline constexpr std::string_view kExitCode = "sluice.dev/exit-code";
/// How long a deleted pod takes to stop; without the annotation, it stops immediately.
inline constexpr std::string_view kStopSeconds = "sluice.dev/stop-seconds";

/// Amounts of resources in billionths, which are exact.
__extension__ using Amount = __int128;
using Amounts = std::map<std::string, Amount>;

/// Returns the requests of the pod as kube-scheduler counts them (api::pod_requests()), and 1 for
/// `pods`. The quota of its Workload counts the same amounts.
Amounts requests_of(const json::Value& pod);
/// Returns the amounts that a node has for pods.
Amounts room_of(const json::Value& node);

/// Checks on which nodes a pod may run, regardless of the free room: its node selector, required
/// node affinity and tolerations. The pod is read only once for many nodes.
class NodeDemands {
  public:
    /// Reads the fields of the pod. If they cannot be read, the pod fits on no node.
    explicit NodeDemands(const json::Value& pod);

    /// Returns why the pod may not run on the node; empty if it may.
    std::string find_obstacle(const json::Value& node) const;

  private:
    bool is_readable_ = false;
    api::StringMap node_selector_;
    std::vector<api::Toleration> tolerations_;
    bool has_affinity_ = false;
    std::optional<api::NodeSelector> affinity_;  ///< nullopt if it cannot be read
};

/// Returns true if all containers of the pod have ended and are not restarted.
bool has_ended(const json::Value& pod);
/// Returns the next writes of the kubelet: it starts the pod, ends it after its time, or removes
/// it. Pods that are always restarted and do not specify a run time keep running. `started`: when
/// the containers started, if that is known more precisely than in the status. Requires: the pod is
/// bound to a node.
Outcome run_pod(const json::Value& pod, const Pace& pace, std::optional<Time> started, Time now);
/// Returns the writes for a pod whose node is gone: it fails and is deleted.
Outcome collect_lost_pod(const json::Value& pod, Time now);

}  // namespace sluice::sim
