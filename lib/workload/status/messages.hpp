// Prints the engine's decisions in the words of conditions and events.
#pragma once

#include "api/kueue/workload.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "workload/translation/translator.hpp"

#include <string>
#include <string_view>

/// Prints the engine's decisions in the words of conditions and events.
namespace sluice::workload {

/// The message for a workload that needs to evict others, while its preemption gates forbid it.
inline constexpr std::string_view kPreemptionGated = "Workload requires preemption, but it's gated";

/// Returns the reason as condition Preempted spells it.
std::string_view to_string(engine::PreemptionReason reason);

/// Returns the reason of condition QuotaReserved=False. Without the gate
/// UnadmittedWorkloadsObservability, the reason of older versions of Kueue.
std::string_view waiting_reason(engine::WaitingReason reason, const TranslationGates& gates);
/// Returns the reason that a user is shown. Kueue shows none in two cases, which the API rejects.
std::string_view shown_reason(engine::WaitingReason reason, const TranslationGates& gates);

/// Returns the message of condition QuotaReserved=False. Requires: the decision's indices are still
/// valid in the state. `queue`: the workload's ClusterQueue, nullptr if it does not exist.
std::string refusal_message(
    const engine::State& state,
    const engine::RefusalDecision& refusal,
    const api::Workload& workload,
    const api::ClusterQueue* queue,
    const Translator& translator
);

/// Returns the flavors that an admission skipped or borrows from, by podSet, as event QuotaReserved
/// lists them after "; Flavors considered: ". Empty without such flavors.
std::string considered_flavors(
    const engine::State& state,
    const engine::AdmissionDecision& decision,
    const api::Workload& workload,
    const References& references
);

/// Returns the message of conditions Preempted and Evicted, and of the victim's event
/// EvictedDueToPreempted.
std::string preemption_message(
    const engine::State& state,
    const engine::PreemptionDecision& decision,
    const api::Workload& preemptor
);

/// Returns the message of condition Finished, and of the event, for a slice that was replaced by
/// `replacement`.
std::string replacement_message(const api::Workload& replacement);

/// Returns "; preemptor effective priority: …; preemptee effective priority: …", the end of both
/// Preempted events.
std::string priorities_note(
    const Translator& translator, const api::Workload& preemptor, const api::Workload& victim
);

/// Returns status.admission for a decision.
api::Admission make_admission(
    const Translator& translator,
    const engine::State& state,
    const engine::AdmissionDecision& decision,
    const api::Workload& workload
);

/// Returns the message of the eviction of a workload whose failed node nothing replaces.
std::string no_replacement_message(const api::Workload& workload);

/// Returns the admission of a workload after a second pass: with the topology that was found, and
/// otherwise as it was. Requires: no event has been applied since the decision.
api::Admission make_admission(
    const Translator& translator,
    const engine::State& state,
    const engine::SecondPassDecision& decision,
    const api::Workload& workload
);

}  // namespace sluice::workload
