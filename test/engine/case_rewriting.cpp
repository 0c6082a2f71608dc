#include "engine/case_rewriting.hpp"

#include <variant>

namespace sluice::reference {

using engine::Amount;

namespace {

using NameVisit = std::function<void(std::string&)>;
using AmountVisit = std::function<void(Amount&)>;

struct Names {
    const NameVisit& visit;

    void name(std::string& of) const {
        if (!of.empty()) {
            visit(of);
        }
    }
    /// "namespace/name"
    void key(std::string& of) const {
        const std::size_t slash = of.find('/');
        if (slash == std::string::npos) {
            return;
        }
        std::string ns = of.substr(0, slash);
        std::string rest = of.substr(slash + 1);
        name(ns);
        name(rest);
        of = ns + "/" + rest;
    }
    void groups(std::vector<engine::ResourceGroup>& of) const {
        for (auto& group : of) {
            for (auto& flavor : group.flavors) {
                name(flavor.flavor);
            }
        }
    }
    void operator()(engine::FlavorChanged& e) const { name(e.flavor.name); }
    void operator()(engine::FlavorDeleted& e) const { name(e.name); }
    void operator()(engine::CohortChanged& e) const {
        name(e.cohort.name);
        name(e.cohort.parent);
        groups(e.cohort.resource_groups);
    }
    void operator()(engine::CohortDeleted& e) const { name(e.name); }
    void operator()(engine::ClusterQueueChanged& e) const {
        name(e.cluster_queue.name);
        name(e.cluster_queue.cohort);
        groups(e.cluster_queue.resource_groups);
    }
    void operator()(engine::ClusterQueueDeleted& e) const { name(e.name); }
    void operator()(engine::LocalQueueChanged& e) const {
        name(e.local_queue.ns);
        name(e.local_queue.name);
        name(e.local_queue.cluster_queue);
    }
    void operator()(engine::LocalQueueDeleted& e) const {
        name(e.ns);
        name(e.name);
    }
    void operator()(engine::PodShapeChanged& e) const {
        for (auto& refusal : e.shape.refusals) {
            name(refusal.flavor);
        }
    }
    void operator()(engine::WorkloadChanged& e) const {
        name(e.workload.ns);
        name(e.workload.name);
        name(e.workload.uid);
        name(e.workload.local_queue);
        key(e.workload.replaces);
        if (!e.workload.reservation) {
            return;
        }
        name(e.workload.reservation->cluster_queue);
        for (auto& pod_set : e.workload.reservation->pod_sets) {
            for (auto& resource : pod_set.resources) {
                name(resource.flavor);
            }
        }
    }
    void operator()(engine::WorkloadDeleted& e) const {
        name(e.ns);
        name(e.name);
    }
    template <class Other>
    void operator()(Other&) const {}
};

struct Amounts {
    const AmountVisit& visit;

    void groups(std::vector<engine::ResourceGroup>& of) const {
        for (auto& group : of) {
            for (auto& flavor : group.flavors) {
                for (auto& quota : flavor.quotas) {
                    visit(quota.nominal);
                    for (auto* limit : {&quota.borrowing_limit, &quota.lending_limit}) {
                        if (*limit) {
                            visit(**limit);
                        }
                    }
                }
            }
        }
    }
    void operator()(engine::CohortChanged& e) const { groups(e.cohort.resource_groups); }
    void operator()(engine::ClusterQueueChanged& e) const {
        groups(e.cluster_queue.resource_groups);
    }
    void operator()(engine::WorkloadChanged& e) const {
        for (auto& pod_set : e.workload.pod_sets) {
            for (auto& request : pod_set.requests) {
                visit(request.amount);
            }
        }
        if (!e.workload.reservation) {
            return;
        }
        for (auto& pod_set : e.workload.reservation->pod_sets) {
            for (auto& resource : pod_set.resources) {
                visit(resource.amount);
            }
        }
    }
    template <class Other>
    void operator()(Other&) const {}
};

}  // namespace

void visit_names(Case& of, const NameVisit& visit) {
    const Names names{visit};
    for (Step& step : of.steps) {
        names.key(step.target);
        using enum Step::Kind;
        if (step.kind == SetReplaces) {
            names.key(step.other);
        } else if (step.kind != SetCount && step.kind != SetReclaimable &&
                   step.kind != SetRequests) {  // those name a podSet, which keeps its name
            names.name(step.other);
        }
        if (step.event) {
            std::visit(names, *step.event);
        }
    }
}

void visit_amounts(Case& of, const AmountVisit& visit) {
    for (Step& step : of.steps) {
        if (step.event) {
            std::visit(Amounts{visit}, *step.event);
        }
        if (step.kind == Step::Kind::SetRequests) {
            Amount amount(step.number);
            visit(amount);
            step.number = amount.value();
        }
    }
}

void visit_covered_resources(Case& of, const std::function<void(const std::string&)>& visit) {
    const auto visit_groups = [&](const std::vector<engine::ResourceGroup>& groups) {
        for (const auto& group : groups) {
            for (const std::string& resource : group.covered_resources) {
                visit(resource);
            }
        }
    };
    for (const Step& step : of.steps) {
        if (!step.event) {
            continue;
        }
        if (const auto* queue = std::get_if<engine::ClusterQueueChanged>(&*step.event)) {
            visit_groups(queue->cluster_queue.resource_groups);
        } else if (const auto* cohort = std::get_if<engine::CohortChanged>(&*step.event)) {
            visit_groups(cohort->cohort.resource_groups);
        }
    }
}

namespace {

/// Some event of that kind in the case.
template <class Event>
const Event& any_of_kind(const Event& usual, const Case& of, Prng& prng) {
    std::vector<const Event*> found = {&usual};
    for (const Step& step : of.steps) {
        if (step.event && std::holds_alternative<Event>(*step.event)) {
            found.push_back(&std::get<Event>(*step.event));
        }
    }
    return *found[prng.below(found.size())];
}

struct Detour {
    const Case& of;
    Prng& prng;

    using Events = std::vector<engine::Event>;

    Events operator()(const engine::FlavorChanged& e) const {
        if (prng.chance(50)) {
            return {e};
        }
        return {engine::FlavorDeleted{e.flavor.name}};
    }
    Events operator()(const engine::CohortChanged& e) const {
        if (prng.chance(20)) {
            return {engine::CohortDeleted{e.cohort.name}};
        }
        engine::CohortChanged other = any_of_kind(e, of, prng);
        other.cohort.name = e.cohort.name;
        return {other};
    }
    Events operator()(const engine::ClusterQueueChanged& e) const {
        engine::ClusterQueueChanged other = any_of_kind(e, of, prng);
        other.cluster_queue.name = e.cluster_queue.name;
        if (prng.chance(30)) {
            return {other, engine::ClusterQueueDeleted{e.cluster_queue.name}};
        }
        return {other};
    }
    Events operator()(const engine::LocalQueueChanged& e) const {
        engine::LocalQueueChanged other = any_of_kind(e, of, prng);
        other.local_queue.ns = e.local_queue.ns;
        other.local_queue.name = e.local_queue.name;
        other.local_queue.consumed = e.local_queue.consumed;
        if (prng.chance(30)) {
            return {other, engine::LocalQueueDeleted{e.local_queue.ns, e.local_queue.name}};
        }
        return {other};
    }
    Events operator()(const engine::PodShapeChanged& e) const {
        engine::PodShapeChanged other = any_of_kind(e, of, prng);
        other.shape.id = e.shape.id;
        return {other};
    }
    Events operator()(const engine::WorkloadChanged& e) const {
        engine::WorkloadChanged other = any_of_kind(e, of, prng);
        other.workload.ns = e.workload.ns;
        other.workload.name = e.workload.name;
        other.workload.uid = e.workload.uid;
        other.workload.scheduling_class = 0;
        other.workload.requeue_at.reset();
        other.workload.requeued_false = false;
        if (prng.chance(30)) {
            return {other, engine::WorkloadDeleted{e.workload.ns, e.workload.name}};
        }
        return {other};
    }
    template <class Other>
    Events operator()(const Other&) const {
        return {};
    }
};

}  // namespace

std::vector<engine::Event> detour_to(const engine::Event& event, const Case& of, Prng& prng) {
    return std::visit(Detour{of, prng}, event);
}

}  // namespace sluice::reference
