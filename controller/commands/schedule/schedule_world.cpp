#include "controller/commands/schedule/schedule_world.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "workload/status/messages.hpp"
#include "workload/status/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
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

}  // namespace

ScheduleWorld::ScheduleWorld(
    ScheduleCluster cluster,
    workload::TranslationSettings settings,
    engine::Options options,
    Time now
)
    : translator_(std::move(settings)),
      state_(with_wake_batch(std::move(options))),
      driver_(state_, engine::kNoDelays),
      now_(now) {
    load(std::move(cluster));
}

void ScheduleWorld::apply(const workload::Translator::Events& events) {
    for (const auto& event : events) {
        driver_.deliver(event, now_);
    }
}

void ScheduleWorld::settle() {
    driver_.end_delays(now_ + kWakeBatch);
}

void ScheduleWorld::load(ScheduleCluster cluster) {
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
    for (const auto& node : cluster.nodes) {
        apply(translator_.set(node));
    }
    for (const auto& pod : cluster.pods) {
        apply(translator_.set(pod));
    }
    for (const auto& cohort : cluster.cohorts) {
        translator_.set(cohort);
        apply({engine::CohortChanged{translator_.cohort(cohort)}});
    }
    load_workloads(std::move(cluster.workloads));
    load_queues(cluster);
    settle();
}

void ScheduleWorld::load_workloads(Objects<api::Workload> workloads) {
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

void ScheduleWorld::load_queues(const ScheduleCluster& cluster) {
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

const api::ClusterQueue* ScheduleWorld::find_queue(const std::string& name) const {
    const auto at = cluster_queues_.find(name);
    return at == cluster_queues_.end() ? nullptr : &at->second;
}

void ScheduleWorld::write(
    const CycleReport& cycle, const std::vector<std::string>& preemption_messages
) {
    const auto& gates = translator_.settings().gates;
    for (const auto& admitted : cycle.admitted) {
        auto& workload = workload_to_write(admitted.workload);
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
    // Before the victims: a workload may be assigned a topology and be evicted in one cycle.
    for (const auto& pass : cycle.second_passes) {
        write_second_pass(pass);
    }
    for (std::size_t i = 0; i < cycle.preempted.size(); ++i) {
        auto& workload = workload_to_write(cycle.preempted[i].workload);
        workload::preempt(workload, cycle.preempted[i].reason, preemption_messages[i], now_);
        apply(translator_.set(workload));
    }
    for (const auto& refused : cycle.refused) {
        write_refusal(refused);
    }
}

void ScheduleWorld::write_second_pass(const SecondPassWorkload& pass) {
    auto& workload = workload_to_write(pass.workload);
    const auto& gates = translator_.settings().gates;
    if (pass.admission) {
        workload.status.unhealthy_nodes.clear();
        workload::reserve_quota(
            workload, *pass.admission, cluster_queues_.at(pass.cluster_queue), gates, now_
        );
        apply({engine::AdmissionWritten{
            .ns = workload.metadata.namespace_, .name = workload.metadata.name
        }});
        apply(translator_.set(workload));
    } else if (pass.result == "evicted") {
        workload::evict(
            workload, {.reason = pass.reason, .message = pass.message, .cause = ""}, now_
        );
        apply(translator_.set(workload));
    }
}

void ScheduleWorld::finish_slice(const std::string& key, const std::string& message) {
    auto& slice = workload_to_write(key);
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

void ScheduleWorld::write_refusal(const RefusedWorkload& refused) {
    auto& workload = workload_to_write(refused.workload);
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

void ScheduleWorld::release_evicted(const CycleReport& cycle) {
    for (const auto& preempted : cycle.preempted) {
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

void ScheduleWorld::release(const std::string& key) {
    auto& workload = workload_to_write(key);
    if (!was_evicted(workload)) {
        return;
    }
    // The job of a pod that cannot move would end instead, but files have no jobs.
    auto gates = translator_.settings().gates;
    gates.skip_reassignment_for_pod_owned_workloads = false;
    workload::release_quota(workload, gates, now_);
    apply(translator_.set(workload));
}

}  // namespace sluice::commands
