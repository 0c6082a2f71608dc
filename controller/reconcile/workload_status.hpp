#pragma once

#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "workload/status/status.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What a Workload's status says, and how changes of it (workload/status.hpp) are written.
namespace sluice::controller {

/// Field manager of the status fields that the controller decides.
inline constexpr std::string_view kAdmissionManager = "kueue-admission";
/// Who tells the events of the Workload's reconciler.
inline constexpr std::string_view kWorkloadController = "kueue-workload-controller";

const api::Condition* find_condition(const api::Workload& workload, std::string_view type);
/// Whether the condition is there and True.
bool is_true(const api::Workload& workload, std::string_view type);
bool has_quota_reserved(const api::Workload& workload);
bool is_admitted(const api::Workload& workload);
bool is_evicted(const api::Workload& workload);
bool is_finished(const api::Workload& workload);
/// Whether QuotaReserved=False with this reason stays until the scheduler says otherwise.
bool is_scheduler_reason(std::string_view reason);
/// Whether a cycle said of the condition QuotaReserved that gates keep it from evicting others. The
/// reason is that of an admission gate, which no cycle speaks of.
bool is_preemption_gated(const api::Condition& reserved);
/// No cycle has judged it since it was told anything else: no QuotaReserved, or PendingEvaluation.
bool is_undecided(const api::Workload& workload);
/// spec.active is not false.
bool is_active(const api::Workload& workload);
/// Holds quota in the eyes of the scheduler: reserved, active, not finished.
bool holds_quota(const api::Workload& workload);

/// The name of the first slice of the row that the Workload is in.
const std::string& slice_name(const api::Workload& workload);
/// Whether the condition Requeued is False for that reason.
bool is_requeued_false(const api::Workload& workload, std::string_view reason);

/// The event and the count of an eviction, for its write; empty when the workload had no admission.
void note_eviction(
    Write& write,
    const api::Workload& before,
    const workload::Eviction& eviction,
    bool is_first,
    std::string_view controller,
    Time now
);

/// What an apply names of the object that it was made from.
enum class Precondition : std::uint8_t {
    Uid,      ///< it holds on any newer state of the same object
    Version,  ///< it is refused when the object changed since
};

/// The part of the status that `kueue-admission` owns, as a server-side apply.
json::Value status_apply(const api::Workload& workload, Precondition precondition);

/// A strict apply of the status.
Write status_write(const api::Workload& workload);

/// Removes one finalizer, strictly; none when it is not there.
std::optional<Write> remove_finalizer(const api::Workload& workload);

/// Marks it finished, unless it is already.
void finish(api::Workload& workload, std::string_view reason, std::string_view message, Time now);

/// The write that finishes a Workload whose owner is gone.
Write finish_orphan(const api::Workload& workload, Time now);

/// When it began to wait: the last change of Requeued, else its creation.
Time queued_since(const api::Workload& workload);

/// The name of its priority class, or "".
std::string priority_class_name(const api::Workload& workload);

/// The object as the stores and writes name it.
ObjectKey key_of(const api::Workload& workload);

/// The object as an event names it.
ObjectReference reference_to(const api::Workload& workload);

}  // namespace sluice::controller
