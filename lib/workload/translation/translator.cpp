#include "workload/translation/translator.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/label_selector.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/pods/pod_demand.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::workload {
namespace {

void put(std::vector<engine::ShapeRefusal>& refusals, std::optional<engine::ShapeRefusal> refusal) {
    if (refusal) {
        const auto at =
            std::ranges::lower_bound(refusals, refusal->flavor, {}, &engine::ShapeRefusal::flavor);
        refusals.insert(at, std::move(*refusal));
    }
}

}  // namespace

std::unique_ptr<Translator> Translator::for_trial() const {
    auto made = std::make_unique<Translator>(settings_);
    made->references_ = references_;
    made->held_back_ = held_back_;
    made->namespaces_ = namespaces_;
    made->limit_ranges_ = limit_ranges_;
    made->limits_ = limits_;
    made->overheads_ = overheads_;
    made->nodes_ = nodes_;
    made->present_pods_ = &node_pods_;
    made->enforcing_ = enforcing_;
    made->growths_ = growths_;
    made->shapes_ = shapes_;
    made->free_shape_ids_ = free_shape_ids_;
    made->next_shape_id_ = next_shape_id_;
    return made;
}

Translator::Events Translator::set(const api::ResourceFlavor& flavor) {
    const std::string& name = flavor.metadata.name;
    references_.flavors[name] = flavor;
    Events events;
    const bool enforced = enforcing_.contains(name);
    set_capacity_rule(name, &flavor, events);
    events.push_back(engine::FlavorChanged{to_engine_flavor(flavor)});
    judge(name, &flavor, events);
    if (!flavor.spec.topology_name.empty() || enforced || enforcing_.contains(name)) {
        append_nodes(events);
    }
    return events;
}

Translator::Events Translator::remove_flavor(const std::string& name) {
    references_.flavors.erase(name);
    Events events;
    set_capacity_rule(name, nullptr, events);
    events.push_back(engine::FlavorDeleted{name});
    judge(name, nullptr, events);
    return events;
}

Translator::Events Translator::set(const api::Topology& topology) {
    auto& levels = references_.topologies[topology.metadata.name];
    levels.clear();
    for (const auto& level : topology.spec.levels) {
        levels.push_back(level.node_label);
    }
    return judge_flavors_with(topology.metadata.name);
}

Translator::Events Translator::remove_topology(const std::string& name) {
    references_.topologies.erase(name);
    return judge_flavors_with(name);
}

Translator::Events Translator::judge_flavors_with(const std::string& topology) {
    Events events;
    for (const auto& [name, flavor] : references_.flavors) {
        if (flavor.spec.topology_name == topology) {
            events.push_back(engine::FlavorChanged{to_engine_flavor(flavor)});
            judge(name, &flavor, events);
        }
    }
    if (!events.empty()) {
        append_nodes(events);
    }
    return events;
}

void Translator::judge(const std::string& name, const api::ResourceFlavor* flavor, Events& events) {
    for (auto& [key, shape] : shapes_) {
        auto refusals = shape.refusals;
        std::erase_if(refusals, [&](const engine::ShapeRefusal& r) { return r.flavor == name; });
        if (flavor != nullptr) {
            put(refusals, find_refusal(shape.shape, *flavor, references_.topologies));
        }
        if (refusals != shape.refusals) {
            shape.refusals = std::move(refusals);
            events.push_back(engine::PodShapeChanged{to_engine_shape(shape)});
        }
    }
}

void Translator::set(const api::LimitRange& range) {
    demands_.clear();
    auto& ranges = limit_ranges_[range.metadata.namespace_];
    ranges[range.metadata.name] = range;
    LimitRangeSummary& summary = limits_[range.metadata.namespace_] = {};
    for (const auto& [name, each] : ranges) {
        summary.add(each);
    }
}

void Translator::remove_limit_range(const std::string& ns, const std::string& name) {
    demands_.clear();
    auto& ranges = limit_ranges_[ns];
    ranges.erase(name);
    LimitRangeSummary& summary = limits_[ns] = {};
    for (const auto& [other, each] : ranges) {
        summary.add(each);
    }
}

void Translator::set(const api::Cohort& cohort) {
    if (cohort.spec.parent_name.empty()) {
        remove_cohort(cohort.metadata.name);
    } else {
        references_.cohort_parents[cohort.metadata.name] = cohort.spec.parent_name;
    }
}

void Translator::set(const api::RuntimeClass& runtime_class) {
    demands_.clear();
    const auto& overhead = runtime_class.overhead;
    overheads_[runtime_class.metadata.name] = overhead ? overhead->pod_fixed : api::ResourceList{};
}

void Translator::remove_runtime_class(const std::string& name) {
    demands_.clear();
    overheads_.erase(name);
}

Activity Translator::activity(const api::ClusterQueue& queue) const {
    if (const auto held = held_back_.find(queue.metadata.name); held != held_back_.end()) {
        return {
            .is_active = false, .reason = api::reason::kInconsistentState, .message = held->second
        };
    }
    return find_activity(queue, references_, settings_.gates.topology_aware_scheduling);
}

engine::ClusterQueue Translator::cluster_queue(const api::ClusterQueue& queue) const {
    engine::ClusterQueue made = to_engine(queue, activity(queue).is_active);
    made.places_elsewhere = has_multi_kueue_check(queue, references_);
    made.delayed_flavors = flavors_to_provision(queue, references_);
    return made;
}

engine::NamespaceMatch Translator::match(const std::string& ns, const api::ClusterQueue& queue)
    const {
    const auto labels = namespaces_.find(ns);
    if (labels == namespaces_.end()) {
        return engine::NamespaceMatch::NotFound;
    }
    if (!queue.spec.namespace_selector) {
        return engine::NamespaceMatch::Mismatch;
    }
    const auto selector = api::Selector::make(*queue.spec.namespace_selector);
    return selector && selector->matches(labels->second) ? engine::NamespaceMatch::Matches
                                                         : engine::NamespaceMatch::Mismatch;
}

engine::LocalQueue Translator::local_queue(
    const api::LocalQueue& queue, const api::ClusterQueue* cluster_queue
) const {
    const auto verdict = cluster_queue != nullptr ? match(queue.metadata.namespace_, *cluster_queue)
                                                  : engine::NamespaceMatch::Matches;
    return to_engine(queue, verdict);
}

std::optional<std::string> Translator::find_inadmissibility(
    const api::Workload& workload, const api::ClusterQueue& queue
) const {
    const std::string& ns = workload.metadata.namespace_;
    switch (match(ns, queue)) {
        case engine::NamespaceMatch::NotFound:
            return fmt::format(
                "workload namespace \"{0}\" does not exist: Namespace \"{0}\" not found", ns
            );
        case engine::NamespaceMatch::Mismatch:
            return "workload namespace doesn't match ClusterQueue selector";
        case engine::NamespaceMatch::Matches:
            break;
    }
    const bool has_devices =
        std::ranges::any_of(workload.spec.pod_sets, [](const api::PodSet& pod_set) {
            return claims_devices(pod_set.template_->spec);
        });
    if (has_devices && settings_.gates.reject_workloads_with_devices) {
        return "Workload uses DRA resources, which this version of Sluice does not count";
    }
    return find_invalid_requests(pods_of(workload, limits_of(ns)), limits_of(ns));
}

const LimitRangeSummary& Translator::limits_of(const std::string& ns) const {
    static const LimitRangeSummary kNone;
    const auto at = limits_.find(ns);
    return at == limits_.end() ? kNone : at->second;
}

std::vector<PodResources> Translator::pods_of(
    const api::Workload& workload, const LimitRangeSummary& limits
) const {
    std::vector<PodResources> pods;
    pods.reserve(workload.spec.pod_sets.size());
    for (const auto& pod_set : workload.spec.pod_sets) {
        pods.push_back(resources_of(pod_set.template_->spec, limits));
    }
    return pods;
}

std::vector<api::PodSetRequest> Translator::resource_requests(const api::Workload& workload) const {
    std::vector<api::PodSetRequest> made;
    const auto pods = pods_of(workload, limits_of(workload.metadata.namespace_));
    for (std::size_t i = 0; i < pods.size(); ++i) {
        const auto& pod_set = workload.spec.pod_sets[i];
        const std::int64_t count = pod_set.count - reclaimable(workload, pod_set);
        auto& request =
            made.emplace_back(api::PodSetRequest{.name = pod_set.name, .resources = {}});
        for (const auto& [resource, amount] :
             to_engine_requests(transformed(pod_requests(pods[i]), settings_))) {
            request.resources.emplace(resource, to_quantity(resource, amount * count));
        }
    }
    return made;
}

std::int32_t Translator::reclaimable(const api::Workload& workload, const api::PodSet& pod_set)
    const {
    if (!settings_.gates.reclaimable_pods) {
        return 0;
    }
    const auto& all = workload.status.reclaimable_pods;
    const auto at = std::ranges::find(all, pod_set.name, &api::ReclaimablePod::name);
    return at == all.end() ? 0 : std::clamp(at->count, 0, pod_set.count);
}

}  // namespace sluice::workload
