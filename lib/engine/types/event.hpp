// The events that change a state.
#pragma once

#include "engine/types/objects.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sluice::engine {

/// The object was created or changed, as for the other *Changed events. An unchanged object has no
/// effect, except that the object of an ended workload wakes the parked workloads of its tree.
struct FlavorChanged {
    ResourceFlavor flavor;
};
struct FlavorDeleted {
    std::string name;
};
struct CohortChanged {
    Cohort cohort;
};
struct CohortDeleted {
    std::string name;
};
struct ClusterQueueChanged {
    ClusterQueue cluster_queue;
};
struct ClusterQueueDeleted {
    std::string name;
};
struct LocalQueueChanged {
    LocalQueue local_queue;
};
struct LocalQueueDeleted {
    std::string ns;
    std::string name;
};
/// The node was created or changed.
struct NodeChanged {
    Node node;
};
struct NodeDeleted {
    std::string name;
};
struct PodShapeChanged {
    PodShape shape;
};
/// No workload has pods of that shape anymore. The number may be given to another shape, which is
/// then not compared with this one.
struct PodShapeDeleted {
    std::uint32_t id = 0;
};
struct WorkloadChanged {
    Workload workload;
};
struct WorkloadDeleted {
    std::string ns;
    std::string name;
};
/// Pods of a workload got or left nodes: these are all that have one. Holders in flavors that
/// enforce capacity need it; a holder is taken to have none before.
struct WorkloadPodsChanged {
    std::string ns;
    std::string name;
    std::vector<RunningPods> pod_sets;
};
/// The write of an admission was accepted. Workloads seen from now on include it, so their own
/// reservation is authoritative. The last Workload without a reservation that was seen since the
/// decision is applied now if the object had shown the reservation before it, or if the workload
/// has ended. Otherwise it is older than the write and is ignored.
struct AdmissionWritten {
    std::string ns;
    std::string name;
};
/// The write of an admission failed: the quota is released, and the workload is queued again unless
/// its object is gone.
struct AdmissionFailed {
    std::string ns;
    std::string name;
    bool object_gone = false;  ///< the Workload does not exist anymore
    /// The API server refused the write. The workload is tried again after 1 s, then 2, 4, … up to
    /// 64 s.
    bool back_off = false;
};
/// The write of an eviction failed: the victim may be chosen again.
struct PreemptionFailed {
    std::string ns;
    std::string name;
};
/// Time has passed: the delays that are due end (see next_due()).
struct TimerFired {};

using Event = std::variant<
    FlavorChanged,
    FlavorDeleted,
    CohortChanged,
    CohortDeleted,
    ClusterQueueChanged,
    ClusterQueueDeleted,
    LocalQueueChanged,
    LocalQueueDeleted,
    NodeChanged,
    NodeDeleted,
    PodShapeChanged,
    PodShapeDeleted,
    WorkloadChanged,
    WorkloadDeleted,
    WorkloadPodsChanged,
    AdmissionWritten,
    AdmissionFailed,
    PreemptionFailed,
    TimerFired>;

}  // namespace sluice::engine
