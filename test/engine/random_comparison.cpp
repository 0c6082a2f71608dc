#include "engine/random_comparison.hpp"

#include "engine/engine.hpp"
#include "engine/names_audit.hpp"
#include "engine/random_invariants.hpp"
#include "engine/reference.hpp"
#include "engine/state/audit.hpp"
#include "support/outcome.hpp"

#include <fmt/format.h>

#include <sstream>

namespace sluice::reference {

namespace {

std::vector<std::string> keys(
    const engine::State& state, const std::vector<engine::WorkloadIndex>& workloads
) {
    std::vector<std::string> result;
    for (const engine::WorkloadIndex workload : workloads) {
        result.push_back(std::string(state.workload_key(workload)));
    }
    return result;
}

std::optional<std::string> compare_queues(const engine::State& state, const Cluster& reference) {
    for (const std::string& name : reference.cluster_queue_names()) {
        const engine::NodeIndex node = state.find_cluster_queue(name);
        if (!node.is_valid()) {
            return "engine does not know ClusterQueue " + name;
        }
        const auto active = keys(state, state.heap_in_order(node));
        const auto inadmissible = keys(state, state.inadmissible_in_order(node));
        if (active != reference.active(name) || inadmissible != reference.inadmissible(name)) {
            return fmt::format(
                "queue {}: engine active [{}] inadmissible [{}], reference active [{}] "
                "inadmissible [{}]",
                name,
                fmt::join(active, " "),
                fmt::join(inadmissible, " "),
                fmt::join(reference.active(name), " "),
                fmt::join(reference.inadmissible(name), " ")
            );
        }
    }
    return std::nullopt;
}

std::optional<std::string> compare_usage(const engine::State& state, const Cluster& reference) {
    if (!state.options().admission_fair_sharing) {
        return std::nullopt;
    }
    for (const std::string& name : reference.local_queue_names()) {
        const double by_engine = state.local_queue(state.find_local_queue(name)).fair_usage;
        const double by_reference = reference.fair_usage(name);
        if (by_engine != by_reference) {
            return fmt::format(
                "usage of {}: engine {}, reference {}", name, by_engine, by_reference
            );
        }
    }
    return std::nullopt;
}

}  // namespace

void Tally::count(const support::Outcome& outcome) {
    cycles += outcome.cycle > 0 ? 1 : 0;
    admitted += outcome.admitted.size();
    preempted += outcome.preempted.size();
    refused += outcome.refused.size();
    for (const support::NamedAdmission& admission : outcome.admitted) {
        ++happened[fmt::format("admit at level {}", admission.borrowing_level)];
        if (!admission.replaces.empty()) {
            ++happened["admit in the place of a slice"];
        }
    }
    for (const support::NamedPreemption& preemption : outcome.preempted) {
        ++happened[fmt::format("preempt {}", support::to_string(preemption.reason))];
    }
    for (const support::NamedRefusal& refusal : outcome.refused) {
        ++happened[fmt::format(
            "refuse {} {} to {}",
            support::to_string(refusal.kind),
            support::to_string(refusal.reason),
            support::to_string(refusal.requeued)
        )];
    }
}

std::optional<std::string> find_difference(const Case& played, Tally* tally) {
    engine::State state(played.options);
    Cluster reference(played.options);
    View view;
    engine::Time now(std::chrono::seconds(1'000'000));
    std::size_t position = 0;
    for (const Step& step : played.steps) {
        ++position;
        if (step.kind == Step::Kind::Advance) {
            now += engine::Duration(step.number);
        }
        for (const engine::Event& event : view.events_of(step, now)) {
            engine::apply(state, event, now);
            reference.apply(event, now);
            if (const auto faults = engine::audit(state); !faults.empty()) {
                return fmt::format("step {}: audit: {}", position, faults.front().what);
            }
            if (const auto fault = engine::NamesAudit(state).run(); !fault.empty()) {
                return fmt::format("step {}: audit: {}", position, fault);
            }
        }
        if (step.kind == Step::Kind::Cycle) {
            const Witness witness(state);
            engine::refresh(state);
            const support::Outcome in_brief = to_outcome(
                engine::decide(state, now, engine::Recording::Messages).result,
                support::names_of(state)
            );
            const engine::CycleResult result = engine::run_cycle(state, now);
            const support::Outcome by_engine = to_outcome(result, support::names_of(state));
            support::Outcome without_shortages = by_engine;
            for (auto& refused : without_shortages.refused) {
                refused.shortages.clear();
            }
            if (without_shortages != in_brief) {
                return fmt::format("step {}: explanations change the decision", position);
            }
            const support::Outcome by_reference = reference.run_cycle(now);
            if (by_engine != by_reference) {
                std::ostringstream out;
                out << "step " << position << "\nengine:    " << by_engine
                    << "reference: " << by_reference;
                return out.str();
            }
            if (const auto fault = witness.find_fault(state, result)) {
                std::ostringstream out;
                out << "step " << position << ": " << *fault << '\n' << by_engine;
                return out.str();
            }
            if (const auto faults = engine::audit(state); !faults.empty()) {
                return fmt::format("step {}: audit: {}", position, faults.front().what);
            }
            view.take(by_engine, now);
            if (tally != nullptr) {
                tally->count(by_engine);
            }
        }
        if (const auto difference = compare_queues(state, reference)) {
            return fmt::format("step {}: {}", position, *difference);
        }
        if (const auto difference = compare_usage(state, reference)) {
            return fmt::format("step {}: {}", position, *difference);
        }
    }
    return std::nullopt;
}

}  // namespace sluice::reference
