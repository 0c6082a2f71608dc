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

/// The generation of a pod, which its conditions say that they are about.
std::int64_t generation_of(const json::Value& pod);

/// How long pods run, and how they end: annotations of a pod say otherwise for it.
inline constexpr std::string_view kRunSeconds = "sluice.dev/run-seconds";
inline constexpr std::string_view kExitCode = "sluice.dev/exit-code";
/// How long a deleted pod takes to end; else it is gone at once.
inline constexpr std::string_view kStopSeconds = "sluice.dev/stop-seconds";

/// Amounts of resources in billionths, which are exact.
__extension__ using Amount = __int128;
using Amounts = std::map<std::string, Amount>;

/// Returns the requests of the pod as kube-scheduler counts them (api::pod_requests()), and 1 of
/// `pods`. The quota of its Workload counts the same.
Amounts requests_of(const json::Value& pod);
/// Returns the amounts that a node has for pods.
Amounts room_of(const json::Value& node);

/// Which nodes a pod may run on, whatever is free there: its selector, its required node affinity
/// and its tolerations, read once for many nodes.
class NodeDemands {
  public:
    explicit NodeDemands(const json::Value& pod);

    /// Why the pod may not run on the node; "": it may.
    std::string find_obstacle(const json::Value& node) const;

  private:
    bool is_readable_ = false;
    api::StringMap node_selector_;
    std::vector<api::Toleration> tolerations_;
    bool has_affinity_ = false;
    std::optional<api::NodeSelector> affinity_;  ///< none: it cannot be read
};

/// Whether all of its containers have ended for good.
bool has_ended(const json::Value& pod);
/// What the kubelet of its node writes next of a pod: it runs, ends after its time, or is gone.
/// Pods that are always restarted and do not say how long they run, run on.
/// `started`: when its containers did, if that is known better than the pod says it.
/// Requires: it is bound to a node.
Outcome run_pod(const json::Value& pod, const Pace& pace, std::optional<Time> started, Time now);
/// What becomes of a pod whose node is gone: it has failed, and is deleted.
Outcome collect_lost_pod(const json::Value& pod, Time now);

}  // namespace sluice::sim
