#include "controller/commands/schedule/schedule_simulation.hpp"

#include "controller/commands/schedule/schedule_waiting.hpp"
#include "workload/explanation/explanation_words.hpp"
#include "workload/status/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace sluice::commands {
namespace {

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
    : flavors_max_(flavors_max(cluster.cluster_queues)),
      world_(std::move(cluster), std::move(settings), std::move(options), now) {}

ScheduleReport ScheduleSimulation::run(const ScheduleLimit& limit) {
    ScheduleReport made;
    std::size_t idle_cycles = 0;
    while (true) {
        if (made.cycles.size() == limit.cycles) {
            const bool has_more =
                world_.state().has_heads() || world_.state().has_second_pass(world_.now());
            if (limit.until_stable && has_more) {
                made.notes.push_back(why_stopped(made.cycles));
            }
            break;
        }
        const QueueReport before = limit.until_stable ? queues() : QueueReport();
        const auto result = world_.run_cycle();
        if (result.cycle == 0) {
            break;
        }
        CycleReport cycle = report(result);
        cycle.cycle = made.cycles.size() + 1;
        world_.write(cycle, preemption_messages(result));
        world_.settle();
        if (limit.until_stable) {
            world_.release_evicted(cycle);
            world_.settle();
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
    made.notes.insert(made.notes.begin(), world_.notes().begin(), world_.notes().end());
    add_waiting(
        {.state = world_.state(),
         .translator = world_.translator(),
         .cluster_queues = world_.cluster_queues(),
         .local_queues = world_.local_queues(),
         .workloads = world_.workloads(),
         .places = world_.places(),
         .unprinted = unprinted,
         .now = world_.now()},
        made
    );
}

CycleReport ScheduleSimulation::report(const engine::CycleResult& result) const {
    CycleReport made;
    for (const auto& decision : result.admitted) {
        const std::string key(world_.state().workload_key(decision.workload));
        const auto& pod_sets = world_.state().workload(decision.workload).pod_sets;
        std::vector<std::int32_t> pods;
        std::ranges::transform(decision.pod_sets, std::back_inserter(pods), [&](const auto& made) {
            return pod_sets[made.pod_set].count;
        });
        made.admitted.push_back(
            {.workload = key,
             .cluster_queue = world_.state().node_name(decision.cluster_queue),
             .admission = workload::make_admission(
                 world_.translator(), world_.state(), decision, world_.workload_at(key)
             ),
             .pods = std::move(pods),
             .borrows = decision.borrowing_level > 0,
             .replaces = decision.replaces.is_valid()
                             ? std::string(world_.state().workload_key(decision.replaces))
                             : std::string()}
        );
    }
    for (const auto& decision : result.preempted) {
        made.preempted.push_back(
            {.workload = std::string(world_.state().workload_key(decision.victim)),
             .cluster_queue = world_.state().node_name(decision.victim_cluster_queue),
             .reason = std::string(workload::to_string(decision.reason)),
             .preemptor = std::string(world_.state().workload_key(decision.preemptor))}
        );
    }
    for (const auto& decision : result.second_passes) {
        made.second_passes.push_back(report(decision));
        const auto victim = std::ranges::find(
            result.preempted, decision.workload, &engine::PreemptionDecision::victim
        );
        if (decision.outcome == engine::SecondPassDecision::Outcome::Evicted &&
            victim != result.preempted.end()) {
            // Its eviction is written first, and then the preemption.
            made.second_passes.back().reason = api::reason::kPreempted;
            made.second_passes.back().message = workload::preemption_message(
                world_.state(),
                *victim,
                world_.workload_at(std::string(world_.state().workload_key(victim->preemptor)))
            );
        }
    }
    workload::Explanations explanations(world_.state(), result);
    for (std::size_t i = 0; i < result.refused.size(); ++i) {
        made.refused.push_back(report(result.refused[i], explanations.of(i)));
    }
    return made;
}

SecondPassWorkload ScheduleSimulation::report(const engine::SecondPassDecision& decision) const {
    using enum engine::SecondPassDecision::Outcome;
    const std::string key(world_.state().workload_key(decision.workload));
    const auto& workload = world_.workload_at(key);
    SecondPassWorkload made{
        .workload = key,
        .cluster_queue = world_.state().node_name(decision.cluster_queue),
        .result = {},
        .reason = {},
        .message = {},
        .admission = std::nullopt,
        .words = {},
    };
    switch (decision.outcome) {
        case Assigned:
            made.result = "assigned";
            made.admission =
                workload::make_admission(world_.translator(), world_.state(), decision, workload);
            break;
        case Evicted:
            made.result = "evicted";
            made.reason = api::reason::kNodeFailures;
            made.message = workload::no_replacement_message(workload);
            break;
        case Failed:
            made.result = "failed";
            made.reason = "SecondPassFailed";
            made.message = workload::refusal_message(
                world_.state(),
                decision.refusal,
                workload,
                world_.find_queue(made.cluster_queue),
                world_.translator()
            );
            break;
    }
    return made;
}

RefusedWorkload ScheduleSimulation::report(
    const engine::RefusalDecision& refusal, std::vector<workload::Constraint> constraints
) const {
    const std::string key(world_.state().workload_key(refusal.workload));
    const auto& workload = world_.workload_at(key);
    const std::string& queue = world_.state().node_name(refusal.cluster_queue);
    auto words = workload::in_words(refusal, constraints);
    return {
        .workload = key,
        .cluster_queue = queue,
        .reason = std::string(
            workload::waiting_reason(refusal.reason, world_.translator().settings().gates)
        ),
        .message = workload::refusal_message(
            world_.state(), refusal, workload, world_.find_queue(queue), world_.translator()
        ),
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
        const auto& preemptor =
            world_.workload_at(std::string(world_.state().workload_key(decision.preemptor)));
        messages.push_back(workload::preemption_message(world_.state(), decision, preemptor));
    }
    return messages;
}

QueueReport ScheduleSimulation::queues() const {
    QueueReport made;
    const auto names_of = [&](const std::vector<engine::WorkloadIndex>& workloads) {
        std::vector<std::string> names;
        names.reserve(workloads.size());
        for (const auto index : workloads) {
            names.push_back(std::string(world_.state().workload_key(index)));
        }
        return names;
    };
    for (const auto& [name, queue] : world_.cluster_queues()) {
        const auto index = world_.state().find_cluster_queue(name);
        if (auto active = names_of(world_.state().heap_in_order(index)); !active.empty()) {
            made.active.emplace(name, std::move(active));
        }
        if (auto parked = names_of(world_.state().inadmissible_in_order(index)); !parked.empty()) {
            made.inadmissible.emplace(name, std::move(parked));
        }
    }
    return made;
}

}  // namespace sluice::commands
