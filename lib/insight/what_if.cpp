#include "insight/what_if.hpp"

#include "api/insight/explanation.hpp"
#include "engine/engine.hpp"
#include "insight/constraint_words.hpp"
#include "workload/explanation/explanation.hpp"
#include "workload/pods/amounts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace sluice::insight {
namespace {

using engine::TrialOutcome;

std::string_view namespace_in(std::string_view workload) {
    return workload.substr(0, workload.find('/'));
}

api::WhatIfStart start_of(const engine::State& state, const TrialOutcome::Admitted& admitted) {
    std::set<std::string> flavors;
    for (const auto& pod_set : admitted.decision.pod_sets) {
        for (const auto& flavor : pod_set.flavors) {
            flavors.insert(state.flavor_name(flavor.flavor));
        }
    }
    api::WhatIfStart made;
    made.workload = admitted.workload;
    made.cluster_queue = state.node_name(admitted.decision.cluster_queue);
    made.flavors.assign(flavors.begin(), flavors.end());
    made.borrows = admitted.decision.borrowing_level > 0;
    return made;
}

/// Returns those that start and hold quota in the end, by name.
std::map<std::string, api::WhatIfStart> starts_of(
    const engine::Trial& trial, const TrialOutcome& outcome
) {
    std::map<std::string, api::WhatIfStart> made;
    for (const auto& admitted : outcome.admitted) {
        if (const auto* last = outcome.find_admitted(admitted.workload)) {
            made.insert_or_assign(admitted.workload, start_of(trial.state(), *last));
        }
    }
    return made;
}

/// Returns the evictions of workloads that do not start again, by name.
std::map<std::string, std::string> evictions_of(const TrialOutcome& outcome) {
    std::map<std::string, std::string> made;
    for (const auto& evicted : outcome.evicted) {
        if (outcome.find_admitted(evicted.workload) == nullptr) {
            made.insert_or_assign(evicted.workload, evicted.preemptor);
        }
    }
    return made;
}

}  // namespace

ChangeDraft::ChangeDraft(PlannedChange plan, const engine::TrialLimits& limits)
    : plan_(std::move(plan)) {
    made_.as_of = plan_.now;
    engine::Trial without(*plan_.state, plan_.now);
    engine::Trial with(*plan_.state, plan_.now);
    for (const engine::Event& event : plan_.events) {
        with.apply(event);
    }
    const TrialOutcome unchanged = without.run(limits);
    const TrialOutcome changed = with.run(limits);
    made_.truncated = !unchanged.is_stable || !changed.is_stable;
    compare(with, changed, without, unchanged);
    explain_waits(with, changed);
}

void ChangeDraft::compare(
    const engine::Trial& with,
    const TrialOutcome& changed,
    const engine::Trial& without,
    const TrialOutcome& unchanged
) {
    const auto starts = starts_of(with, changed);
    const auto before = starts_of(without, unchanged);
    for (const auto& [workload, start] : starts) {
        const auto same = before.find(workload);
        if (same == before.end() || same->second != start) {
            made_.starts.push_back(start);
        }
    }
    for (const auto& [workload, start] : before) {
        const bool exists = with.state().find_workload(workload).is_valid();
        if (!starts.contains(workload) && exists) {
            made_.no_longer_starts.push_back(start);
        }
    }
    const auto evicted_before = evictions_of(unchanged);
    for (const auto& [workload, preemptor] : evictions_of(changed)) {
        const auto index = plan_.state->find_workload(workload);
        const bool holds = index.is_valid() && plan_.state->workload(index).holding != nullptr;
        // A workload may also start and be evicted within the run.
        if (holds && !evicted_before.contains(workload)) {
            api::WhatIfEviction made;
            made.workload = workload;
            made.preemptor = preemptor;
            made.amount = amount_of(workload);
            made_.evicts.push_back(std::move(made));
        }
    }
}

std::string ChangeDraft::amount_of(std::string_view workload) const {
    const auto index = plan_.state->find_workload(workload);
    if (!index.is_valid() || plan_.state->workload(index).holding == nullptr) {
        return "";
    }
    std::vector<std::string> texts;
    for (const auto& usage : plan_.state->workload(index).holding->usages) {
        const auto& resource =
            plan_.state->resource_name(plan_.state->resource_of(usage.flavor_resource));
        texts.push_back(fmt::format("{} {}", workload::to_text(resource, usage.amount), resource));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

void ChangeDraft::explain_waits(engine::Trial& trial, const TrialOutcome& outcome) {
    for (const PlannedChange::Named& named : plan_.named) {
        const auto index = trial.state().find_workload(named.workload);
        if (!index.is_valid() || trial.state().workload(index).holding != nullptr ||
            outcome.find_admitted(named.workload) != nullptr) {
            continue;
        }
        std::string why = named.obstacle.value_or("");
        const auto& record = trial.state().workload(index);
        if (why.empty() && trial.state().cluster_queue_of(record).is_valid()) {
            const auto result = trial.decide_alone(index);
            why = "others come first";
            if (!result.refused.empty()) {
                workload::Explanations explanations(trial.state(), result);
                const auto constraints = explanations.of(0);
                why = constraints.empty() ? "" : short_words(constraints.front(), {});
                if (!constraints.empty() && !constraints.front().flavor.empty()) {
                    why += " on " + constraints.front().flavor;
                }
            }
        }
        api::WhatIfWait made;
        made.workload = named.workload;
        made.why = std::move(why);
        made_.waits.push_back(std::move(made));
    }
}

std::set<std::string> ChangeDraft::namespaces() const {
    std::set<std::string> made;
    for (const auto* starts : {&made_.starts, &made_.no_longer_starts}) {
        for (const auto& start : *starts) {
            made.emplace(namespace_in(start.workload));
        }
    }
    for (const auto& eviction : made_.evicts) {
        made.emplace(namespace_in(eviction.workload));
        made.emplace(namespace_in(eviction.preemptor));
    }
    made.erase("");
    return made;
}

api::WhatIfStatus ChangeDraft::finish(const std::function<bool(std::string_view ns)>& may_read
) const {
    api::WhatIfStatus made = made_;
    const auto redact = [&](std::string& workload) {
        if (!workload.empty() && !may_read(namespace_in(workload))) {
            workload = api::kAnotherNamespace;
        }
    };
    for (auto* starts : {&made.starts, &made.no_longer_starts}) {
        for (auto& start : *starts) {
            redact(start.workload);
        }
    }
    for (auto& eviction : made.evicts) {
        redact(eviction.workload);
        redact(eviction.preemptor);
    }
    return made;
}

}  // namespace sluice::insight
