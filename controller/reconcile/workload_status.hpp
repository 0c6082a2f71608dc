// Questions to a Workload's status, and the writes that change it.
#pragma once

#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "workload/status/status.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The status of a Workload: what it says, and how changes of it (workload/status.hpp) are written.
namespace sluice::controller {

/// The field manager of the status fields that the controller sets.
inline constexpr std::string_view kAdmissionManager = "kueue-admission";
/// The reportingController of events from the Workload's reconciler.
inline constexpr std::string_view kWorkloadController = "kueue-workload-controller";

/// Returns nullptr if the status has no condition of that type.
const api::Condition* find_condition(const api::Workload& workload, std::string_view type);
/// Returns true if the condition exists and its status is True.
bool is_true(const api::Workload& workload, std::string_view type);
bool has_quota_reserved(const api::Workload& workload);
bool is_admitted(const api::Workload& workload);
bool is_evicted(const api::Workload& workload);
bool is_finished(const api::Workload& workload);
/// Returns true if QuotaReserved=False with this reason stays until the scheduler sets another one.
bool is_scheduler_reason(std::string_view reason);
/// Returns true if a scheduling cycle wrote this condition QuotaReserved because preemption gates
/// keep the Workload from preempting. It has the reason AdmissionGated, which cycles otherwise
/// never write.
bool is_preemption_gated(const api::Condition& reserved);
/// Returns true if the Workload still waits for a cycle to judge it: the condition QuotaReserved is
/// missing, or it is False with the reason PendingEvaluation.
bool is_undecided(const api::Workload& workload);
/// Returns true unless spec.active is false.
bool is_active(const api::Workload& workload);
/// Returns true if the Workload holds quota in the eyes of the scheduler: the quota is reserved,
/// the Workload is not finished, and it is active or may still have pods.
bool holds_quota(const api::Workload& workload);

/// Returns the name of the first slice in the chain of slices that the Workload belongs to; the
/// Workload's own name if its annotation is missing.
const std::string& slice_name(const api::Workload& workload);
/// Returns true if the condition Requeued is False with that reason.
bool is_requeued_false(const api::Workload& workload, std::string_view reason);

/// Adds the event and the metric of an eviction to its write; does nothing if the Workload had no
/// admission. `is_first`: the first eviction of this Workload for this reason.
void note_eviction(
    Write& write,
    const api::Workload& before,
    const workload::Eviction& eviction,
    bool is_first,
    std::string_view controller,
    Time now
);

/// The state of an object on which an apply depends.
enum class Precondition : std::uint8_t {
    Uid,      ///< accepted for any newer state of the same object
    Version,  ///< refused if the object has changed since it was read
};

/// Returns the part of the status that `kueue-admission` owns, as a body of a server-side apply.
json::Value status_apply(const api::Workload& workload, Precondition precondition);

/// Returns a server-side apply of the status that is refused if the Workload has changed.
Write status_write(const api::Workload& workload);

/// Returns a write that removes the finalizer `resource-in-use` and is refused if the Workload has
/// changed; nullopt if the Workload does not have the finalizer.
std::optional<Write> remove_finalizer(const api::Workload& workload);

/// Sets the condition Finished, unless it is True already.
void finish(api::Workload& workload, std::string_view reason, std::string_view message, Time now);

/// Returns the write that finishes a Workload whose owner is gone.
Write finish_orphan(const api::Workload& workload, Time now);

/// Returns when the Workload began to wait: the last change of Requeued, else its creation.
Time queued_since(const api::Workload& workload);

/// Returns the name of the Workload's priority class, or "".
std::string priority_class_name(const api::Workload& workload);

/// Returns the Workload's key in stores and writes.
ObjectKey key_of(const api::Workload& workload);

/// Returns the reference to the Workload for an event.
ObjectReference reference_to(const api::Workload& workload);

}  // namespace sluice::controller
