#include "insight/explain.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "engine/engine.hpp"
#include "insight/constraint_words.hpp"
#include "insight/held_back.hpp"
#include "insight/holder.hpp"
#include "insight/levels.hpp"
#include "insight/remedies.hpp"
#include "workload/explanation/explanation_words.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/status/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sluice::insight {
namespace {

namespace condition = api::condition;
namespace prospect = api::explanation_prospect;
namespace state = api::explanation_state;

using MayRead = std::function<bool(std::string_view ns)>;

std::string_view namespace_of(std::string_view workload) {
    return workload.substr(0, workload.find('/'));
}

/// Returns the constraints with the holders that the asker may not read unnamed.
std::vector<workload::Constraint> redacted(
    std::vector<workload::Constraint> constraints, const MayRead& may_read
) {
    for (auto& constraint : constraints) {
        for (auto& holder : constraint.holders) {
            if (!may_read(namespace_of(holder.workload))) {
                holder.workload = api::kAnotherNamespace;
            }
        }
    }
    return constraints;
}

/// Gates by which reasons are as detailed as can be.
workload::TranslationGates detailed_gates() {
    workload::TranslationGates gates;
    gates.unadmitted_workloads_observability = true;
    return gates;
}

std::optional<Time> transition(const api::Workload& workload, std::string_view type) {
    const auto* found = api::find_condition(workload.status.conditions, type);
    return found == nullptr ? std::nullopt : found->last_transition_time;
}

}  // namespace

Draft::Draft(Situation situation) : situation_(std::move(situation)) {
    engine::refresh(*situation_.state);
    describe();
}

void Draft::describe() {
    const api::Workload& workload = *situation_.workload;
    const auto& metadata = workload.metadata;
    made_.metadata.name = metadata.name;
    made_.metadata.namespace_ = metadata.namespace_;
    made_.metadata.uid = metadata.uid;
    made_.metadata.creation_timestamp = metadata.creation_timestamp;
    made_.as_of = situation_.now;
    made_.local_queue = workload.spec.queue_name;
    made_.cluster_queue =
        situation_.cluster_queue == nullptr ? "" : situation_.cluster_queue->metadata.name;
    made_.priority = workload.spec.priority.value_or(0);
    if (const auto* owner = metadata.controller_owner()) {
        made_.job = {.api_version = owner->api_version, .kind = owner->kind, .name = owner->name};
    }
    add_pod_sets();
    const auto& conditions = workload.status.conditions;
    if (api::is_true(conditions, condition::kFinished)) {
        made_.state = condition::kFinished;
        made_.prospect = prospect::kRuns;
        made_.since = transition(workload, condition::kFinished);
        const auto* finished = api::find_condition(conditions, condition::kFinished);
        made_.reason = finished->reason;
        made_.message = finished->message;
    } else if (workload.status.admission && api::is_true(conditions, condition::kQuotaReserved)) {
        describe_holder(situation_, made_);
    } else if (situation_.obstacle) {
        describe_held_back(situation_, made_);
        if (situation_.depth == Depth::Full) {
            made_.remedies = find_remedies_of_stop(situation_);
        }
    } else {
        explain_pending();
    }
}

void Draft::add_pod_sets() {
    const auto index =
        situation_.state->find_workload(made_.metadata.namespace_ + "/" + made_.metadata.name);
    if (!index.is_valid()) {
        return;
    }
    const auto& record = situation_.state->workload(index);
    made_.priority = record.priority;
    for (const auto& pod_set : record.pod_sets) {
        api::ExplainedPodSet& made = made_.pod_sets.emplace_back();
        made.name = pod_set.name;
        made.count = pod_set.count_after_reclaim();
        for (const auto& request : pod_set.requests) {
            const std::string& resource = situation_.state->resource_name(request.resource);
            made.requests[resource] = workload::to_text(resource, request.amount);
            made.total[resource] = workload::to_text(resource, request.amount * made.count);
        }
    }
}

void Draft::explain_pending() {
    const api::Workload& workload = *situation_.workload;
    made_.state = state::kPending;
    made_.prospect = prospect::kWaits;
    made_.since = waiting_since(workload);
    if (situation_.place) {
        const auto& place = *situation_.place;
        made_.position = api::QueuePosition{
            .in_cluster_queue = static_cast<std::int64_t>(place.place.in_cluster_queue) + 1,
            .of_cluster_queue = static_cast<std::int64_t>(place.cluster_queue_size),
            .in_local_queue = static_cast<std::int64_t>(place.place.in_local_queue) + 1,
            .of_local_queue = static_cast<std::int64_t>(place.local_queue_size),
        };
    }
    const engine::State& of = *situation_.state;
    const auto index = of.find_workload(made_.metadata.namespace_ + "/" + made_.metadata.name);
    if (!index.is_valid() || of.workload(index).holding != nullptr ||
        !of.cluster_queue_of(of.workload(index)).is_valid()) {
        made_.message = "the scheduler has not seen it yet";
        return;
    }
    const auto delay = find_delay(workload, situation_.now);
    if (delay) {
        made_.notes.push_back(*delay);
    }
    const auto queue = of.cluster_queue_of(of.workload(index));
    add_order(index, queue);
    decide_alone(index);
    const bool is_strict =
        of.cluster_queue(queue).spec.strategy == engine::QueueingStrategy::StrictFIFO;
    if (is_strict && of.has_heap(queue) && of.head(queue) != index) {
        const auto head = of.head(queue);
        auto result = engine::decide_alone(of, head, situation_.now);
        strict_head_ = RefusedAlone{.workload = std::string(of.workload_key(head))};
        if (!result.refused.empty()) {
            workload::Explanations explanations(of, result);
            strict_head_->constraints = explanations.of(0);
            strict_head_->refusal = std::move(result.refused.front());
        }
    }
    if (refused_) {
        add_undeclared();
        if (situation_.depth == Depth::Full) {
            add_levels();
        }
        const auto& constraints = refused_->constraints;
        const auto kind = refused_->refusal.kind;
        const bool evicts = kind == engine::RefusalKind::PendingPreemption ||
                            kind == engine::RefusalKind::DeferredFit;
        if (!evicts && !constraints.empty() && constraints.front().remedies.empty()) {
            made_.prospect = prospect::kNever;
        }
        if (!evicts && !delay && situation_.depth == Depth::Full) {
            made_.remedies = find_remedies(situation_, refused_->refusal, constraints);
        }
    }
}

void Draft::add_order(engine::WorkloadIndex index, engine::NodeIndex queue) {
    if (!made_.position) {
        return;
    }
    const engine::State& of = *situation_.state;
    const auto& record = of.workload(index);
    const auto& preemptor = of.cluster_queue(queue).preemptor;
    made_.position->preemptor = preemptor.sticky && preemptor.workload == index;
    if (of.shares_admission_fairly(of.cluster_queue(queue))) {
        made_.position->fair_usage =
            fmt::format("{:.3f}", of.local_queue(record.local_queue).fair_usage);
    }
    made_.position->boost = record.priority - situation_.workload->spec.priority.value_or(0);
    made_.position->ordered = record.queue_order;
}

void Draft::decide_alone(engine::WorkloadIndex index) {
    auto result = engine::decide_alone(*situation_.state, index, situation_.now);
    fits_alone_ = !result.admitted.empty();
    if (result.refused.empty()) {
        return;
    }
    workload::Explanations explanations(*situation_.state, result);
    auto constraints = explanations.of(0);
    refused_ = RefusedAlone{
        .workload = std::string(situation_.state->workload_key(index)),
        .refusal = std::move(result.refused.front()),
        .constraints = std::move(constraints),
    };
    made_.reason = std::string(workload::shown_reason(refused_->refusal.reason, detailed_gates()));
}

void Draft::add_undeclared() {
    const engine::State& of = *situation_.state;
    if (of.options().quota_check_strategy == engine::QuotaCheckStrategy::IgnoreUndeclared) {
        return;
    }
    const auto& groups = of.cluster_queue(refused_->refusal.cluster_queue).groups;
    for (const auto& pod_set : of.workload(refused_->refusal.workload).pod_sets) {
        for (const auto& request : pod_set.requests) {
            const bool is_covered = std::ranges::any_of(groups, [&](const auto& group) {
                return std::ranges::find(group.resources, request.resource) !=
                       group.resources.end();
            });
            const std::string& resource = of.resource_name(request.resource);
            auto& constraints = refused_->constraints;
            const bool is_known = std::ranges::any_of(constraints, [&](const auto& constraint) {
                return constraint.kind == "undeclaredResource" && constraint.resource == resource;
            });
            if (is_covered || is_known || request.amount == engine::Amount()) {
                continue;
            }
            workload::Constraint made{.kind = "undeclaredResource", .pod_set = pod_set.name};
            made.resource = resource;
            made.node = "clusterQueue/" + of.node_name(refused_->refusal.cluster_queue);
            constraints.insert(constraints.begin(), std::move(made));
        }
    }
}

void Draft::add_levels() {
    if (!refused_) {
        return;
    }
    const auto& refusal = refused_->refusal;
    const auto& constraints = refused_->constraints;
    const auto first = std::ranges::find_if(constraints, [](const auto& constraint) {
        return !constraint.limit.empty();
    });
    if (first == constraints.end()) {
        return;
    }
    const engine::State& of = *situation_.state;
    const auto pairs = of.cluster_queue(refusal.cluster_queue).groups;
    for (const auto& group : pairs) {
        for (const auto flavor : group.flavors) {
            for (const auto resource : group.resources) {
                if (of.flavor_name(flavor) == first->flavor &&
                    of.resource_name(resource) == first->resource) {
                    made_.level_flavor = first->flavor;
                    made_.level_resource = first->resource;
                    made_.shortage = shortage_of(*first);
                    made_.levels = find_levels(
                        of, refusal.cluster_queue, of.flavor_resource_of(flavor, resource)
                    );
                    mark_binding(first->node);
                }
            }
        }
    }
}

void Draft::mark_binding(const std::string& node) {
    if (std::ranges::find(made_.levels, node, &api::ExplainedLevel::node) == made_.levels.end()) {
        return;
    }
    for (auto& level : made_.levels) {
        level.binding = level.node == node;
    }
}

std::set<std::string> Draft::namespaces() const {
    std::set<std::string> made;
    const auto add = [&](std::string_view workload) { made.emplace(namespace_of(workload)); };
    for (const auto* refused : {&refused_, &strict_head_}) {
        if (!*refused) {
            continue;
        }
        const RefusedAlone& one = **refused;
        add(one.workload);
        for (const auto target : one.refusal.targets) {
            add(situation_.state->workload_key(target));
        }
        for (const auto& constraint : one.constraints) {
            for (const auto& holder : constraint.holders) {
                add(holder.workload);
            }
        }
    }
    for (const auto& remedy : made_.remedies) {
        for (const auto& workload : remedy.evicts) {
            add(workload);
        }
    }
    made.erase(made_.metadata.namespace_);
    return made;
}

std::string Draft::words_of(const RefusedAlone& refused) const {
    std::string words = workload::in_words(refused.refusal, refused.constraints);
    if (!words.empty()) {
        return words;
    }
    return refused.constraints.empty() ? "" : short_words(refused.constraints.front(), {});
}

api::ExplainedHolder Draft::to_api(const workload::Holder& holder, const MayRead& may_read) const {
    api::ExplainedHolder made;
    made.amount = holder.amount;
    made.evicted = holder.evicted;
    made.reserved = holder.reserved;
    if (!may_read(namespace_of(holder.workload))) {
        made.workload = api::kAnotherNamespace;
        return made;
    }
    made.workload = holder.workload;
    made.priority = holder.priority;
    const auto index = situation_.state->find_workload(holder.workload);
    if (index.is_valid()) {
        const auto& holding = situation_.state->workload(index).holding;
        if (holding != nullptr) {
            made.since = holding->reserved_at;
            made.bound = holding->bound;
        }
    }
    return made;
}

api::ExplainedConstraint Draft::to_api(
    const workload::Constraint& constraint, const MayRead& may_read
) const {
    api::ExplainedConstraint made;
    made.kind = constraint.kind;
    made.pod_set = constraint.pod_set;
    made.resource = constraint.resource;
    made.flavor = constraint.flavor;
    made.node = constraint.node;
    made.needed = constraint.needed;
    made.free = constraint.free;
    made.limit = constraint.limit;
    made.nominal = constraint.nominal;
    made.borrowed = constraint.borrowed;
    made.message = obstacle_of(constraint);
    for (const auto& holder : constraint.holders) {
        made.holders.push_back(to_api(holder, may_read));
    }
    made.remedies = constraint.remedies;
    made.reclaim_within_cohort = constraint.reclaim;
    return made;
}

std::string Draft::obstacle_of(const workload::Constraint& constraint) const {
    if (refused_ && constraint.kind == "taint") {
        for (const auto& pod_set : refused_->refusal.pod_sets) {
            for (const auto& found : pod_set.flavors) {
                const bool is_it = found.kind == engine::FlavorRefusal::Kind::UntoleratedTaint &&
                                   situation_.state->flavor_name(found.flavor) == constraint.flavor;
                const auto flavor = situation_.flavors.find(constraint.flavor);
                if (is_it && flavor != situation_.flavors.end() &&
                    found.taint < flavor->second.spec.node_taints.size()) {
                    return short_words(
                        constraint, print_taint(flavor->second.spec.node_taints[found.taint])
                    );
                }
            }
        }
    }
    return short_words(constraint, {});
}

std::string Draft::summary_of(const api::Explanation& explanation) const {
    if (explanation.state != state::kPending) {
        return explanation.message;
    }
    if (strict_head_) {
        return explanation.notes.front();
    }
    if (!refused_ || refused_->constraints.empty()) {
        return explanation.message;
    }
    const auto& main = refused_->constraints.front();
    const std::string text = obstacle_of(main);
    if (text.empty()) {
        return explanation.message;
    }
    const auto& refusal = refused_->refusal;
    std::string turn;
    if (refusal.kind == engine::RefusalKind::PendingPreemption) {
        turn = fmt::format(
            "waits until {} {} stopped: ",
            refusal.preemptions,
            refusal.preemptions == 1 ? "workload has" : "workloads have"
        );
    } else if (refusal.kind == engine::RefusalKind::PreemptionGated) {
        turn = "a closed gate keeps it from evicting others: ";
    }
    return fmt::format("{}{}{}", turn, text, main.flavor.empty() ? "" : " on " + main.flavor);
}

api::Explanation Draft::finish(const MayRead& may_read) const {
    const auto& own = made_.metadata.namespace_;
    const MayRead reads = [&](std::string_view ns) { return ns == own || may_read(ns); };
    api::Explanation made = made_;
    const auto named = [&](const std::string& workload) {
        return reads(namespace_of(workload)) ? workload : std::string(api::kAnotherNamespace);
    };
    if (refused_) {
        const RefusedAlone shown{
            .workload = refused_->workload,
            .refusal = refused_->refusal,
            .constraints = redacted(refused_->constraints, reads),
        };
        made.message = words_of(shown);
        if (situation_.depth == Depth::Full) {
            for (const auto& constraint : refused_->constraints) {
                made.constraints.push_back(to_api(constraint, reads));
            }
        }
        if (refused_->refusal.kind == engine::RefusalKind::PendingPreemption) {
            for (const auto target : refused_->refusal.targets) {
                const std::string key(situation_.state->workload_key(target));
                made.notes.push_back("it evicts " + named(key));
            }
        }
    } else if (fits_alone_) {
        const std::int64_t before = made.position ? made.position->in_cluster_queue - 1 : 0;
        made.message = before == 0 ? "it fits now, and is admitted in the next cycle"
                                   : fmt::format(
                                         "it fits now; {} {} first in ClusterQueue {}",
                                         before,
                                         before == 1 ? "workload comes" : "workloads come",
                                         made.cluster_queue
                                     );
    }
    if (strict_head_) {
        const RefusedAlone shown{
            .workload = named(strict_head_->workload),
            .refusal = strict_head_->refusal,
            .constraints = redacted(strict_head_->constraints, reads),
        };
        const std::string why = strict_head_->constraints.empty() ? "" : words_of(shown);
        made.notes.insert(
            made.notes.begin(),
            fmt::format(
                "StrictFIFO keeps it behind {}{}{}", shown.workload, why.empty() ? "" : ": ", why
            )
        );
    }
    for (auto& remedy : made.remedies) {
        for (auto& workload : remedy.evicts) {
            workload = named(workload);
        }
    }
    if (made.message.empty()) {
        const auto* reserved =
            api::find_condition(situation_.workload->status.conditions, condition::kQuotaReserved);
        made.message = reserved == nullptr ? "" : reserved->message;
    }
    made.summary = summary_of(made);
    return made;
}

}  // namespace sluice::insight
