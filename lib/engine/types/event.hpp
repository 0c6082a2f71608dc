#pragma once

#include "engine/types/objects.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace sluice::engine {

/// The object was created or changed. Equal objects change nothing, but that of an ended workload
/// wakes those that wait in its tree.
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
struct PodShapeChanged {
    PodShape shape;
};
/// No workload has pods of that shape any more. Its number may be given to another shape, which is
/// then a new one: it is not compared with this one.
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
/// The write of an admission was accepted, and what is told from now on is not from before it: the
/// object's own reservation counts. Of what was told since the admission the last Workload counts
/// if it came after one that showed the reservation, or has ended; others are from before the
/// write.
struct AdmissionWritten {
    std::string ns;
    std::string name;
};
/// The write of an admission failed: the quota is given back and the workload queues again, unless
/// `object_gone` says that it does not exist any more.
struct AdmissionFailed {
    std::string ns;
    std::string name;
    bool object_gone = false;
    /// The API refused the write: it is tried again after 1 s, then 2, 4 … up to 64 s.
    bool back_off = false;
};
/// The write of an eviction failed: the victim may be chosen again.
struct PreemptionFailed {
    std::string ns;
    std::string name;
};
/// Time passed: runs what is due (next_due).
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
    PodShapeChanged,
    PodShapeDeleted,
    WorkloadChanged,
    WorkloadDeleted,
    AdmissionWritten,
    AdmissionFailed,
    PreemptionFailed,
    TimerFired>;

}  // namespace sluice::engine
