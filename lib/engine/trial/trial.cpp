#include "engine/trial/trial.hpp"

#include "engine/engine.hpp"
#include "engine/trial/pending_form.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace sluice::engine {
namespace {

struct NamespacedName {
    std::string ns;
    std::string name;
};

NamespacedName split(std::string_view key) {
    const std::size_t slash = key.find('/');
    return {std::string(key.substr(0, slash)), std::string(key.substr(slash + 1))};
}

}  // namespace

const TrialOutcome::Admitted* TrialOutcome::find_admitted(std::string_view workload) const {
    const auto last = std::ranges::find(turns_.rbegin(), turns_.rend(), workload, &Turn::workload);
    return last == turns_.rend() || !last->is_admission ? nullptr : &admitted[last->position];
}

void Trial::apply(const Event& event) {
    engine::apply(state_, event, now_);
}

CycleResult Trial::decide_alone(WorkloadIndex workload) {
    refresh(state_);
    return engine::decide_alone(state_, workload, now_);
}

void Trial::wake() {
    const auto due = next_due(state_);
    if (due && *due <= now_ + state_.options().wake_batch) {
        engine::apply(state_, TimerFired{}, *due);
    }
}

TrialOutcome Trial::run(const TrialLimits& limits) {
    TrialOutcome outcome;
    std::size_t fruitless = 0;
    std::uint64_t turns = 0;
    release_evicted(limits.root);
    wake();
    for (std::size_t cycle = 0; fruitless == 0 || fruitless <= fruitless_max(); ++cycle) {
        if (cycle == limits.cycles || turns >= limits.turns || evict_each_other(outcome)) {
            outcome.is_stable = !state_.has_heads();
            break;
        }
        const CycleResult result = run_cycle(state_, now_, Recording::Messages);
        if (result.cycle == 0) {
            break;
        }
        turns += result.admitted.size() + result.refused.size() + result.second_passes.size();
        fruitless = take(result, outcome) ? 0 : fruitless + 1;
        wake();
    }
    return outcome;
}

bool Trial::evict_each_other(const TrialOutcome& outcome) {
    constexpr std::ptrdiff_t kOften = 4;
    return !outcome.evicted.empty() &&
           std::ranges::count(
               outcome.evicted, outcome.evicted.back().workload, &TrialOutcome::Evicted::workload
           ) >= kOften;
}

bool Trial::take(const CycleResult& result, TrialOutcome& outcome) {
    // By name: events end the validity of indices.
    std::vector<std::string> written;
    std::vector<std::string> replaced;
    std::vector<TrialOutcome::Evicted> evicted;
    for (const AdmissionDecision& decision : result.admitted) {
        const std::string key(state_.workload_key(decision.workload));
        outcome.turns_.push_back({key, true, outcome.admitted.size()});
        outcome.admitted.push_back({key, decision});
        written.push_back(key);
        if (decision.replaces.is_valid()) {
            replaced.emplace_back(state_.workload_key(decision.replaces));
        }
    }
    for (const SecondPassDecision& decision : result.second_passes) {
        if (decision.outcome == SecondPassDecision::Outcome::Assigned) {
            written.emplace_back(state_.workload_key(decision.workload));
        } else if (decision.outcome == SecondPassDecision::Outcome::Evicted) {
            evicted.push_back({std::string(state_.workload_key(decision.workload)), {}});
        }
    }
    for (const PreemptionDecision& decision : result.preempted) {
        evicted.push_back(
            {std::string(state_.workload_key(decision.victim)),
             std::string(state_.workload_key(decision.preemptor))}
        );
    }
    for (const std::string& key : written) {
        const NamespacedName of = split(key);
        apply(AdmissionWritten{.ns = of.ns, .name = of.name});
    }
    for (const std::string& key : replaced) {
        const NamespacedName of = split(key);
        apply(WorkloadDeleted{.ns = of.ns, .name = of.name});
    }
    for (TrialOutcome::Evicted& one : evicted) {
        outcome.turns_.push_back({one.workload, false, outcome.evicted.size()});
        release(state_.find_workload(one.workload));
        outcome.evicted.push_back(std::move(one));
    }
    const bool parks = std::ranges::any_of(result.refused, [](const RefusalDecision& refusal) {
        return refusal.requeued != RequeuedTo::Heap;
    });
    return parks || !written.empty() || !evicted.empty();
}

void Trial::release_evicted(NodeIndex root) {
    std::vector<std::string> evicted;
    const auto add = [&](NodeIndex queue) {
        for (const WorkloadIndex holder : state_.cluster_queue(queue).holders) {
            const WorkloadRecord& record = state_.workload(holder);
            if (record.holding->evicted || record.eviction_expected) {
                evicted.emplace_back(record.key());
            }
        }
    };
    if (root.is_valid()) {
        std::ranges::for_each(state_.tree().cluster_queues_of(root), add);
    } else {
        for (const auto& [name, queue] : state_.tree().cluster_queues_by_name()) {
            add(queue);
        }
    }
    for (const std::string& key : evicted) {
        release(state_.find_workload(key));
    }
}

void Trial::release(WorkloadIndex workload) {
    if (!workload.is_valid()) {
        return;
    }
    Workload released = pending_form(state_, workload);
    ++released.condition_stamp;  // its condition Evicted is new
    apply(WorkloadChanged{std::move(released)});
}

std::size_t Trial::fruitless_max() const {
    std::size_t most = 0;
    for (const auto& [name, node] : state_.queues_with_heap()) {
        for (const ResolvedGroup& group : state_.cluster_queue(node).groups) {
            most = std::max(most, group.flavors.size());
        }
    }
    return most;
}

}  // namespace sluice::engine
