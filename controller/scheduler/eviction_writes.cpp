// Writes evictions: of victims, and of workloads whose failed node nothing replaces.
#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "controller/scheduler/decision_applier.hpp"
#include "controller/scheduler/decision_writes.hpp"
#include "workload/pods/text.hpp"
#include "workload/status/messages.hpp"
#include "workload/status/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::controller {
namespace {

bool has_evictions_of(const api::Workload& workload, const workload::Eviction& why) {
    const auto& stats = workload.status.scheduling_stats;
    const auto is_it = [&why](const auto& entry) {
        return entry.reason == why.reason && entry.underlying_cause == why.cause;
    };
    return stats && std::ranges::any_of(stats->evictions, is_it);
}

}  // namespace

void DecisionApplier::take_preemption(const engine::PreemptionDecision& decision) {
    const Key key = kube::parse_namespaced_name(parts_.state.workload_key(decision.victim));
    const Key preemptor_key =
        kube::parse_namespaced_name(parts_.state.workload_key(decision.preemptor));
    const auto victim = parts_.stores.of<api::Workload>().find(key);
    const auto preemptor = parts_.stores.of<api::Workload>().find(preemptor_key);
    Eviction eviction;
    eviction.reason = workload::to_string(decision.reason);
    if (victim && preemptor) {
        eviction.uid = victim->metadata.uid;
        eviction.message = workload::preemption_message(parts_.state, decision, *preemptor);
        eviction.tail = workload::priorities_note(parts_.translator, *preemptor, *victim);
        eviction.preemptor_ns = preemptor_key.namespace_;
        eviction.preemptor_name = preemptor_key.name;
        eviction.cluster_queue = parts_.state.node_name(decision.victim_cluster_queue);
        eviction.preemptor_cluster_queue = parts_.state.node_name(decision.preemptor_cluster_queue);
    }
    entries_[key].eviction = std::move(eviction);
    touched_.push_back(key);
}

void DecisionApplier::take_second_pass(const engine::SecondPassDecision& decision) {
    using enum engine::SecondPassDecision::Outcome;
    const Key key = kube::parse_namespaced_name(parts_.state.workload_key(decision.workload));
    const auto workload = parts_.stores.of<api::Workload>().find(key);
    switch (decision.outcome) {
        case Assigned: {
            Admission admission;
            admission.is_second_pass = true;
            if (workload) {
                admission.uid = workload->metadata.uid;
                admission.generation = workload->metadata.generation;
                admission.admission =
                    workload::make_admission(parts_.translator, parts_.state, decision, *workload);
                for (const api::UnhealthyNode& node : workload->status.unhealthy_nodes) {
                    admission.replaced_nodes.push_back(node.name);
                }
            }
            entries_[key].admission = std::move(admission);
            break;
        }
        case Evicted: {
            Eviction eviction;
            eviction.reason = api::reason::kNodeFailures;
            eviction.is_preemption = false;
            if (workload) {
                eviction.uid = workload->metadata.uid;
                eviction.message = workload::no_replacement_message(*workload);
            }
            entries_[key].eviction = std::move(eviction);
            break;
        }
        case Failed:
            if (workload) {
                report_failed_pass(decision, *workload);
            }
            return;  // it is tried again
    }
    touched_.push_back(key);
}

void DecisionApplier::report_failed_pass(
    const engine::SecondPassDecision& decision, const api::Workload& workload
) const {
    const auto cluster_queue =
        parts_.stores.of<api::ClusterQueue>().find(parts_.state.node_name(decision.cluster_queue));
    const std::string message = workload::refusal_message(
        parts_.state, decision.refusal, workload, cluster_queue.get(), parts_.translator
    );
    if (!message.empty()) {
        parts_.on_event(decision_event(
            workload,
            api::reason::kSecondPassFailed,
            workload::truncated_event_note(message),
            EventType::Warning
        ));
    }
}

void DecisionApplier::note_preemption(
    const Key& key, const Eviction& eviction, const api::Workload& workload, Write& write
) const {
    write.events.push_back(
        decision_event(workload, api::reason::kPreempted, eviction.message + eviction.tail)
    );
    if (const auto preemptor = parts_.stores.of<api::Workload>().find(
            eviction.preemptor_ns, eviction.preemptor_name
        )) {
        write.events.push_back(decision_event(
            *preemptor,
            api::reason::kPreemptedWorkload,
            fmt::format(
                "Preempted workload {} (UID: {}) in ClusterQueue {}{}",
                kube::to_string(key),
                workload.metadata.uid,
                eviction.cluster_queue,
                eviction.tail
            )
        ));
    }
    write.observations.push_back(
        {.kind = Observation::Kind::Preempted,
         .cluster_queue = eviction.preemptor_cluster_queue,
         .reason = eviction.reason}
    );
}

void DecisionApplier::send_eviction(
    const Key& key, Eviction& eviction, const api::Workload& workload
) {
    const Time now = parts_.clock.now();
    api::Workload changed = workload;
    const workload::Eviction why{
        .reason = eviction.is_preemption ? api::reason::kPreempted : eviction.reason,
        .message = eviction.message,
        .cause = {}
    };
    if (eviction.is_preemption) {
        workload::preempt(changed, eviction.reason, eviction.message, now);
    } else {
        workload::evict(changed, why, now);
    }
    const bool is_first = !has_evictions_of(workload, why);
    Write write = loose_status_write(changed);
    note_eviction(write, workload, why, is_first, kDecisionController, now);
    if (eviction.is_preemption) {
        note_preemption(key, eviction, workload, write);
    }
    eviction.sent = true;
    std::vector<Write> row;
    row.push_back(std::move(write));
    parts_.sink
        .submit(std::move(row), Attempts::UntilCertain, [this, key](const Result<void>& result) {
            const auto found = entries_.find(key);
            if (found == entries_.end()) {
                return;
            }
            found->second.eviction.reset();
            forget_if_done(key);
            if (!result) {
                parts_.feeder.apply(
                    engine::PreemptionFailed{.ns = key.namespace_, .name = key.name},
                    parts_.clock.now()
                );
            }
            send(key);
        });
}

}  // namespace sluice::controller
