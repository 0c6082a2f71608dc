#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "api/meta/codec.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/translation/execution_limit.hpp"
#include "workload/translation/queueable.hpp"
#include "workload/translation/slices.hpp"
#include "workload/translation/translator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sluice::workload {
namespace {

namespace condition = api::condition;

/// Returns the condition if it is True with that reason; nullptr otherwise.
const api::Condition* find_true(
    const api::Workload& workload, std::string_view type, std::string_view reason
) {
    const auto* condition = api::find_condition(workload.status.conditions, type);
    return condition != nullptr && condition->status == api::condition_status::kTrue &&
                   condition->reason == reason
               ? condition
               : nullptr;
}

bool is_active(const api::Workload& workload) {
    return workload.spec.active.value_or(true);
}

/// Returns true if the Workload holds no quota whatever its reservation says. A deactivated job
/// keeps its quota until its pods have ended and the reservation is removed.
bool has_ended(const api::Workload& workload) {
    const bool may_run = api::is_true(workload.status.conditions, condition::kQuotaReserved) &&
                         may_have_pods(workload.metadata);
    return (!is_active(workload) && !may_run) ||
           api::is_true(workload.status.conditions, condition::kFinished);
}

bool is_preemption_gated(const api::Workload& workload) {
    // A gate that is not in the status yet counts as closed, so that workloads can be created
    // gated.
    return std::ranges::any_of(
        workload.spec.preemption_gates,
        [&](const api::PreemptionGate& gate) {
            const auto& states = workload.status.preemption_gates;
            const auto state =
                std::ranges::find(states, gate.name, &api::PreemptionGateState::name);
            return state == states.end() || state->position == "Closed";
        }
    );
}

bool has_failed_check(const api::Workload& workload) {
    return std::ranges::any_of(
        workload.status.admission_checks,
        [](const api::AdmissionCheckState& check) {
            return check.state == api::check_state::kRetry ||
                   check.state == api::check_state::kRejected;
        }
    );
}

std::string key_of(const std::string& ns, const std::string& name) {
    return ns + "/" + name;
}

/// Returns the FNV-1a hash of a text.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    return hash;
}

/// Returns the pods' resources, after LimitRanges and RuntimeClasses, as one text.
std::string text_of(const std::vector<PodResources>& pods) {
    std::string text;
    const auto append = [&text](const api::ResourceList& list) {
        text += '|';
        api::encode_to(api::type_of<api::ResourceList>(), &list, text);
    };
    const auto append_both = [&append](const Resources& resources) {
        append(resources.requests);
        append(resources.limits);
    };
    for (const auto& pod : pods) {
        for (const auto& container : pod.init_containers) {
            append_both(container.resources);
        }
        for (const auto& container : pod.containers) {
            append_both(container);
        }
        if (pod.pod_level) {
            append_both(*pod.pod_level);
        }
        append(pod.overhead);
    }
    return text;
}

}  // namespace

std::uint64_t Translator::condition_stamp(const api::Workload& workload) const {
    std::string text;
    for (const auto* type : {condition::kEvicted, condition::kRequeued}) {
        if (const auto* condition = api::find_condition(workload.status.conditions, type)) {
            const auto changed =
                condition->last_transition_time.value_or(Time{}).time_since_epoch().count();
            text += fmt::format(
                "{} {} {} {} {}",
                condition->status,
                changed,
                condition->observed_generation,
                condition->reason,
                condition->message
            );
        }
        text += '/';
    }
    const auto* boost = workload.metadata.find_annotation(api::annotation::kPriorityBoost);
    if (settings_.gates.priority_boost && boost != nullptr) {
        text += *boost;
    }
    for (const auto& reclaimable : workload.status.reclaimable_pods) {
        text += fmt::format("/{} {}", reclaimable.name, reclaimable.count);
    }
    if (const auto& limits = limits_of(workload.metadata.namespace_); !limits.is_empty()) {
        std::string adjusted = text_of(pods_of(workload, limits));
        if (adjusted != text_of(pods_of(workload, LimitRangeSummary()))) {
            text += adjusted;
        }
    }
    return hash_of(text);
}

namespace {

/// Returns the domains by id: the values of the levels, joined by commas.
std::vector<engine::DomainPods> domains_of(const api::TopologyAssignment& assignment) {
    std::vector<engine::DomainPods> made;
    for (const auto& domain : api::decode(assignment).domains) {
        made.push_back(
            {.id = fmt::format("{}", fmt::join(domain.values, ",")),
             .count = static_cast<std::int32_t>(domain.count)}
        );
    }
    return made;
}

bool is_on_unhealthy_node(const api::Workload& workload, const engine::PodSetAssignment& pod_set) {
    if (!pod_set.domains) {
        return false;
    }
    return std::ranges::any_of(*pod_set.domains, [&](const engine::DomainPods& domain) {
        const std::string host = domain.id.substr(domain.id.rfind(',') + 1);
        const auto& nodes = workload.status.unhealthy_nodes;
        return std::ranges::find(nodes, host, &api::UnhealthyNode::name) != nodes.end();
    });
}

/// Returns why the workload, which holds quota, is to be a head again.
engine::SecondPass second_pass_of(
    const api::Workload& workload, const engine::QuotaReservation& reservation
) {
    using enum engine::SecondPass;
    if (reservation.evicted) {
        return None;
    }
    const auto& checks = workload.status.admission_checks;
    const bool is_pending = std::ranges::any_of(reservation.pod_sets, [](const auto& pod_set) {
        return !pod_set.domains && pod_set.delayed == engine::DelayedTopology::Pending;
    });
    const bool are_ready = !checks.empty() && std::ranges::all_of(checks, [](const auto& check) {
        return check.state == api::check_state::kReady;
    });
    if (is_pending && are_ready && !reservation.admitted) {
        return Delayed;
    }
    const bool has_failed =
        reservation.admitted && std::ranges::any_of(reservation.pod_sets, [&](const auto& p) {
            return is_on_unhealthy_node(workload, p);
        });
    return has_failed ? Replacement : None;
}

engine::PodSetAssignment to_engine_assignment(
    const api::PodSetAssignment& given, std::int32_t spec_count
) {
    engine::PodSetAssignment made{
        .name = given.name, .resources = {}, .count = given.count.value_or(spec_count)
    };
    if (given.topology_assignment) {
        made.domains = domains_of(*given.topology_assignment);
    }
    made.delayed = given.delayed_topology_request == "Pending" ? engine::DelayedTopology::Pending
                   : given.delayed_topology_request == "Ready" ? engine::DelayedTopology::Ready
                                                               : engine::DelayedTopology::None;
    for (const auto& [resource, flavor] : given.flavors) {
        // A flavor without usage is still recorded: a replacement or a preemption needs it.
        const auto usage = given.resource_usage.find(resource);
        const auto amount = usage == given.resource_usage.end()
                                ? engine::Amount()
                                : request_amount(resource, usage->second);
        made.resources.push_back({resource, flavor, amount});
    }
    return made;
}

}  // namespace

std::int64_t Translator::effective_priority(const api::Workload& workload) const {
    const std::int64_t priority = workload.spec.priority.value_or(0);
    const auto* text = workload.metadata.find_annotation(api::annotation::kPriorityBoost);
    if (!settings_.gates.priority_boost || text == nullptr) {
        return priority;
    }
    std::string_view digits = *text;
    if (digits.starts_with('+') && !digits.starts_with("+-")) {
        digits.remove_prefix(1);
    }
    std::int32_t boost = 0;
    const auto [at, error] = std::from_chars(digits.begin(), digits.end(), boost);
    return error == std::errc() && at == digits.end() ? priority + boost : priority;
}

engine::Time Translator::queue_order(const api::Workload& workload) const {
    const engine::Time created = workload.metadata.creation_timestamp.value_or(Time{});
    if (settings_.eviction_orders_queue) {
        if (const auto* evicted =
                find_true(workload, condition::kEvicted, api::reason::kPodsReadyTimeout)) {
            return evicted->last_transition_time.value_or(created);
        }
    }
    if (const auto* evicted =
            find_true(workload, condition::kEvicted, api::reason::kAdmissionCheck)) {
        return evicted->last_transition_time.value_or(created);
    }
    if (!settings_.gates.priority_sorting_within_cohort) {
        if (const auto* preempted = find_true(
                workload, condition::kPreempted, api::reason::kInCohortReclaimWhileBorrowing
            )) {
            // Strictly later than its preemptor.
            return preempted->last_transition_time.value_or(created) + std::chrono::milliseconds(1);
        }
    }
    return created;
}

std::optional<engine::QuotaReservation> Translator::reservation(const api::Workload& workload
) const {
    const auto& status = workload.status;
    const auto* reserved = api::find_condition(status.conditions, condition::kQuotaReserved);
    if (reserved == nullptr || reserved->status != api::condition_status::kTrue ||
        !status.admission || api::is_true(status.conditions, condition::kFinished)) {
        return std::nullopt;
    }
    engine::QuotaReservation made{
        .cluster_queue = status.admission->cluster_queue,
        .pod_sets = {},
        .reserved_at = reserved->last_transition_time,
        .admitted = api::is_true(status.conditions, condition::kAdmitted),
        .evicted = api::is_true(status.conditions, condition::kEvicted),
        .expected_end = std::nullopt,
        .bound = execution_limit(workload),
    };
    for (const auto& assignment : status.admission->pod_set_assignments) {
        const auto& all = workload.spec.pod_sets;
        const auto pod_set = std::ranges::find(all, assignment.name, &api::PodSet::name);
        if (pod_set != all.end()) {
            made.pod_sets.push_back(to_engine_assignment(assignment, pod_set->count));
        }
    }
    made.second_pass = second_pass_of(workload, made);
    for (const auto& node : status.unhealthy_nodes) {
        made.unhealthy_nodes.push_back(node.name);
    }
    made.is_of_one_pod = is_owned_by_single_pod(workload);
    return made;
}

PodResources Translator::resources_of(const api::PodSpec& pod, const LimitRangeSummary& limits)
    const {
    const auto overhead = overheads_.find(pod.runtime_class_name);
    return make_pod_resources(
        pod, overhead == overheads_.end() ? nullptr : &overhead->second, limits
    );
}

const PodDemand& Translator::demand_of(const api::PodSet& pod_set, const std::string& ns) {
    const auto& limits = limits_of(ns);
    const auto& pods = pod_set.template_;
    const auto [at, is_new] = demands_.try_emplace({pods.pointer(), &limits});
    if (is_new) {
        at->second =
            make_pod_demand(pods->spec, resources_of(pods->spec, limits), limits, settings_);
    }
    return at->second;
}

std::vector<const PodDemand*> Translator::demands_of(const api::Workload& workload) {
    // the entries keep templates alive that may have no other owner
    constexpr std::size_t kMost = 256;
    if (demands_.size() >= kMost) {
        demands_.clear();
    }
    std::vector<const PodDemand*> demands;
    demands.reserve(workload.spec.pod_sets.size());
    for (const auto& pod_set : workload.spec.pod_sets) {
        demands.push_back(&demand_of(pod_set, workload.metadata.namespace_));
    }
    return demands;
}

PodShape Translator::shape_of(
    const api::Workload& workload, const api::PodSet& pod_set, const PodDemand& demand
) const {
    PodShape shape = demand.shape;
    if (!settings_.gates.topology_aware_scheduling) {
        return shape;
    }
    shape.topology = find_topology_need(pod_set, demand.requests);
    for (RejectingNode& node : rejecting_nodes(workload.metadata)) {
        shape.rejecting_nodes.push_back(std::move(node.name));
    }
    for (const auto& [resource, amount] : demand.requests) {
        if (resource.find('/') != std::string::npos) {
            shape.extended_resources.push_back(resource);
        }
    }
    if (!settings_.gates.tas_respect_node_affinity_preferred) {
        shape.preferred_terms.clear();
    }
    for (const auto& check : workload.status.admission_checks) {
        for (const auto& update : check.pod_set_updates) {
            if (check.state == api::check_state::kReady && update.name == pod_set.name) {
                apply_update(update, *pod_set.template_, shape);
            }
        }
    }
    return shape;
}

engine::Workload Translator::engine_workload(
    const api::Workload& workload,
    const std::vector<const PodDemand*>& demands,
    const std::vector<std::uint32_t>& shapes
) const {
    const auto& metadata = workload.metadata;
    const auto& status = workload.status;
    engine::Workload made{
        .ns = metadata.namespace_,
        .name = metadata.name,
        .uid = metadata.uid,
        .local_queue = workload.spec.queue_name,
        .priority = effective_priority(workload),
        .queue_order = queue_order(workload),
        .generation = metadata.generation,
        .condition_stamp = condition_stamp(workload),
        .pod_sets = {},
        .reservation = reservation(workload),
        .queueable = is_queueable(workload, settings_.gates),
        .ended = has_ended(workload),
        .requeued_false = false,
        .requeue_at = status.requeue_state ? status.requeue_state->requeue_at : std::nullopt,
        .checks_failed = has_failed_check(workload),
        .requests_valid = std::ranges::all_of(demands, &PodDemand::is_valid),
        .preemption_gated = is_preemption_gated(workload),
        .pods_ready = api::is_true(status.conditions, condition::kPodsReady),
        .replaces = replaced_slice(workload),
        .job = job_of_slice(workload),
        .is_unowned = !may_have_pods(metadata),
    };
    const auto* requeued = api::find_condition(status.conditions, condition::kRequeued);
    made.requeued_false = requeued != nullptr && requeued->status == api::condition_status::kFalse;
    for (std::size_t i = 0; i < demands.size(); ++i) {
        const auto& pod_set = workload.spec.pod_sets[i];
        const auto& topology = pod_set.topology_request;
        made.pod_sets.push_back({
            .name = pod_set.name,
            .count = pod_set.count,
            .min_count = pod_set.min_count,
            .reclaimable = reclaimable(workload, pod_set),
            .requests = demands[i]->for_engine,
            .shape = shapes[i],
            .group = topology ? topology->pod_set_group_name.value_or("") : "",
            .node_requests =
                settings_.gates.topology_aware_scheduling ? demands[i]->for_node : std::nullopt,
        });
    }
    return made;
}

Translator::Events Translator::set(const api::Workload& workload) {
    Events events;
    Uses uses;
    const auto demands = demands_of(workload);
    const auto& metadata = workload.metadata;
    std::vector<std::uint32_t> shapes;
    shapes.reserve(demands.size());
    for (std::size_t i = 0; i < demands.size(); ++i) {
        shapes.push_back(
            use_shape(shape_of(workload, workload.spec.pod_sets[i], *demands[i]), uses, events)
        );
    }
    engine::Workload made = engine_workload(workload, demands, shapes);
    if (settings_.gates.scheduling_equivalence_hashing) {
        made.scheduling_class = use_class(class_key(workload, demands), uses);
    }
    // The new shapes are taken before the old ones are released, so that no number in use changes
    // its meaning.
    const Uses before =
        std::exchange(workloads_[key_of(metadata.namespace_, metadata.name)], std::move(uses));
    auto claimed = claimed_pod_sets(made.reservation);
    events.push_back(engine::WorkloadChanged{std::move(made)});
    release(before, events);
    if (!claimed.empty() || node_pods_.has_claims()) {
        claim_pods(metadata, std::move(claimed), events);
    }
    return events;
}

Translator::Events Translator::preview(const api::Workload& workload) const {
    Events events;
    const auto& limits = limits_of(workload.metadata.namespace_);
    std::vector<PodDemand> demands;
    for (const auto& pod_set : workload.spec.pod_sets) {
        const api::PodSpec& pod = pod_set.template_->spec;
        demands.push_back(make_pod_demand(pod, resources_of(pod, limits), limits, settings_));
    }
    std::vector<const PodDemand*> pointers;
    std::vector<std::uint32_t> shapes;
    std::uint32_t next_id = next_shape_id_;
    for (std::size_t i = 0; i < demands.size(); ++i) {
        pointers.push_back(&demands[i]);
        PodShape shape = shape_of(workload, workload.spec.pod_sets[i], demands[i]);
        if (const auto known = shapes_.find(to_key(shape)); known != shapes_.end()) {
            shapes.push_back(known->second.id);
            continue;
        }
        shapes.push_back(next_id);
        events.push_back(
            engine::PodShapeChanged{to_engine_shape(make_shape(std::move(shape), next_id++))}
        );
    }
    events.push_back(engine::WorkloadChanged{engine_workload(workload, pointers, shapes)});
    return events;
}

void Translator::claim_pods(
    const api::ObjectMeta& workload, std::set<std::string> pod_sets, Events& events
) {
    const std::string owner = owner_key(workload);
    const std::string key = key_of(workload.namespace_, workload.name);
    const bool claims = !pod_sets.empty();
    append_touched(node_pods_.claim(owner, key, std::move(pod_sets)), events);
    if (claims) {
        events.push_back(running_pods(owner, key));
    }
}

std::set<std::string> Translator::claimed_pod_sets(
    const std::optional<engine::QuotaReservation>& reservation
) const {
    std::set<std::string> claimed;
    if (!reservation || enforcing_.empty()) {
        return claimed;
    }
    for (const auto& pod_set : reservation->pod_sets) {
        const auto& resources = pod_set.resources;
        const bool enforces = std::ranges::any_of(resources, [this](const auto& resource) {
            return enforcing_.contains(resource.flavor);
        });
        const bool has_topology = std::ranges::any_of(resources, [this](const auto& resource) {
            const auto at = references_.flavors.find(resource.flavor);
            return at != references_.flavors.end() && !at->second.spec.topology_name.empty();
        });
        if (enforces && !has_topology) {
            claimed.insert(pod_set.name);
        }
    }
    return claimed;
}

Translator::Events Translator::remove_workload(const std::string& ns, const std::string& name) {
    Events events{engine::WorkloadDeleted{.ns = ns, .name = name}};
    const auto at = workloads_.find(key_of(ns, name));
    append_touched(node_pods_.release(key_of(ns, name)), events);
    if (at != workloads_.end()) {
        release(at->second, events);
        workloads_.erase(at);
    }
    return events;
}

Translator::Shape Translator::make_shape(PodShape shape, std::uint32_t id) const {
    Shape made{.shape = std::move(shape), .id = id, .users = 0, .refusals = {}};
    for (const auto& [name, flavor] : references_.flavors) {
        if (auto refusal = find_refusal(made.shape, flavor, references_.topologies)) {
            made.refusals.push_back(std::move(*refusal));
        }
    }
    return made;
}

std::uint32_t Translator::use_shape(PodShape shape, Uses& uses, Events& events) {
    std::string key = to_key(shape);
    auto at = shapes_.find(key);
    if (at == shapes_.end()) {
        std::uint32_t id = next_shape_id_;
        if (free_shape_ids_.empty()) {
            ++next_shape_id_;
        } else {
            id = free_shape_ids_.back();
            free_shape_ids_.pop_back();
        }
        Shape made = make_shape(std::move(shape), id);
        events.push_back(engine::PodShapeChanged{to_engine_shape(made)});
        at = shapes_.emplace(std::move(key), std::move(made)).first;
    }
    ++at->second.users;
    uses.shapes.push_back(&*at);
    return at->second.id;
}

std::uint64_t Translator::use_class(std::string key, Uses& uses) {
    auto& entry = *classes_.try_emplace(std::move(key)).first;
    if (entry.second.users++ == 0) {
        entry.second.id = next_class_id_++;
    }
    uses.class_ = &entry;
    return entry.second.id;
}

void Translator::release(const Uses& uses, Events& events) {
    for (auto* shape : uses.shapes) {
        if (--shape->second.users == 0) {
            events.push_back(engine::PodShapeDeleted{shape->second.id});
            free_shape_ids_.push_back(shape->second.id);
            shapes_.erase(shapes_.find(shape->first));
        }
    }
    if (uses.class_ != nullptr && --uses.class_->second.users == 0) {
        classes_.erase(classes_.find(uses.class_->first));
    }
}

std::string Translator::class_key(
    const api::Workload& workload, const std::vector<const PodDemand*>& demands
) const {
    std::string key = fmt::format("{}", effective_priority(workload));
    const auto append = [&](const auto& part) {
        key += '|';
        api::encode_to(api::type_of<std::remove_cvref_t<decltype(part)>>(), &part, key);
    };
    for (const RejectingNode& node : rejecting_nodes(workload.metadata)) {
        append(node.name);
    }
    for (std::size_t i = 0; i < demands.size(); ++i) {
        const auto& pod_set = workload.spec.pod_sets[i];
        append(pod_set.name);
        append(pod_set.count - reclaimable(workload, pod_set));
        append(pod_set.min_count);
        append(pod_set.topology_request);
        key += demands[i]->like;
    }
    return key;
}

}  // namespace sluice::workload
