#pragma once

#include "api/kueue/workload.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "workload/translation/translator.hpp"

#include <string>
#include <string_view>

/// The engine's decisions in the words of conditions and events.
namespace sluice::workload {

/// The message for a workload that would have to evict others, and has gates that forbid it.
inline constexpr std::string_view kPreemptionGated = "Workload requires preemption, but it's gated";

/// As condition Preempted spells it.
std::string_view to_string(engine::PreemptionReason reason);

/// The reason of condition QuotaReserved=False; without gate UnadmittedWorkloadsObservability the
/// older one.
std::string_view waiting_reason(engine::WaitingReason reason, const TranslationGates& gates);

/// The message of condition QuotaReserved=False. Requires: the state still knows the decision's
/// indices. `queue`: the workload's ClusterQueue, nullptr when there is none.
std::string refusal_message(
    const engine::State& state,
    const engine::RefusalDecision& refusal,
    const api::Workload& workload,
    const api::ClusterQueue* queue,
    const Translator& translator
);

/// The flavors that an admission passed over or borrows from, by podSet, as event QuotaReserved
/// tells them after "; Flavors considered: "; "": there are none.
std::string considered_flavors(
    const engine::State& state,
    const engine::AdmissionDecision& decision,
    const api::Workload& workload,
    const References& references
);

/// The message of conditions Preempted and Evicted, and of the victim's event
/// EvictedDueToPreempted.
std::string preemption_message(
    const engine::State& state,
    const engine::PreemptionDecision& decision,
    const api::Workload& preemptor
);

/// The message of condition Finished, and of the event, of a slice whose place `replacement` took.
std::string replacement_message(const api::Workload& replacement);

/// "; preemptor effective priority: …; preemptee effective priority: …", the tail of both Preempted
/// events.
std::string priorities_note(
    const Translator& translator, const api::Workload& preemptor, const api::Workload& victim
);

/// status.admission for that decision.
api::Admission make_admission(
    const engine::State& state,
    const engine::AdmissionDecision& decision,
    const api::Workload& workload
);

}  // namespace sluice::workload
