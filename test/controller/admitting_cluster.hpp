#pragma once

#include "config/feature_gates.hpp"
#include "controller/mini_cluster.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// A cluster with described kinds, and with the webhooks of all kinds of jobs in front of it: they
/// see what users write, and what the controller writes into jobs.
class AdmittingCluster : public MiniCluster {
  public:
    explicit AdmittingCluster(Settings settings = {}, std::uint64_t seed = 1);

    /// A user creates the job. Why it is refused; "": it is there.
    std::string create(const json::Value& object);
    /// A user changes it by a merge patch. Why that is refused; "": it is done.
    std::string edit(const ObjectKey& key, std::string_view patch);

    config::FeatureGates gates;
    /// Why writes of the controller itself were refused. A test looks that nothing is here.
    std::vector<std::string> refused;

  private:
    std::string judge(
        std::string_view operation, const json::Value& object, const json::Value& before
    );
};

/// The namespace `team` and LocalQueue `main` of ClusterQueue `cq`, which has much cpu and memory
/// of flavor `spot`.
void make_large_queues(MiniCluster& cluster);
/// What the API server's garbage collector does: Workloads whose owner is gone are deleted.
void collect_garbage(MiniCluster& cluster, const std::vector<ObjectKey>& workloads);
/// The quota that is held in `cq`, of all resources; "": none is.
std::string quota_held(const MiniCluster& cluster);

}  // namespace sluice::controller
