#include "controller/commands/schedule/schedule_simulation.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "controller/commands/schedule/schedule_waiting.hpp"
#include "workload/explanation/explanation_words.hpp"
#include "workload/status/messages.hpp"
#include "workload/status/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace sluice::commands {
namespace {

namespace condition = api::condition;

/// Wake-ups are gathered for an instant, so that the events of one step wake each cohort tree once.
constexpr engine::Duration kWakeBatch{1};

std::string schedule_key(const api::Workload& workload) {
    return workload.metadata.namespace_ + "/" + workload.metadata.name;
}

engine::Options with_wake_batch(engine::Options options) {
    options.wake_batch = kWakeBatch;
    return options;
}

bool has_reserved_quota(const api::Workload& workload) {
    return workload.status.admission &&
           api::is_true(workload.status.conditions, condition::kQuotaReserved);
}

/// Returns true if the workload was evicted and still holds its quota.
bool was_evicted(const api::Workload& workload) {
    return has_reserved_quota(workload) &&
           api::is_true(workload.status.conditions, condition::kEvicted);
}

/// Returns how many idle cycles the flavor search may take: the largest number of flavors in a
/// resource group.
std::size_t flavors_max(const Objects<api::ClusterQueue>& queues) {
    std::size_t most = 0;
    for (const auto& queue : queues) {
        for (const auto& group : queue.spec.resource_groups) {
            most = std::max(most, group.flavors.size());
        }
    }
    return most;
}

std::string print_requeued(engine::RequeuedTo requeued) {
    switch (requeued) {
        case engine::RequeuedTo::Heap:
            return "active";
        case engine::RequeuedTo::Inadmissible:
            return "inadmissible";
        case engine::RequeuedTo::Dropped:
            return "";
    }
    return "";
}

std::string why_stopped(const std::vector<CycleReport>& cycles) {
    // One or two evictions are normal: a workload that was just admitted may have to make room for
    // another one.
    constexpr std::size_t kOften = 3;
    std::unordered_map<std::string_view, std::size_t> evictions;
    for (const auto& cycle : cycles) {
        for (const auto& preempted : cycle.preempted) {
            if (++evictions[preempted.workload] == kOften) {
                return fmt::format(
                    "stopped after {} cycles: workloads keep evicting each other ({} was evicted "
                    "{} times by cycle {})",
                    cycles.size(),
                    preempted.workload,
                    kOften,
                    cycle.cycle
                );
            }
        }
    }
    return fmt::format(
        "stopped after {} cycles, before all workloads were tried; increase --max-cycles",
        cycles.size()
    );
}

}  // namespace

ScheduleSimulation::ScheduleSimulation(
    ScheduleCluster cluster,
    workload::TranslationSettings settings,
    engine::Options options,
    Time now
)
    : translator_(std::move(settings)),
      state_(with_wake_batch(std::move(options))),
      now_(now),
      flavors_max_(flavors_max(cluster.cluster_queues)) {
    load(std::move(cluster));
}

void ScheduleSimulation::apply(const workload::Translator::Events& events) {
    for (const auto& event : events) {
        engine::apply(state_, event, now_);
    }
}

void ScheduleSimulation::settle() {
    const auto due = engine::next_due(state_);
    if (due && *due <= now_ + kWakeBatch) {
        engine::apply(state_, engine::TimerFired{}, now_ + kWakeBatch);
    }
}

void ScheduleSimulation::load(ScheduleCluster cluster) {
    for (const auto& ns : cluster.namespaces) {
        translator_.set(ns);
    }
    for (const auto& range : cluster.limit_ranges) {
        translator_.set(range);
    }
    for (const auto& runtime_class : cluster.runtime_classes) {
        translator_.set(runtime_class);
    }
    for (const auto& check : cluster.admission_checks) {
        translator_.set(check);
    }
    for (const auto& topology : cluster.topologies) {
        apply(translator_.set(topology));
    }
    for (const auto& flavor : cluster.flavors) {
        apply(translator_.set(flavor));
    }
    for (const auto& cohort : cluster.cohorts) {
        translator_.set(cohort);
        apply({engine::CohortChanged{translator_.cohort(cohort)}});
    }
    load_workloads(std::move(cluster.workloads));
    load_queues(cluster);
    settle();
}

void ScheduleSimulation::load_workloads(Objects<api::Workload> workloads) {
    workloads_ = std::move(workloads);
    places_.reserve(workloads_.size());
    for (std::size_t i = 0; i < workloads_.size(); ++i) {
        places_.insert_or_assign(schedule_key(workloads_[i]), i);
    }
    const auto is_finished = [](const api::Workload& workload) {
        return api::is_true(workload.status.conditions, condition::kFinished);
    };
    const auto first = std::ranges::find_if(workloads_, is_finished);
    const auto finished = std::ranges::count_if(workloads_, is_finished);
    if (finished > 0) {
        notes_.push_back(fmt::format(
            "{}{} finished and {} no part",
            schedule_key(*first),
            finished == 1 ? " is" : fmt::format(" and {} more workloads are", finished - 1),
            finished == 1 ? "takes" : "take"
        ));
    }
}

void ScheduleSimulation::load_queues(const ScheduleCluster& cluster) {
    std::map<std::string_view, std::vector<const api::Workload*>> holders;
    std::vector<const api::Workload*> others;
    for (const auto& workload : workloads_) {
        if (workload.status.admission && has_reserved_quota(workload)) {
            holders[workload.status.admission->cluster_queue].push_back(&workload);
        } else {
            others.push_back(&workload);
        }
    }
    for (const auto& queue : cluster.cluster_queues) {
        cluster_queues_[queue.metadata.name] = queue;
        apply({engine::ClusterQueueChanged{translator_.cluster_queue(queue)}});
        const auto held = holders.extract(queue.metadata.name);
        for (const auto* workload : held ? held.mapped() : std::vector<const api::Workload*>{}) {
            apply(translator_.set(*workload));
        }
    }
    for (const auto& queue : cluster.local_queues) {
        local_queues_[queue.metadata.namespace_ + "/" + queue.metadata.name] = queue;
        const auto* cluster_queue = find_queue(queue.spec.cluster_queue);
        apply({engine::LocalQueueChanged{translator_.local_queue(queue, cluster_queue)}});
    }
    for (const auto& [queue, left] : holders) {
        const bool is_one = left.size() == 1;
        notes_.push_back(fmt::format(
            "{}{} quota of ClusterQueue {}, which is not in the input: it is not counted",
            schedule_key(*left.front()),
            is_one ? " holds" : fmt::format(" and {} more workloads hold", left.size() - 1),
            queue
        ));
        others.insert(others.end(), left.begin(), left.end());
    }
    for (const auto* workload : others) {
        apply(translator_.set(*workload));
    }
}

const api::ClusterQueue* ScheduleSimulation::find_queue(const std::string& name) const {
    const auto at = cluster_queues_.find(name);
    return at == cluster_queues_.end() ? nullptr : &at->second;
}

ScheduleReport ScheduleSimulation::run(const ScheduleLimit& limit) {
    ScheduleReport made;
    std::size_t idle_cycles = 0;
    while (true) {
        if (made.cycles.size() == limit.cycles) {
            if (limit.until_stable && state_.has_heads()) {
                made.notes.push_back(why_stopped(made.cycles));
            }
            break;
        }
        const QueueReport before = limit.until_stable ? queues() : QueueReport();
        const auto result = engine::run_cycle(state_, now_);
        if (result.cycle == 0) {
            break;
        }
        CycleReport cycle = report(result);
        cycle.cycle = made.cycles.size() + 1;
        write(cycle, preemption_messages(result));
        settle();
        if (limit.until_stable) {
            release_evicted(cycle.preempted);
            settle();
        }
        if (limit.until_stable) {
            idle_cycles = cycle.is_idle() && queues() == before ? idle_cycles + 1 : 0;
        }
        made.cycles.push_back(std::move(cycle));
        if (idle_cycles > flavors_max_) {
            finish(made, idle_cycles);
            return made;
        }
    }
    finish(made, 0);
    return made;
}

void ScheduleSimulation::finish(ScheduleReport& made, std::size_t idle_cycles) const {
    const auto idle = made.cycles.end() - static_cast<std::ptrdiff_t>(idle_cycles);
    const std::vector<CycleReport> unprinted(
        std::make_move_iterator(idle), std::make_move_iterator(made.cycles.end())
    );
    made.cycles.erase(idle, made.cycles.end());
    made.queues = queues();
    made.notes.insert(made.notes.begin(), notes_.begin(), notes_.end());
    add_waiting(
        {.state = state_,
         .translator = translator_,
         .cluster_queues = cluster_queues_,
         .local_queues = local_queues_,
         .workloads = workloads_,
         .places = places_,
         .unprinted = unprinted,
         .now = now_},
        made
    );
}

CycleReport ScheduleSimulation::report(const engine::CycleResult& result) const {
    CycleReport made;
    for (const auto& decision : result.admitted) {
        const std::string& key = state_.workload_key(decision.workload);
        const auto& pod_sets = state_.workload(decision.workload).pod_sets;
        std::vector<std::int32_t> pods;
        std::ranges::transform(decision.pod_sets, std::back_inserter(pods), [&](const auto& made) {
            return pod_sets[made.pod_set].count;
        });
        made.admitted.push_back(
            {.workload = key,
             .cluster_queue = state_.node_name(decision.cluster_queue),
             .admission = workload::make_admission(state_, decision, workload_at(key)),
             .pods = std::move(pods),
             .borrows = decision.borrowing_level > 0,
             .replaces = decision.replaces.is_valid() ? state_.workload_key(decision.replaces)
                                                      : std::string()}
        );
    }
    for (const auto& decision : result.preempted) {
        made.preempted.push_back(
            {.workload = state_.workload_key(decision.victim),
             .cluster_queue = state_.node_name(decision.victim_cluster_queue),
             .reason = std::string(workload::to_string(decision.reason)),
             .preemptor = state_.workload_key(decision.preemptor)}
        );
    }
    workload::Explanations explanations(state_, result);
    for (std::size_t i = 0; i < result.refused.size(); ++i) {
        made.refused.push_back(report(result.refused[i], explanations.of(i)));
    }
    return made;
}

RefusedWorkload ScheduleSimulation::report(
    const engine::RefusalDecision& refusal, std::vector<workload::Constraint> constraints
) const {
    const std::string& key = state_.workload_key(refusal.workload);
    const auto& workload = workload_at(key);
    const std::string& queue = state_.node_name(refusal.cluster_queue);
    auto words = workload::in_words(refusal, constraints);
    return {
        .workload = key,
        .cluster_queue = queue,
        .reason =
            std::string(workload::waiting_reason(refusal.reason, translator_.settings().gates)),
        .message =
            workload::refusal_message(state_, refusal, workload, find_queue(queue), translator_),
        .blocked_on_gates = refusal.kind == engine::RefusalKind::PreemptionGated,
        .requeued = print_requeued(refusal.requeued),
        .constraints = std::move(constraints),
        .words = std::move(words),
    };
}

std::vector<std::string> ScheduleSimulation::preemption_messages(const engine::CycleResult& result
) const {
    std::vector<std::string> messages;
    for (const auto& decision : result.preempted) {
        const auto& preemptor = workload_at(state_.workload_key(decision.preemptor));
        messages.push_back(workload::preemption_message(state_, decision, preemptor));
    }
    return messages;
}

void ScheduleSimulation::write(
    const CycleReport& cycle, const std::vector<std::string>& preemption_messages
) {
    const auto& gates = translator_.settings().gates;
    for (const auto& admitted : cycle.admitted) {
        auto& workload = workload_at(admitted.workload);
        const auto& queue = cluster_queues_.at(admitted.cluster_queue);
        workload::reserve_quota(workload, admitted.admission, queue, gates, now_);
        apply({engine::AdmissionWritten{
            .ns = workload.metadata.namespace_, .name = workload.metadata.name
        }});
        apply(translator_.set(workload));
        if (!admitted.replaces.empty()) {
            finish_slice(admitted.replaces, workload::replacement_message(workload));
        }
    }
    for (std::size_t i = 0; i < cycle.preempted.size(); ++i) {
        auto& workload = workload_at(cycle.preempted[i].workload);
        workload::preempt(workload, cycle.preempted[i].reason, preemption_messages[i], now_);
        apply(translator_.set(workload));
    }
    for (const auto& refused : cycle.refused) {
        write_refusal(refused);
    }
}

void ScheduleSimulation::finish_slice(const std::string& key, const std::string& message) {
    auto& slice = workload_at(key);
    workload::set_condition(
        slice,
        condition::kFinished,
        workload::ConditionStatus::True,
        api::reason::kWorkloadSliceReplaced,
        message,
        now_
    );
    apply(translator_.set(slice));
}

void ScheduleSimulation::write_refusal(const RefusedWorkload& refused) {
    auto& workload = workload_at(refused.workload);
    api::Workload written = workload;
    workload::unset_reservation(
        written, refused.reason, refused.message, translator_.settings().gates, now_
    );
    if (refused.blocked_on_gates) {
        workload::block_on_preemption_gates(written, refused.message, now_);
    }
    written.status.resource_requests = translator_.resource_requests(written);
    if (written != workload) {
        workload = std::move(written);
        apply(translator_.set(workload));
    }
}

void ScheduleSimulation::release_evicted(const std::vector<PreemptedWorkload>& first) {
    for (const auto& preempted : first) {
        release(preempted.workload);
    }
    std::vector<std::string> evicted;
    for (const auto& workload : workloads_) {
        if (was_evicted(workload)) {
            evicted.push_back(schedule_key(workload));
        }
    }
    std::ranges::sort(evicted);
    for (const auto& key : evicted) {
        release(key);
    }
}

void ScheduleSimulation::release(const std::string& key) {
    auto& workload = workload_at(key);
    if (!was_evicted(workload)) {
        return;
    }
    const auto& gates = translator_.settings().gates;
    workload::release_quota(workload, gates, now_);
    apply(translator_.set(workload));
}

QueueReport ScheduleSimulation::queues() const {
    QueueReport made;
    const auto names_of = [&](const std::vector<engine::WorkloadIndex>& workloads) {
        std::vector<std::string> names;
        names.reserve(workloads.size());
        for (const auto index : workloads) {
            names.push_back(state_.workload_key(index));
        }
        return names;
    };
    for (const auto& [name, queue] : cluster_queues_) {
        const auto index = state_.find_cluster_queue(name);
        if (auto active = names_of(state_.heap_in_order(index)); !active.empty()) {
            made.active.emplace(name, std::move(active));
        }
        if (auto parked = names_of(state_.inadmissible_in_order(index)); !parked.empty()) {
            made.inadmissible.emplace(name, std::move(parked));
        }
    }
    return made;
}

}  // namespace sluice::commands
