// Makes the report that compares the quota of each flavor with its nodes.
#pragma once

#include "api/core/core.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/kueue/topology.hpp"
#include "api/kueue/workload.hpp"
#include "engine/types/amount.hpp"
#include "workload/capacity/node_room.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Compares quota with nodes: what flavors' nodes have, what pods take of it, and which gangs and
/// pods still fit. Pure.
namespace sluice::workload {

/// The objects of a cluster. *Lifetime*: they outlive the call.
struct CapacityInput {
    std::vector<const api::ResourceFlavor*> flavors;
    std::vector<const api::Topology*> topologies;
    std::vector<const api::Node*> nodes;
    std::vector<const api::Pod*> pods;
    std::vector<const api::ClusterQueue*> cluster_queues;
    std::vector<const api::Cohort*> cohorts;
    std::vector<const api::LocalQueue*> local_queues;
    std::vector<const api::Workload*> workloads;
    /// The requests of one pod of the gangs that are counted. If it is not set, each pod takes all
    /// of a node that pods of DaemonSets leave.
    std::optional<Amounts> gang_pod;
    bool counts_gangs = true;
    /// Resources that some node has had, in addition to those that nodes have now. Quota of a
    /// resource that no node has had is not compared: a device class, or the output of a
    /// transformation.
    std::set<std::string> known_resources;
};

/// An amount that quota counts and that new pods cannot have.
struct CapacityLoss {
    engine::Amount amount;
    std::string node;
    std::string reason;  ///< "NotReady", "cordoned", a taint, or a level's missing label
};

/// The largest gang that fits in one domain of a level now.
struct LevelGang {
    std::string level;   ///< a node label; empty for all nodes of the flavor
    std::string domain;  ///< values from the coarsest level to this one, joined by "/"
    std::int64_t pods = 0;
};

/// A resource of a flavor.
struct FlavorCapacity {
    std::string flavor;
    std::string resource;
    engine::Amount quota;         ///< nominal, of all queues and cohorts
    engine::Amount nodes;         ///< allocatable, of all its nodes and those that may come
    engine::Amount usable;        ///< of those where new pods may start
    engine::Amount foreign;       ///< requests there of pods outside quota
    engine::Amount can_give;      ///< usable, less what pods outside quota take there
    engine::Amount used;          ///< quota that Workloads hold
    engine::Amount free;          ///< usable, less all pods there and those that are admitted
    engine::Amount largest_free;  ///< on one node
    engine::Amount fragmented;    ///< free on nodes that are not whole
    std::int64_t may_come = 0;    ///< nodes that an autoscaler may add
    std::vector<LevelGang> gangs;
    std::vector<CapacityLoss> losses;
    std::vector<std::string> shares_with;  ///< flavors with some of the same nodes
    engine::Amount pool_quota;             ///< with the quota of `shares_with`
    engine::Amount pool_can_give;          ///< by the nodes of all these flavors, each once

    /// Returns the quota that no node has, alone or with `shares_with`; 0 if nodes have all of it.
    engine::Amount missing() const {
        return max(engine::Amount(), max(quota - can_give, pool_quota - pool_can_give));
    }
};

/// A queue or cohort whose quota exceeds what the flavor's nodes can give.
struct QuotaExcess {
    bool is_cohort = false;
    std::string name;
    std::string flavor;  ///< or several on the same nodes, separated by commas
    std::string resource;
    engine::Amount quota;
    engine::Amount usable;  ///< by all nodes of these flavors, less pods outside quota
};

/// A podSet whose pods do not all fit on nodes, whole pods only.
struct UnplaceablePods {
    std::string workload;  ///< "namespace/name"
    std::string cluster_queue;
    std::string pod_set;
    bool is_admitted = false;
    std::int64_t pods = 0;
    Amounts request;         ///< of one pod
    std::int64_t fit = 0;    ///< pods for which there is room now; of admitted ones, those placed
    std::int64_t could = 0;  ///< pods for which there would be room on nodes without workloads
};

struct CapacityReport {
    std::vector<FlavorCapacity> flavors;  ///< by name and resource
    std::vector<QuotaExcess> excesses;    ///< ClusterQueues, then cohorts
    std::vector<UnplaceablePods> unplaceable;
    std::vector<std::string> faults;  ///< annotations that cannot be read
};

/// Makes the report. *Cost*: O(workloads x nodes).
CapacityReport make_capacity_report(const CapacityInput& input);

}  // namespace sluice::workload
