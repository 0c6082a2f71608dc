// The result of a reconcile: writes to the API server, events, metrics and the next time to look.
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

/// The controller's decisions about one object: level-based and pure. A reconciler reads the stores
/// and says what to write. It neither waits nor keeps state, so it may run again at any time.
namespace sluice::controller {

using kube::Kind;
using kube::kind_of;
using kube::ObjectKey;

using api::ObjectReference;
using kube::EventNote;
using kube::EventType;

/// A fact that is counted in a metric once its write is accepted.
struct Observation {
    enum class Kind : std::uint8_t {
        QuotaReserved,
        Admitted,
        PodsReady,  ///< for the first time since the admission
        Evicted,
        Preempted,
        WorkloadCreated,
        GateOpened  ///< a scheduling gate was removed from a pod; `reason` is the gate's name
    };
    Kind kind = Kind::Evicted;
    std::string cluster_queue;
    std::string local_queue;
    std::string ns;
    std::string workload;
    std::string reason;
    std::string underlying_cause;
    std::string priority_class;
    bool is_group = false;    ///< GateOpened: the pod is a member of a group
    bool first_time = false;  ///< Evicted: the first eviction of this workload for this reason
    Duration since_queued{};
    Duration since_reserved{};
    Duration since_admitted{};
    std::optional<Duration> since_pods_ready{};  ///< Evicted: nullopt if pods were not ready
};

enum class Verb : std::uint8_t {
    Create,
    MergePatch,        ///< application/merge-patch+json
    MergePatchStatus,  ///< application/merge-patch+json on /status
    ApplyStatus,       ///< server-side apply on /status, forced
    Delete,            ///< background propagation, with the uid as precondition
};

/// One request to the API server, with the events and metrics to record when it is accepted.
struct Write {
    Verb verb = Verb::MergePatch;
    ObjectKey object;
    json::Value body;           ///< Create: the object; patches: the patch
    std::string field_manager;  ///< ApplyStatus only
    std::string uid;            ///< Delete only: the precondition
    std::vector<EventNote> events;
    std::vector<Observation> observations;
};

/// The actions that a reconciler asks for. Writes are made in order; the first refusal drops the
/// rest, and the object is reconciled again.
struct Outcome {
    std::vector<Write> writes;
    /// Alternative rows of writes, for the case that the API server refuses `writes` permanently:
    /// they are tried in order until one is accepted. So a refusal of one write does not block
    /// others.
    std::vector<std::vector<Write>> instead;
    bool are_independent = false;    ///< each write is its own row: none waits for another
    std::vector<EventNote> events;   ///< events that depend on no write
    std::optional<Time> requeue_at;  ///< reconcile again at this time, whatever happens
    std::optional<std::string>
        try_later;  ///< something is missing (the text says what): reconcile again with back-off
};

}  // namespace sluice::controller
