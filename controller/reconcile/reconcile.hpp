#pragma once

#include "api/core/event.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "kube/core/kind.hpp"
#include "kube/runtime/event_recorder.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The controller's decisions about one object: level-based and pure. A reconciler reads the
/// stores, and says what to write; it neither waits nor remembers, so it may be repeated at any
/// time.
namespace sluice::controller {

using kube::Kind;
using kube::kind_of;
using kube::ObjectKey;

using api::ObjectReference;
using kube::EventNote;
using kube::EventType;

/// Something that counts in a metric once its write was accepted.
struct Observation {
    enum class Kind : std::uint8_t {
        QuotaReserved,
        Admitted,
        PodsReady,  ///< for the first time since the admission
        Evicted,
        Preempted,
        WorkloadCreated,
        GateOpened  ///< a scheduling gate of a pod, whose name is the reason
    };
    Kind kind = Kind::Evicted;
    std::string cluster_queue;
    std::string local_queue;
    std::string ns;
    std::string workload;
    std::string reason;
    std::string underlying_cause;
    std::string priority_class;
    bool is_group = false;    ///< GateOpened: the pod is one of a group
    bool first_time = false;  ///< Evicted: the first eviction of this workload for this reason
    Duration since_queued{};
    Duration since_reserved{};
    Duration since_admitted{};
    std::optional<Duration> since_pods_ready{};  ///< Evicted: none where pods were not ready
};

enum class Verb : std::uint8_t {
    Create,
    MergePatch,        ///< application/merge-patch+json
    MergePatchStatus,  ///< the same on /status
    ApplyStatus,       ///< server-side apply on /status, forced
    Delete,            ///< in background, with the uid as precondition
};

/// One request to the API server, with what is told to users when it is accepted.
struct Write {
    Verb verb = Verb::MergePatch;
    ObjectKey object;
    json::Value body;           ///< Create: the object; patches: the patch
    std::string field_manager;  ///< ApplyStatus
    std::string uid;            ///< Delete
    std::vector<EventNote> events;
    std::vector<Observation> observations;
};

/// What a reconciler wants done. Writes go out in order; the first that is refused ends the row,
/// and the object is reconciled again.
struct Outcome {
    std::vector<Write> writes;
    /// Rows of writes, of which the first that is accepted is made if the API server refuses the
    /// row above for good. A refusal of one write must not keep others from being made.
    std::vector<std::vector<Write>> instead;
    bool are_independent = false;    ///< each write is a row of its own: none waits for another
    std::vector<EventNote> events;   ///< without a write
    std::optional<Time> requeue_at;  ///< reconcile again then, whatever happens
    std::optional<std::string>
        try_later;  ///< something is missing (the text says what): reconcile again, ever later
};

}  // namespace sluice::controller
