#include "controller/process/metrics/metrics_reporter.hpp"

#include "api/kueue/kueue_names.hpp"
#include "base/version.hpp"
#include "controller/process/metrics/metric_numbers.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

/// Limits of one refresh, so that none blocks the loop for long.
constexpr std::size_t kQueuesAtOnce = 64;
constexpr std::size_t kWorkloadsAtOnce = 20'000;
/// How long changes are gathered.
constexpr Duration kRefreshDelay = std::chrono::milliseconds(100);
/// Counting this many pending workloads takes a few milliseconds.
constexpr std::size_t kWorkloadsADelay = 100'000;
/// Refresh period of values that no change reports, for example the retries of reconcilers.
constexpr Duration kRefreshPeriod = std::chrono::seconds(5);

/// Returns true if the object was added, deleted or changed by more than its status.
template <class T>
bool has_new_spec(const kube::Change<T>& change) {
    return !change.before || !change.after ||
           change.before->metadata.uid != change.after->metadata.uid ||
           change.before->metadata.generation != change.after->metadata.generation ||
           change.before->metadata.deletion_timestamp.has_value() !=
               change.after->metadata.deletion_timestamp.has_value();
}

double in_seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

/// Returns the time between the transitions of two conditions; zero if one of them is missing.
Duration time_between(const api::Condition* from, const api::Condition* to) {
    if (from == nullptr || to == nullptr || !from->last_transition_time ||
        !to->last_transition_time) {
        return Duration::zero();
    }
    return std::max<Duration>(
        *to->last_transition_time - *from->last_transition_time, Duration::zero()
    );
}

}  // namespace

MetricsReporter::MetricsReporter(const Parts& parts)
    : parts_(parts),
      custom_(parts.custom_labels),
      metrics_(registry_, custom_),
      runtime_(registry_, parts.runtime),
      tally_(parts.translator.settings().gates, custom_),
      queues_(
          {.stores = parts.stores,
           .translator = parts.translator,
           .state = parts.state,
           .tally = tally_,
           .metrics = metrics_,
           .custom = custom_,
           .cluster_queue_resources = parts.cluster_queue_resources,
           .local_queues = parts.local_queues,
           .unadmitted = parts.unadmitted,
           .local_queue_selector =
               parts_.local_queue_selector ? &*parts_.local_queue_selector : nullptr}
      ),
      cohorts_(parts.state, tally_, metrics_) {
    // If the stores are added later, all objects arrive as changes.
    if (parts_.stores.find(kind_of<api::Workload>()) != nullptr) {
        for (const auto& [key, workload] : parts_.stores.of<api::Workload>().all()) {
            tally_.changed(nullptr, workload.get());
        }
        read_custom_labels();
    }
    mark_all();
    metrics_.build_info.set({"v" + std::string(version()), "", "", "", "clang", ""}, 1);
}

void MetricsReporter::read_custom_labels() {
    for (const auto& [key, queue] : parts_.stores.of<api::ClusterQueue>().all()) {
        relabel(metrics::LabelSource::ClusterQueue, key.name, queue->metadata, [] {});
    }
    for (const auto& [key, cohort] : parts_.stores.of<api::Cohort>().all()) {
        relabel(metrics::LabelSource::Cohort, key.name, cohort->metadata, [] {});
    }
    for (const auto& [key, queue] : parts_.stores.of<api::LocalQueue>().all()) {
        const std::string name = key.namespace_ + "/" + key.name;
        relabel(metrics::LabelSource::LocalQueue, name, queue->metadata, [] {});
    }
}

bool MetricsReporter::relabel(
    metrics::LabelSource source,
    const std::string& key,
    const api::ObjectMeta& metadata,
    const std::function<void()>& drop_gauges
) {
    if (!custom_.store(source, key, metadata.labels, metadata.annotations)) {
        return false;
    }
    drop_gauges();
    return true;
}

void MetricsReporter::set_role(const std::string& role) {
    registry_.set_role(role);
    runtime_.set_role(role);
    queues_.forget();
    cohorts_.forget();
    audit_group_.forget();
    capacity_group_.forget();
    report_audit();
    mark_all();
}

void MetricsReporter::observe(const Observation& o) {
    const metrics::Labels by_class{o.cluster_queue, o.priority_class};
    switch (o.kind) {
        case Observation::Kind::QuotaReserved:
            metrics_.quota_reserved_workloads_total.add(by_class);
            metrics_.quota_reserved_wait_time_seconds.observe(by_class, in_seconds(o.since_queued));
            break;
        case Observation::Kind::Admitted:
            metrics_.admitted_workloads_total.add(by_class);
            metrics_.admission_wait_time_seconds.observe(by_class, in_seconds(o.since_queued));
            metrics_.admission_checks_wait_time_seconds.observe(
                by_class, in_seconds(o.since_reserved)
            );
            if (parts_.cohorts) {
                cohorts_.count_admission(o.cluster_queue, o.priority_class);
            }
            break;
        case Observation::Kind::PodsReady:
            metrics_.ready_wait_time_seconds.observe(by_class, in_seconds(o.since_queued));
            metrics_.admitted_until_ready_wait_time_seconds.observe(
                by_class, in_seconds(o.since_admitted)
            );
            break;
        case Observation::Kind::Evicted: {
            const metrics::Labels labels{
                o.cluster_queue, o.reason, o.underlying_cause, o.priority_class
            };
            metrics_.evicted_workloads_total.add(labels);
            if (o.first_time) {
                metrics_.evicted_workloads_once_total.add(labels);
            }
            if (o.since_pods_ready) {
                metrics_.pods_ready_to_evicted_time_seconds.observe(
                    {o.cluster_queue, o.reason, o.underlying_cause}, in_seconds(*o.since_pods_ready)
                );
            }
            break;
        }
        case Observation::Kind::Preempted:
            metrics_.preempted_workloads_total.add({o.cluster_queue, o.reason});
            return;
        case Observation::Kind::WorkloadCreated:
            observe_creation(o);
            return;
        case Observation::Kind::GateOpened:
            metrics_.pod_scheduling_gate_removal_seconds.observe(
                {o.reason, o.cluster_queue, o.is_group ? "true" : "false"},
                in_seconds(o.since_admitted)
            );
            return;
    }
    if (counts_for(o.ns, o.local_queue)) {
        observe_local_queue(o);
    }
}

void MetricsReporter::observe_creation(const Observation& o) {
    if (!parts_.creation_latency) {
        return;
    }
    metrics::Labels labels{o.reason};
    std::ranges::copy(
        custom_.kept(metrics::LabelSource::LocalQueue, o.ns + "/" + o.local_queue),
        std::back_inserter(labels)
    );
    metrics_.workload_creation_latency_seconds.observe(labels, in_seconds(o.since_queued));
}

bool MetricsReporter::counts_for(const std::string& ns, const std::string& local_queue) const {
    if (!parts_.local_queues || !parts_.local_queue_selector) {
        return parts_.local_queues;
    }
    const auto queue = parts_.stores.of<api::LocalQueue>().find(ns, local_queue);
    return queue && queues_.has_metrics(*queue);
}

void MetricsReporter::observe_local_queue(const Observation& o) {
    const metrics::Labels by_class{o.local_queue, o.ns, o.priority_class};
    metrics::Labels by_class_and_workload = by_class;
    if (custom_.has(metrics::LabelSource::Workload)) {
        const auto workload = parts_.stores.of<api::Workload>().find(o.ns, o.workload);
        std::ranges::copy(
            workload ? tally_.labels_of(*workload)
                     : custom_.values(metrics::LabelSource::Workload, {}, {}),
            std::back_inserter(by_class_and_workload)
        );
    }
    switch (o.kind) {
        case Observation::Kind::QuotaReserved:
            metrics_.local_queue_quota_reserved_workloads_total.add(by_class);
            metrics_.local_queue_quota_reserved_wait_time_seconds.observe(
                by_class, in_seconds(o.since_queued)
            );
            break;
        case Observation::Kind::Admitted:
            metrics_.local_queue_admitted_workloads_total.add(by_class_and_workload);
            metrics_.local_queue_admission_wait_time_seconds.observe(
                by_class_and_workload, in_seconds(o.since_queued)
            );
            metrics_.local_queue_admission_checks_wait_time_seconds.observe(
                by_class, in_seconds(o.since_reserved)
            );
            break;
        case Observation::Kind::Evicted:
            metrics_.local_queue_evicted_workloads_total.add(
                {o.local_queue, o.ns, o.reason, o.underlying_cause, o.priority_class}
            );
            break;
        case Observation::Kind::PodsReady:
            metrics_.local_queue_ready_wait_time_seconds.observe(
                by_class, in_seconds(o.since_queued)
            );
            metrics_.local_queue_admitted_until_ready_wait_time_seconds.observe(
                by_class, in_seconds(o.since_admitted)
            );
            break;
        case Observation::Kind::Preempted:
        case Observation::Kind::WorkloadCreated:
        case Observation::Kind::GateOpened:
            break;
    }
}

/// Returns the result of the search for other preemption targets.
static std::string result_of_recomputation(const engine::RefusalDecision& refusal) {
    if (refusal.kind == engine::RefusalKind::DeferredFit) {
        return "deferred_fit";
    }
    return refusal.kind == engine::RefusalKind::PendingPreemption ? "new_targets" : "skipped";
}

void MetricsReporter::observe_cycle(const engine::CycleResult& result, Duration took) {
    const std::string outcome = result.admitted.empty() ? "inadmissible" : "success";
    metrics_.admission_attempts_total.add({outcome});
    metrics_.admission_attempt_duration_seconds.observe({outcome}, in_seconds(took));
    for (const engine::AdmissionDecision& admission : result.admitted) {
        mark(admission.cluster_queue);
    }
    for (const engine::PreemptionDecision& preemption : result.preempted) {
        mark(preemption.victim_cluster_queue);
        mark(preemption.preemptor_cluster_queue);
    }
    for (const engine::RefusalDecision& refusal : result.refused) {
        mark(refusal.cluster_queue);
        if (refusal.is_recomputed) {
            metrics_.preemption_target_recomputations_total.add(
                {parts_.state.node_name(refusal.cluster_queue), result_of_recomputation(refusal)}
            );
        }
    }
    report_skips(result);
}

/// Reports, by ClusterQueue, how many workloads lost their preemption targets to others in this
/// cycle; sets the entries of the previous cycle to 0.
void MetricsReporter::report_skips(const engine::CycleResult& result) {
    for (auto& [name, count] : preemption_skips_) {
        count = 0;
    }
    for (const engine::RefusalDecision& refusal : result.refused) {
        if (refusal.kind == engine::RefusalKind::OverlappingTargets) {
            preemption_skips_[parts_.state.node_name(refusal.cluster_queue)] += 1;
        }
    }
    for (const auto& [name, count] : preemption_skips_) {
        metrics_.admission_cycle_preemption_skips.set({name}, count);
    }
    std::erase_if(preemption_skips_, [](const auto& entry) { return entry.second == 0; });
}

void MetricsReporter::observe_audit(const std::vector<engine::AuditFinding>& findings) {
    audit_findings_.clear();
    for (const engine::AuditFinding& finding : findings) {
        audit_findings_[parts_.state.node_name(finding.root)] += 1;
    }
    report_audit();
    // Findings make queues inactive. Marking all queues also corrects, after each audit, gauges
    // that no event has updated.
    mark_all();
}

void MetricsReporter::report_audit() {
    audit_group_.begin();
    for (const auto& [root, count] : audit_findings_) {
        audit_group_.set(metrics_.audit_findings, {root}, count);
    }
    audit_group_.end();
}

void MetricsReporter::observe_capacity(const workload::CapacityReport& report) {
    capacity_group_.begin();
    for (const auto& entry : report.flavors) {
        const auto set = [&](const char* kind, engine::Amount amount) {
            capacity_group_.set(
                metrics_.capacity,
                {entry.flavor, entry.resource, kind},
                to_number(entry.resource, amount)
            );
        };
        set("quota", entry.quota);
        set("nodes", entry.nodes);
        set("usable", entry.usable);
        set("foreign", entry.foreign);
    }
    capacity_group_.end();
}

void MetricsReporter::mark(const std::string& cluster_queue) {
    if (!cluster_queue.empty()) {
        dirty_.insert(cluster_queue);
        report_dirty();
    }
}

void MetricsReporter::mark(engine::NodeIndex cluster_queue) {
    if (cluster_queue.is_valid()) {
        mark(parts_.state.node_name(cluster_queue));
    }
}

void MetricsReporter::mark_all() {
    is_shape_dirty_ = true;
    is_all_dirty_ = true;
    report_dirty();
}

void MetricsReporter::report_dirty() {
    if (parts_.on_dirty) {
        parts_.on_dirty();
    }
}

void MetricsReporter::mark_queue_of(const api::Workload* workload) {
    if (workload == nullptr) {
        return;
    }
    const auto& local_queues = parts_.stores.of<api::LocalQueue>();
    const auto queue = local_queues.find(workload->metadata.namespace_, workload->spec.queue_name);
    if (queue) {
        mark(queue->spec.cluster_queue);
    }
    if (const auto& admission = workload->status.admission) {
        mark(admission->cluster_queue);
    }
}

void MetricsReporter::changed(const kube::AnyChange& change) {
    const Kind kind = change.key.kind;
    if (kind == kind_of<api::Workload>()) {
        workload_changed(kube::change_as<api::Workload>(change));
    } else if (kind == kind_of<api::LocalQueue>()) {
        local_queue_changed(kube::change_as<api::LocalQueue>(change));
    } else if (kind == kind_of<api::ClusterQueue>()) {
        cluster_queue_changed(kube::change_as<api::ClusterQueue>(change));
    } else if (kind == kind_of<api::Cohort>()) {
        cohort_changed(kube::change_as<api::Cohort>(change));
    } else if (kind == kind_of<api::ResourceFlavor>() || kind == kind_of<api::AdmissionCheck>() ||
               kind == kind_of<api::Topology>()) {
        mark_all();  // they decide whether ClusterQueues are active
    }
}

/// Counts ends and releases when they are seen, whoever wrote them.
void MetricsReporter::count_transition(const api::Workload& before, const api::Workload& after) {
    if (is_finished(after) && !is_finished(before)) {
        count_end(after);
    }
    const api::Condition* evicted = find_condition(after, api::condition::kEvicted);
    const auto& admission = before.status.admission;
    const bool is_released = has_quota_reserved(before) && !is_finished(before) && admission &&
                             !has_quota_reserved(after) && !is_finished(after);
    if (is_released && is_active(after) && is_evicted(after)) {
        metrics_.workload_eviction_latency_seconds.observe(
            {admission->cluster_queue, evicted->reason},
            in_seconds(time_between(evicted, find_condition(after, api::condition::kQuotaReserved)))
        );
    }
}

void MetricsReporter::count_end(const api::Workload& workload) {
    const auto& admission = workload.status.admission;
    const std::string queue = admission ? admission->cluster_queue : std::string();
    const std::string priority_class = priority_class_name(workload);
    const std::string& ns = workload.metadata.namespace_;
    const std::string& local_queue = workload.spec.queue_name;
    metrics_.finished_workloads_total.add({queue, priority_class});
    const api::Condition* finished = find_condition(workload, api::condition::kFinished);
    if (finished->reason == api::reason::kWorkloadSliceReplaced) {
        metrics_.replaced_workload_slices_total.add({queue});
    }
    if (counts_for(ns, local_queue)) {
        metrics_.local_queue_finished_workloads_total.add({local_queue, ns, priority_class});
    }
    if (!is_admitted(workload)) {
        return;
    }
    const double took = workload.status.accumulated_past_execution_time_seconds.value_or(0) +
                        in_seconds(time_between(
                            find_condition(workload, api::condition::kAdmitted),
                            find_condition(workload, api::condition::kFinished)
                        ));
    metrics_.execution_time_seconds.observe({queue, priority_class}, took);
    if (counts_for(ns, local_queue)) {
        metrics_.local_queue_execution_time_seconds.observe(
            {local_queue, ns, priority_class}, took
        );
    }
}

void MetricsReporter::workload_changed(const kube::Change<api::Workload>& change) {
    if (change.before && change.after &&
        change.before->metadata.uid == change.after->metadata.uid) {
        count_transition(*change.before, *change.after);
    }
    tally_.changed(change.before.get(), change.after.get());
    mark_queue_of(change.before.get());
    mark_queue_of(change.after.get());
}

void MetricsReporter::local_queue_changed(const kube::Change<api::LocalQueue>& change) {
    for (const auto& queue : {change.before, change.after}) {
        if (queue) {
            mark(queue->spec.cluster_queue);
        }
    }
    const std::string& ns = change.key.namespace_;
    const std::string& name = change.key.name;
    const std::string key = ns + "/" + name;
    if (change.is_removed()) {
        queues_.remove_local_queue(ns, name);
        custom_.forget(metrics::LabelSource::LocalQueue, key);
        return;
    }
    const api::ObjectMeta& metadata = change.after->metadata;
    relabel(metrics::LabelSource::LocalQueue, key, metadata, [&] {
        queues_.relabel_local_queue(ns, name);
    });
    if (!queues_.has_metrics(*change.after)) {
        queues_.remove_local_queue(ns, name);
    }
}

void MetricsReporter::cohort_changed(const kube::Change<api::Cohort>& change) {
    const std::string& name = change.key.name;
    if (change.is_removed()) {
        custom_.forget(metrics::LabelSource::Cohort, name);
        cohorts_.remove(name);
    } else if (relabel(metrics::LabelSource::Cohort, name, change.after->metadata, [&] {
                   cohorts_.relabel(name);
               })) {
        is_shape_dirty_ = true;
        mark_all();
    }
    if (change.after) {
        cohorts_.show(name);
    }
    // Its quota affects the shares of all queues below it.
    if (has_new_spec(change)) {
        mark_all();
    }
}

void MetricsReporter::cluster_queue_changed(const kube::Change<api::ClusterQueue>& change) {
    if (change.is_removed()) {
        preemption_skips_.erase(change.key.name);
        queues_.remove_cluster_queue(change.key.name);
        cohorts_.forget_cluster_queue(change.key.name);
        custom_.forget(metrics::LabelSource::ClusterQueue, change.key.name);
    } else {
        const std::string& name = change.key.name;
        relabel(metrics::LabelSource::ClusterQueue, name, change.after->metadata, [&] {
            queues_.relabel_cluster_queue(name);
            cohorts_.forget_cluster_queue(name);
        });
        is_shape_dirty_ = is_shape_dirty_ || custom_.has(metrics::LabelSource::ClusterQueue);
    }
    if (has_new_spec(change)) {
        for (const auto& queue : {change.before, change.after}) {
            if (queue) {
                cohorts_.show(queue->spec.cohort_name);
            }
        }
        is_shape_dirty_ = true;
        // The shares of its neighbors depend on the quota of their cohort.
        is_all_dirty_ = is_all_dirty_ || parts_.state.options().fair_sharing;
    }
    mark(change.key.name);
}

/// Marks queues whose workloads were moved by wake-ups that no event named.
void MetricsReporter::mark_moved() {
    const engine::QuotaTree& tree = parts_.state.tree();
    seen_.resize(tree.size());
    for (const auto& [name, node] : tree.cluster_queues_by_name()) {
        const engine::ClusterQueueRecord& record = parts_.state.cluster_queue(node);
        Seen& seen = seen_[node.at()];
        if (seen.name != name) {
            seen = {.name = name};
        }
        if (seen.waiting != record.pending.waiting() || seen.parked != record.pending.parked()) {
            seen.waiting = record.pending.waiting();
            seen.parked = record.pending.parked();
            dirty_.insert(name);
        }
    }
}

std::size_t MetricsReporter::refresh_some() {
    if (std::exchange(is_all_dirty_, false)) {
        for (const std::string& name : queues_.all()) {
            dirty_.insert(name);
        }
    }
    mark_moved();
    std::size_t looked_at = 0;
    for (std::size_t queues = 0;
         !dirty_.empty() && queues < kQueuesAtOnce && looked_at < kWorkloadsAtOnce;
         ++queues) {
        const std::string name = std::move(dirty_.extract(dirty_.begin()).value());
        looked_at += queues_.report(name);
        dirty_trees_.insert(name);
    }
    // Otherwise the next refresh reports the trees: a stale tree is about to be recomputed.
    if (dirty_.empty() && !parts_.state.tree().is_stale()) {
        report_trees();
    }
    runtime_.report();
    return looked_at;
}

void MetricsReporter::report_trees() {
    if (parts_.cohorts && is_shape_dirty_) {
        cohorts_.report_all();
    } else if (parts_.cohorts) {
        std::set<engine::NodeIndex> roots;
        for (const std::string& name : dirty_trees_) {
            const engine::NodeIndex node = parts_.state.find_cluster_queue(name);
            if (node.is_valid() && roots.insert(parts_.state.tree().node(node).root).second) {
                cohorts_.report_tree_of(name);
            }
        }
    }
    is_shape_dirty_ = false;
    dirty_trees_.clear();
}

boost::asio::awaitable<void> MetricsReporter::keep_fresh(net::Notifier* dirty) {
    for (;;) {
        co_await dirty->wait(kRefreshPeriod);
        std::size_t looked_at = 0;
        do {
            looked_at += refresh_some();
            // Gives other tasks of the loop their turn.
            const bool may_go_on = co_await net::pause_for(Duration::zero());
            if (!may_go_on) {
                co_return;
            }
        } while (!dirty_.empty());
        const auto delays = static_cast<int>(1 + looked_at / kWorkloadsADelay);
        const bool waited = co_await net::pause_for(kRefreshDelay * delays);
        if (!waited) {
            co_return;
        }
    }
}

}  // namespace sluice::controller
