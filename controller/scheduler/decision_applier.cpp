#include "controller/scheduler/decision_applier.hpp"

#include "api/kueue/kueue_names.hpp"
#include "base/log.hpp"
#include "controller/reconcile/pod_groups.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "controller/scheduler/decision_writes.hpp"
#include "workload/pods/text.hpp"
#include "workload/status/messages.hpp"
#include "workload/status/status.hpp"
#include "workload/translation/queueable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

/// How many reasons of parked classes are kept; above that, all are forgotten and found again.
constexpr std::size_t kParkedClassesMax = 10'000;
constexpr const char* kBypassed =
    "Bypassed scheduling evaluation because an equivalent workload recently failed";

std::int64_t whole_seconds(Duration duration) {
    return std::chrono::round<std::chrono::seconds>(duration).count();
}

ObjectKey write_key(const kube::NamespacedName& key) {
    return {kind_of<api::Workload>(), key.namespace_, key.name};
}

/// Returns the delay before a failed reason is written again: its writes take room from decisions.
Duration delay_after(std::uint32_t failures) {
    constexpr std::uint32_t kDoublings = 6;
    return std::chrono::seconds(1U << std::min(failures, kDoublings));
}

}  // namespace

void DecisionApplier::apply(const engine::CycleResult& result) {
    // Build all texts before sending any: an event to the engine would change its indices.
    for (const engine::AdmissionDecision& decision : result.admitted) {
        take_admission(decision);
    }
    for (const engine::PreemptionDecision& decision : result.preempted) {
        take_preemption(decision);
    }
    for (const engine::SecondPassDecision& decision : result.second_passes) {
        take_second_pass(decision);
    }
    for (const engine::RefusalDecision& decision : result.refused) {
        if (!decision.leaves_flavors_over) {
            take_refusal(decision);
        }
    }
    for (const Key& key : std::exchange(touched_, {})) {
        send(key);
    }
}

void DecisionApplier::take_admission(const engine::AdmissionDecision& decision) {
    const Key key = kube::parse_namespaced_name(parts_.state.workload_key(decision.workload));
    const auto workload = parts_.stores.of<api::Workload>().find(key);
    Admission admission;
    if (workload) {
        admission.uid = workload->metadata.uid;
        admission.generation = workload->metadata.generation;
        admission.admission =
            workload::make_admission(parts_.translator, parts_.state, decision, *workload);
        admission.considered = workload::considered_flavors(
            parts_.state, decision, *workload, parts_.translator.references()
        );
    }
    Entry& entry = entries_[key];
    entry.refusal.reset();
    entry.admission = std::move(admission);
    touched_.push_back(key);
}

void DecisionApplier::take_refusal(const engine::RefusalDecision& decision) {
    const auto reason = workload::shown_reason(decision.reason, parts_.settings.gates);
    const Key key = kube::parse_namespaced_name(parts_.state.workload_key(decision.workload));
    const auto workload = parts_.stores.of<api::Workload>().find(key);
    if (!workload) {
        return;
    }
    const auto queue =
        parts_.stores.of<api::LocalQueue>().find(key.namespace_, workload->spec.queue_name);
    const auto cluster_queue =
        queue ? parts_.stores.of<api::ClusterQueue>().find(queue->spec.cluster_queue) : nullptr;
    Refusal refusal{
        .uid = workload->metadata.uid,
        .reason = std::string(reason),
        .message = workload::refusal_message(
            parts_.state, decision, *workload, cluster_queue.get(), parts_.translator
        ),
        .blocked_on_gates = decision.kind == engine::RefusalKind::PreemptionGated,
        .is_of_class = false,
    };
    const bool is_of_class = !refusal.blocked_on_gates;  // members of its class may lack gates
    Parked latest{.reason = refusal.reason, .message = refusal.message, .has_unreported = false};
    entries_[key].refusal = std::move(refusal);
    touched_.push_back(key);
    const std::uint64_t scheduling_class =
        parts_.state.workload(decision.workload).scheduling_class;
    if (cluster_queue && scheduling_class != 0 && is_of_class &&
        decision.requeued == engine::RequeuedTo::Inadmissible) {
        if (parked_.size() >= kParkedClassesMax) {
            parked_.clear();
        }
        const auto class_key = std::pair(cluster_queue->metadata.name, scheduling_class);
        const Parked before = std::exchange(parked_[class_key], std::move(latest));
        if (before.has_unreported) {
            report_parked_class(decision);
        }
    }
}

void DecisionApplier::send(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) {
        return;
    }
    Entry& entry = found->second;
    const bool is_busy = (entry.admission && entry.admission->sent) ||
                         (entry.eviction && entry.eviction->sent) || entry.refusal_sent;
    const auto workload = parts_.stores.of<api::Workload>().find(key);
    if (is_busy || (workload && !parts_.sink.is_settled(write_key(key)))) {
        return;
    }
    if (entry.admission) {
        const bool is_unreadable =
            parts_.stores.find(kind_of<api::Workload>())->unreadable().contains(key);
        if (is_unreadable || is_outdated(*entry.admission, workload.get())) {
            const bool is_gone = !workload || workload->metadata.uid != entry.admission->uid;
            forget_admission(entry, is_gone);
            forget_if_done(key);
            const Time now = parts_.clock.now();
            parts_.feeder.apply(
                engine::AdmissionFailed{
                    .ns = key.namespace_, .name = key.name, .object_gone = is_gone
                },
                now
            );
            parts_.feeder.workload_changed(key.namespace_, key.name, now);
            send(key);  // an eviction may have waited for the admission
            return;
        }
        send_admission(key, *entry.admission, *workload);
    } else if (entry.eviction) {
        if (!workload || workload->metadata.uid != entry.eviction->uid ||
            !has_quota_reserved(*workload) || is_evicted(*workload) || is_finished(*workload)) {
            entry.eviction.reset();
            forget_if_done(key);
            return;
        }
        send_eviction(key, *entry.eviction, *workload);
    } else if (entry.refusal) {
        const bool is_moot = workload && entry.refusal->is_of_class && !is_undecided(*workload);
        if (!workload || workload->metadata.uid != entry.refusal->uid || is_moot ||
            !is_waiting(*workload)) {
            entry.refusal.reset();
            forget_if_done(key);
            return;
        }
        if (entry.refusal_not_before > parts_.clock.instant()) {
            later_.insert({entry.refusal_not_before, key});
            return;
        }
        if (workload->metadata.resource_version == entry.refused_version) {
            return;  // the watch has not delivered the newer state yet
        }
        if (!parts_.sink.has_room()) {
            waiting_.insert(key);
            return;
        }
        const Refusal latest = std::move(*entry.refusal);
        entry.refusal.reset();
        send_refusal(key, latest, *workload);
    }
}

void DecisionApplier::forget_admission(Entry& entry, bool is_object_gone) {
    if (is_object_gone || !entry.admission || !entry.admission->is_second_pass) {
        entry.eviction.reset();  // without its admission the workload has nothing to give back
    }
    entry.admission.reset();
}

bool DecisionApplier::is_outdated(const Admission& admission, const api::Workload* workload) const {
    const auto queue =
        parts_.stores.of<api::ClusterQueue>().find(admission.admission.cluster_queue);
    return workload == nullptr || workload->metadata.uid != admission.uid ||
           workload->metadata.generation != admission.generation || !queue ||
           queue->metadata.deletion_timestamp ||
           (admission.is_second_pass &&
            (!has_quota_reserved(*workload) || is_evicted(*workload) || is_finished(*workload)));
}

bool DecisionApplier::has_holders(const std::string& cluster_queue) const {
    const engine::NodeIndex index = parts_.state.find_cluster_queue(cluster_queue);
    const bool has = index.is_valid() && !parts_.state.cluster_queue(index).holders.empty();
    return has || std::ranges::any_of(entries_, [&cluster_queue](const auto& entry) {
               const std::optional<Admission>& admission = entry.second.admission;
               return admission && admission->admission.cluster_queue == cluster_queue;
           });
}

std::optional<Instant> DecisionApplier::next_attempt() const {
    return later_.empty() ? std::nullopt : std::optional(later_.begin()->first);
}

bool DecisionApplier::send_waiting() {
    const Instant now = parts_.clock.instant();
    while (!later_.empty() && later_.begin()->first <= now) {
        waiting_.insert(later_.begin()->second);
        later_.erase(later_.begin());
    }
    while (!waiting_.empty() && parts_.sink.has_room()) {
        auto next = waiting_.upper_bound(last_sent_);
        if (next == waiting_.end()) {
            next = waiting_.begin();
        }
        last_sent_ = *next;
        waiting_.erase(next);
        send(last_sent_);
    }
    return waiting_.empty();
}

void DecisionApplier::send_admission(
    const Key& key, Admission& admission, const api::Workload& workload
) {
    const Time now = parts_.clock.now();
    api::Workload changed = workload;
    if (admission.is_second_pass) {
        std::erase_if(changed.status.unhealthy_nodes, [&](const api::UnhealthyNode& node) {
            return std::ranges::find(admission.replaced_nodes, node.name) !=
                   admission.replaced_nodes.end();
        });
    }
    const std::string& queue = admission.admission.cluster_queue;
    const auto cluster_queue = parts_.stores.of<api::ClusterQueue>().find(queue);
    workload::reserve_quota(
        changed,
        admission.admission,
        cluster_queue ? *cluster_queue : api::ClusterQueue{},
        parts_.settings.gates,
        now
    );
    if (parts_.settings.wait_for_pods_ready && has_job(workload.metadata) &&
        !admission.is_second_pass) {
        // Otherwise the job's reconciler would have to write this next.
        workload::set_pods_ready(changed, workload::ConditionStatus::False, now);
    }
    Write write = loose_status_write(changed);
    const Duration waited = now - queued_since(workload);
    Observation seen{
        .kind = Observation::Kind::QuotaReserved,
        .cluster_queue = queue,
        .local_queue = workload.spec.queue_name,
        .ns = key.namespace_,
        .workload = key.name,
        .priority_class = priority_class_name(workload),
        .since_queued = waited,
    };
    if (!admission.is_second_pass) {
        write.events.push_back(decision_event(
            workload,
            api::reason::kQuotaReserved,
            fmt::format(
                "Quota reserved in ClusterQueue {}, wait time since queued was {}s{}{}",
                queue,
                whole_seconds(waited),
                admission.considered.empty() ? "" : "; Flavors considered: ",
                admission.considered
            )
        ));
        write.observations.push_back(seen);
    }
    if (is_admitted(changed) && !is_admitted(workload)) {
        write.events.push_back(decision_event(
            workload,
            api::reason::kAdmitted,
            fmt::format("Admitted by ClusterQueue {}, wait time since reservation was 0s", queue)
        ));
        seen.kind = Observation::Kind::Admitted;
        write.observations.push_back(seen);
    }
    admission.sent = true;
    std::vector<Write> row;
    row.push_back(std::move(write));
    parts_.sink.submit(
        std::move(row),
        Attempts::UntilCertain,
        [this, key, uid = admission.uid](const Result<void>& result) {
            admission_ended(key, uid, result);
        }
    );
}

void DecisionApplier::admission_ended(
    const Key& key, const std::string& uid, const Result<void>& result
) {
    Admission* admission = find_admission(key);
    if (admission == nullptr || admission->uid != uid) {
        return;
    }
    if (result) {
        admission->written = true;
        settle(key);
        return;
    }
    log::warning(
        "admission was rejected",
        {{"workload", kube::to_string(key)}, {"error", result.error().detail}}
    );
    Entry& entry = entries_[key];
    const bool is_gone = result.error().code == ErrorCode::NotFound;
    forget_admission(entry, is_gone);
    forget_if_done(key);
    const Time now = parts_.clock.now();
    parts_.feeder.apply(
        engine::AdmissionFailed{
            .ns = key.namespace_,
            .name = key.name,
            .object_gone = is_gone,
            .back_off = result.error().code != ErrorCode::Conflict,
        },
        now
    );
    parts_.feeder.workload_changed(key.namespace_, key.name, now);
    send(key);
}

DecisionApplier::Admission* DecisionApplier::find_admission(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) {
        return nullptr;
    }
    std::optional<Admission>& admission = found->second.admission;
    return admission ? &*admission : nullptr;
}

void DecisionApplier::settle(const Key& key) {
    const Admission* admission = find_admission(key);
    if (admission == nullptr || !admission->written || !parts_.sink.is_settled(write_key(key))) {
        return;
    }
    entries_[key].admission.reset();
    forget_if_done(key);
    const Time now = parts_.clock.now();
    parts_.feeder.apply(engine::AdmissionWritten{.ns = key.namespace_, .name = key.name}, now);
    parts_.feeder.workload_changed(key.namespace_, key.name, now);
}

void DecisionApplier::send_refusal(
    const Key& key, const Refusal& refusal, const api::Workload& workload
) {
    const Time now = parts_.clock.now();
    api::Workload changed = workload;
    bool is_changed = workload::set_condition(
        changed,
        api::condition::kQuotaReserved,
        workload::ConditionStatus::False,
        refusal.reason,
        refusal.message,
        now
    );
    if (refusal.blocked_on_gates) {
        is_changed =
            workload::block_on_preemption_gates(changed, refusal.message, now) || is_changed;
    }
    is_changed = workload::sync_admitted(changed, parts_.settings.gates, now) || is_changed;
    if (parts_.settings.wait_for_pods_ready && has_job(workload.metadata)) {
        workload::set_pods_ready(changed, workload::ConditionStatus::False, now);
    }
    changed.status.resource_requests = parts_.translator.resource_requests(workload);
    if (!is_changed && changed.status.resource_requests == workload.status.resource_requests) {
        forget_if_done(key);
        return;
    }
    // A reason is valid only for the state it was decided on: a newer one may have an admission.
    Write write = status_write(changed);
    write.events.push_back(
        decision_event(workload, refusal.reason, refusal.message, EventType::Warning)
    );
    entries_[key].refusal_sent = true;
    std::vector<Write> row;
    row.push_back(std::move(write));
    const auto done = [this, key, refusal, version = workload.metadata.resource_version](
                          const Result<void>& result
                      ) { refusal_ended(key, refusal, version, result); };
    parts_.sink.submit(std::move(row), Attempts::AFew, done);
}

void DecisionApplier::refusal_ended(
    const Key& key, const Refusal& refusal, const std::string& version, const Result<void>& result
) {
    Entry& entry = entries_.find(key)->second;
    entry.refusal_sent = false;
    if (!result && result.error().code == ErrorCode::Conflict) {
        entry.refused_version = version;
        if (!entry.refusal && !entry.admission) {
            entry.refusal = refusal;
        }
    } else if (!result && result.error().code != ErrorCode::NotFound) {
        log::warning(
            "cannot write the reason for waiting",
            {{"workload", kube::to_string(key)}, {"error", result.error().detail}}
        );
        if (is_retryable(result.error().code) && !entry.admission) {
            // A refusal that was decided since then is kept: it says more than the one that failed.
            if (!entry.refusal) {
                entry.refusal = refusal;
            }
            entry.refusal_not_before = parts_.clock.instant() + delay_after(entry.refusal_failures);
            ++entry.refusal_failures;
        }
    } else {
        entry.refusal_failures = 0;
    }
    forget_if_done(key);
    send(key);
}

void DecisionApplier::workload_changed(const std::string& ns, const std::string& name) {
    const Key key{ns, name};
    settle(key);
    report_parked(key);
    send(key);
}

bool DecisionApplier::is_waiting(const api::Workload& workload) const {
    const engine::WorkloadIndex index =
        parts_.state.find_workload(workload.metadata.namespace_ + "/" + workload.metadata.name);
    return workload::is_queueable(workload, parts_.settings.gates) && index.is_valid() &&
           parts_.state.workload(index).is_queued();
}

bool DecisionApplier::is_unreported(const api::Workload& workload) const {
    return is_undecided(workload) && workload::is_queueable(workload, parts_.settings.gates);
}

void DecisionApplier::report_parked(const Key& key) {
    const auto workload = parts_.stores.of<api::Workload>().find(key);
    const engine::WorkloadIndex index = parts_.state.find_workload(kube::to_string(key));
    if (!workload || !index.is_valid() || !is_unreported(*workload) || entries_.contains(key)) {
        return;
    }
    const engine::WorkloadRecord& record = parts_.state.workload(index);
    const auto queue =
        parts_.stores.of<api::LocalQueue>().find(key.namespace_, workload->spec.queue_name);
    const auto found =
        queue ? parked_.find({queue->spec.cluster_queue, record.scheduling_class}) : parked_.end();
    if (found == parked_.end()) {
        return;
    }
    Parked& parked = found->second;
    if (parts_.state.bucket(index) != engine::Bucket::Inadmissible) {
        parked.has_unreported = true;
        return;
    }
    const bool has_condition = find_condition(*workload, api::condition::kQuotaReserved) != nullptr;
    if (has_condition && !is_scheduler_reason(parked.reason)) {
        return;  // the Workload's reconciler would remove this reason if it does not apply
    }
    // Kueue has its own message for a class that is passed over. If it would write none, the
    // message of the workload that was tried says more, because it has numbers.
    const workload::TranslationGates& gates = parts_.settings.gates;
    const bool has_kueue_message = gates.unadmitted_workloads_observability &&
                                   (has_condition || gates.unadmitted_workloads_explicit_status);
    entries_[key].refusal = Refusal{
        .uid = workload->metadata.uid,
        .reason = parked.reason,
        .message = has_kueue_message ? kBypassed : parked.message,
        .blocked_on_gates = false,
        .is_of_class = true,
    };
}

void DecisionApplier::report_parked_class(const engine::RefusalDecision& decision) {
    const std::uint64_t scheduling_class =
        parts_.state.workload(decision.workload).scheduling_class;
    const auto& pending = parts_.state.cluster_queue(decision.cluster_queue).pending;
    pending.for_each_parked_of(scheduling_class, [&](engine::WorkloadIndex index) {
        if (index != decision.workload) {
            touched_.push_back(kube::parse_namespaced_name(parts_.state.workload_key(index)));
            report_parked(touched_.back());
        }
    });
}

void DecisionApplier::forget_if_done(const Key& key) {
    const auto found = entries_.find(key);
    if (found != entries_.end() && !found->second.admission && !found->second.eviction &&
        !found->second.refusal && !found->second.refusal_sent) {
        entries_.erase(found);
        waiting_.erase(key);
    }
}

}  // namespace sluice::controller
