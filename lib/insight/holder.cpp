#include "insight/holder.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "base/assert.hpp"
#include "engine/types/objects.hpp"
#include "workload/translation/execution_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace sluice::insight {
namespace {

namespace condition = api::condition;
namespace prospect = api::explanation_prospect;
namespace state = api::explanation_state;

std::vector<std::string> flavors_of(const api::Admission& admission) {
    std::set<std::string> flavors;
    for (const auto& pod_set : admission.pod_set_assignments) {
        for (const auto& [resource, flavor] : pod_set.flavors) {
            flavors.insert(flavor);
        }
    }
    return {flavors.begin(), flavors.end()};
}

/// Returns the checks that are not ready, each with its state and message.
std::string unready_checks(const api::Workload& workload) {
    std::vector<std::string> texts;
    for (const auto& check : workload.status.admission_checks) {
        if (check.state != api::check_state::kReady) {
            texts.push_back(fmt::format(
                "{} is {}{}{}",
                check.name,
                check.state,
                check.message.empty() ? "" : ": ",
                check.message
            ));
        }
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

bool is_borrowing(const engine::State& state, const engine::Holding& holding) {
    return std::ranges::any_of(holding.usages, [&](const engine::Usage& usage) {
        return state.borrowed(holding.cluster_queue, usage.flavor_resource) > engine::Amount();
    });
}

bool may_reclaim(const engine::State& state, engine::NodeIndex of) {
    const auto root = state.tree().node(of).root;
    return std::ranges::any_of(state.tree().cluster_queues_of(root), [&](engine::NodeIndex other) {
        return other != of && state.cluster_queue(other).spec.preemption.reclaim_within_cohort !=
                                  engine::PreemptionPolicy::Never;
    });
}

/// Adds who may evict the holder by the policies of its cohort.
void add_preemptors(const engine::State& state, const std::string& key, api::Explanation& made) {
    const auto index = state.find_workload(key);
    if (!index.is_valid() || state.workload(index).holding == nullptr) {
        return;
    }
    const engine::Holding& holding = *state.workload(index).holding;
    const auto& queue = state.cluster_queue(holding.cluster_queue).spec;
    switch (queue.preemption.within_cluster_queue) {
        case engine::PreemptionPolicy::Never:
            break;
        case engine::PreemptionPolicy::LowerPriority:
        case engine::PreemptionPolicy::LowerOrNewerEqualPriority:
        case engine::PreemptionPolicy::Any:
            made.notes.push_back(fmt::format(
                "may be evicted for a workload of ClusterQueue {} with a priority above {}{}",
                queue.name,
                made.priority,
                queue.preemption.within_cluster_queue == engine::PreemptionPolicy::LowerPriority
                    ? ""
                    : ", or for an older one with the same"
            ));
            break;
    }
    if (!queue.cohort.empty() && is_borrowing(state, holding) &&
        may_reclaim(state, holding.cluster_queue)) {
        made.notes.push_back(fmt::format(
            "ClusterQueue {} borrows: may be evicted when others of cohort {} take their quota "
            "back",
            queue.name,
            queue.cohort
        ));
    }
}

}  // namespace

void describe_holder(const Situation& situation, api::Explanation& made) {
    const api::Workload& workload = *situation.workload;
    const auto& conditions = workload.status.conditions;
    SLUICE_ASSERT(workload.status.admission.has_value());
    made.cluster_queue = workload.status.admission->cluster_queue;
    made.flavors = flavors_of(*workload.status.admission);
    const auto* evicted = api::find_condition(conditions, condition::kEvicted);
    if (evicted != nullptr && evicted->status == api::condition_status::kTrue) {
        made.state = condition::kEvicted;
        made.prospect = workload.spec.active.value_or(true) ? prospect::kWaits : prospect::kNever;
        made.since = evicted->last_transition_time;
        made.reason = evicted->reason;
        made.message = evicted->message;
        return;
    }
    made.prospect = prospect::kRuns;
    const auto* admitted = api::find_condition(conditions, condition::kAdmitted);
    if (admitted != nullptr && admitted->status == api::condition_status::kTrue) {
        made.state = condition::kAdmitted;
        made.since = admitted->last_transition_time;
        made.reason = admitted->reason;
        made.message = admitted->message;
        made.bound = workload::execution_limit(workload);
        const auto* ready = api::find_condition(conditions, condition::kPodsReady);
        if (ready != nullptr && ready->status != api::condition_status::kTrue) {
            made.notes.push_back("its pods are not ready: " + ready->message);
        }
        add_preemptors(
            *situation.state, workload.metadata.namespace_ + "/" + workload.metadata.name, made
        );
        return;
    }
    const auto* reserved = api::find_condition(conditions, condition::kQuotaReserved);
    made.state = state::kReserved;
    made.since = reserved->last_transition_time;
    made.reason = api::reason::kUnsatisfiedChecks;
    const std::string checks = unready_checks(workload);
    made.message = checks.empty() ? "its admission is being written" : "admission check " + checks;
}

}  // namespace sluice::insight
