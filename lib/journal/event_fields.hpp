// The fields of the engine's events, by the names that a journal gives them.
#pragma once

#include "engine/types/event.hpp"

#include <iterator>
#include <string_view>
#include <tuple>
#include <variant>

namespace sluice::journal {

/// A field of a struct with its name.
template <class Struct, class Member>
struct NamedField {
    std::string_view name;
    Member Struct::* member;
};

template <class Struct, class Member>
constexpr NamedField<Struct, Member> named(std::string_view name, Member Struct::* member) {
    return {name, member};
}

/// Lists the fields of a struct of the engine's input. Names never change; a new field is absent in
/// older journals, and has its default then.
template <class Struct>
struct FieldsOf;

template <>
struct FieldsOf<engine::ResourceQuota> {
    static constexpr auto list() {
        using T = engine::ResourceQuota;
        return std::tuple(
            named("nominal", &T::nominal),
            named("borrowingLimit", &T::borrowing_limit),
            named("lendingLimit", &T::lending_limit)
        );
    }
};
template <>
struct FieldsOf<engine::FlavorQuotas> {
    static constexpr auto list() {
        using T = engine::FlavorQuotas;
        return std::tuple(named("flavor", &T::flavor), named("quotas", &T::quotas));
    }
};
template <>
struct FieldsOf<engine::ResourceGroup> {
    static constexpr auto list() {
        using T = engine::ResourceGroup;
        return std::tuple(
            named("coveredResources", &T::covered_resources), named("flavors", &T::flavors)
        );
    }
};
template <>
struct FieldsOf<engine::Preemption> {
    static constexpr auto list() {
        using T = engine::Preemption;
        return std::tuple(
            named("withinClusterQueue", &T::within_cluster_queue),
            named("reclaimWithinCohort", &T::reclaim_within_cohort),
            named("borrowWithinCohort", &T::borrow_within_cohort),
            named("maxPriorityThreshold", &T::max_priority_threshold)
        );
    }
};
template <>
struct FieldsOf<engine::ClusterQueue> {
    static constexpr auto list() {
        using T = engine::ClusterQueue;
        return std::tuple(
            named("name", &T::name),
            named("cohort", &T::cohort),
            named("resourceGroups", &T::resource_groups),
            named("strategy", &T::strategy),
            named("whenCanBorrow", &T::when_can_borrow),
            named("whenCanPreempt", &T::when_can_preempt),
            named("preference", &T::preference),
            named("preemption", &T::preemption),
            named("fairWeight", &T::fair_weight),
            named("acceptsWorkloads", &T::accepts_workloads),
            named("admissionFairSharing", &T::admission_fair_sharing),
            named("placesElsewhere", &T::places_elsewhere),
            named("delayedFlavors", &T::delayed_flavors),
            named("generation", &T::generation)
        );
    }
};
template <>
struct FieldsOf<engine::Cohort> {
    static constexpr auto list() {
        using T = engine::Cohort;
        return std::tuple(
            named("name", &T::name),
            named("parent", &T::parent),
            named("resourceGroups", &T::resource_groups),
            named("fairWeight", &T::fair_weight)
        );
    }
};
template <>
struct FieldsOf<engine::ResourceFlavor> {
    static constexpr auto list() {
        using T = engine::ResourceFlavor;
        return std::tuple(
            named("name", &T::name),
            named("topology", &T::topology),
            named("levels", &T::levels),
            named("enforcesCapacity", &T::enforces_capacity),
            named("nodeLabels", &T::node_labels)
        );
    }
};
template <>
struct FieldsOf<engine::LocalQueue> {
    static constexpr auto list() {
        using T = engine::LocalQueue;
        return std::tuple(
            named("ns", &T::ns),
            named("name", &T::name),
            named("clusterQueue", &T::cluster_queue),
            named("stopped", &T::stopped),
            named("namespaceMatch", &T::namespace_match),
            named("fairWeight", &T::fair_weight),
            named("consumed", &T::consumed)
        );
    }
};
template <>
struct FieldsOf<engine::SliceRequest> {
    static constexpr auto list() {
        using T = engine::SliceRequest;
        return std::tuple(named("level", &T::level), named("size", &T::size));
    }
};
template <>
struct FieldsOf<engine::TopologyRequest> {
    static constexpr auto list() {
        using T = engine::TopologyRequest;
        return std::tuple(
            named("required", &T::required),
            named("preferred", &T::preferred),
            named("unconstrained", &T::unconstrained),
            named("slices", &T::slices)
        );
    }
};
template <>
struct FieldsOf<engine::NodePlace> {
    static constexpr auto list() {
        using T = engine::NodePlace;
        return std::tuple(named("flavor", &T::flavor), named("path", &T::path));
    }
};
template <>
struct FieldsOf<engine::NodeResource> {
    static constexpr auto list() {
        using T = engine::NodeResource;
        return std::tuple(named("resource", &T::resource), named("amount", &T::amount));
    }
};
template <>
struct FieldsOf<engine::NodeVerdict> {
    static constexpr auto list() {
        using T = engine::NodeVerdict;
        return std::tuple(
            named("node", &T::node),
            named("flavor", &T::flavor),
            named("shape", &T::shape),
            named("refusal", &T::refusal),
            named("affinity", &T::affinity)
        );
    }
};
template <>
struct FieldsOf<engine::Node> {
    static constexpr auto list() {
        using T = engine::Node;
        return std::tuple(
            named("name", &T::name),
            named("places", &T::places),
            named("capacity", &T::capacity),
            named("quotaCapacity", &T::quota_capacity),
            named("verdicts", &T::verdicts)
        );
    }
};
template <>
struct FieldsOf<engine::DomainPods> {
    static constexpr auto list() {
        using T = engine::DomainPods;
        return std::tuple(named("id", &T::id), named("count", &T::count));
    }
};
template <>
struct FieldsOf<engine::RunningPods> {
    static constexpr auto list() {
        using T = engine::RunningPods;
        return std::tuple(named("podSet", &T::pod_set), named("hosts", &T::hosts));
    }
};
template <>
struct FieldsOf<engine::ShapeRefusal> {
    static constexpr auto list() {
        using T = engine::ShapeRefusal;
        return std::tuple(
            named("flavor", &T::flavor), named("kind", &T::kind), named("taint", &T::taint)
        );
    }
};
template <>
struct FieldsOf<engine::PodShape> {
    static constexpr auto list() {
        using T = engine::PodShape;
        return std::tuple(
            named("id", &T::id),
            named("refusals", &T::refusals),
            named("topology", &T::topology),
            named("resources", &T::resources),
            named("nodes", &T::nodes),
            named("placementFault", &T::placement_fault)
        );
    }
};
template <>
struct FieldsOf<engine::ResourceRequest> {
    static constexpr auto list() {
        using T = engine::ResourceRequest;
        return std::tuple(named("resource", &T::resource), named("amount", &T::amount));
    }
};
template <>
struct FieldsOf<engine::PodSet> {
    static constexpr auto list() {
        using T = engine::PodSet;
        return std::tuple(
            named("name", &T::name),
            named("count", &T::count),
            named("minCount", &T::min_count),
            named("reclaimable", &T::reclaimable),
            named("requests", &T::requests),
            named("shape", &T::shape),
            named("group", &T::group),
            named("nodeRequests", &T::node_requests)
        );
    }
};
template <>
struct FieldsOf<engine::AssignedResource> {
    static constexpr auto list() {
        using T = engine::AssignedResource;
        return std::tuple(
            named("resource", &T::resource),
            named("flavor", &T::flavor),
            named("amount", &T::amount)
        );
    }
};
template <>
struct FieldsOf<engine::PodSetAssignment> {
    static constexpr auto list() {
        using T = engine::PodSetAssignment;
        return std::tuple(
            named("name", &T::name),
            named("resources", &T::resources),
            named("count", &T::count),
            named("domains", &T::domains),
            named("delayed", &T::delayed)
        );
    }
};
template <>
struct FieldsOf<engine::QuotaReservation> {
    static constexpr auto list() {
        using T = engine::QuotaReservation;
        return std::tuple(
            named("clusterQueue", &T::cluster_queue),
            named("podSets", &T::pod_sets),
            named("reservedAt", &T::reserved_at),
            named("admitted", &T::admitted),
            named("evicted", &T::evicted),
            named("expectedEnd", &T::expected_end),
            named("bound", &T::bound),
            named("secondPass", &T::second_pass),
            named("unhealthyNodes", &T::unhealthy_nodes),
            named("isOfOnePod", &T::is_of_one_pod)
        );
    }
};
template <>
struct FieldsOf<engine::Workload> {
    static constexpr auto list() {
        using T = engine::Workload;
        return std::tuple(
            named("ns", &T::ns),
            named("name", &T::name),
            named("uid", &T::uid),
            named("localQueue", &T::local_queue),
            named("priority", &T::priority),
            named("queueOrder", &T::queue_order),
            named("generation", &T::generation),
            named("schedulingClass", &T::scheduling_class),
            named("conditionStamp", &T::condition_stamp),
            named("podSets", &T::pod_sets),
            named("reservation", &T::reservation),
            named("queueable", &T::queueable),
            named("ended", &T::ended),
            named("requeuedFalse", &T::requeued_false),
            named("requeueAt", &T::requeue_at),
            named("checksFailed", &T::checks_failed),
            named("requestsValid", &T::requests_valid),
            named("preemptionGated", &T::preemption_gated),
            named("podsReady", &T::pods_ready),
            named("replaces", &T::replaces),
            named("job", &T::job),
            named("isUnowned", &T::is_unowned)
        );
    }
};
template <>
struct FieldsOf<engine::FlavorChanged> {
    static constexpr auto list() {
        using T = engine::FlavorChanged;
        return std::tuple(named("flavor", &T::flavor));
    }
};
template <>
struct FieldsOf<engine::FlavorDeleted> {
    static constexpr auto list() {
        using T = engine::FlavorDeleted;
        return std::tuple(named("name", &T::name));
    }
};
template <>
struct FieldsOf<engine::CohortChanged> {
    static constexpr auto list() {
        using T = engine::CohortChanged;
        return std::tuple(named("cohort", &T::cohort));
    }
};
template <>
struct FieldsOf<engine::CohortDeleted> {
    static constexpr auto list() {
        using T = engine::CohortDeleted;
        return std::tuple(named("name", &T::name));
    }
};
template <>
struct FieldsOf<engine::ClusterQueueChanged> {
    static constexpr auto list() {
        using T = engine::ClusterQueueChanged;
        return std::tuple(named("clusterQueue", &T::cluster_queue));
    }
};
template <>
struct FieldsOf<engine::ClusterQueueDeleted> {
    static constexpr auto list() {
        using T = engine::ClusterQueueDeleted;
        return std::tuple(named("name", &T::name));
    }
};
template <>
struct FieldsOf<engine::LocalQueueChanged> {
    static constexpr auto list() {
        using T = engine::LocalQueueChanged;
        return std::tuple(named("localQueue", &T::local_queue));
    }
};
template <>
struct FieldsOf<engine::LocalQueueDeleted> {
    static constexpr auto list() {
        using T = engine::LocalQueueDeleted;
        return std::tuple(named("ns", &T::ns), named("name", &T::name));
    }
};
template <>
struct FieldsOf<engine::NodeChanged> {
    static constexpr auto list() {
        using T = engine::NodeChanged;
        return std::tuple(named("node", &T::node));
    }
};
template <>
struct FieldsOf<engine::NodeDeleted> {
    static constexpr auto list() {
        using T = engine::NodeDeleted;
        return std::tuple(named("name", &T::name));
    }
};
template <>
struct FieldsOf<engine::PodShapeChanged> {
    static constexpr auto list() {
        using T = engine::PodShapeChanged;
        return std::tuple(named("shape", &T::shape));
    }
};
template <>
struct FieldsOf<engine::PodShapeDeleted> {
    static constexpr auto list() {
        using T = engine::PodShapeDeleted;
        return std::tuple(named("id", &T::id));
    }
};
template <>
struct FieldsOf<engine::WorkloadChanged> {
    static constexpr auto list() {
        using T = engine::WorkloadChanged;
        return std::tuple(named("workload", &T::workload));
    }
};
template <>
struct FieldsOf<engine::WorkloadDeleted> {
    static constexpr auto list() {
        using T = engine::WorkloadDeleted;
        return std::tuple(named("ns", &T::ns), named("name", &T::name));
    }
};
template <>
struct FieldsOf<engine::WorkloadPodsChanged> {
    static constexpr auto list() {
        using T = engine::WorkloadPodsChanged;
        return std::tuple(
            named("ns", &T::ns), named("name", &T::name), named("podSets", &T::pod_sets)
        );
    }
};
template <>
struct FieldsOf<engine::AdmissionWritten> {
    static constexpr auto list() {
        using T = engine::AdmissionWritten;
        return std::tuple(named("ns", &T::ns), named("name", &T::name));
    }
};
template <>
struct FieldsOf<engine::AdmissionFailed> {
    static constexpr auto list() {
        using T = engine::AdmissionFailed;
        return std::tuple(
            named("ns", &T::ns),
            named("name", &T::name),
            named("objectGone", &T::object_gone),
            named("backOff", &T::back_off)
        );
    }
};
template <>
struct FieldsOf<engine::PreemptionFailed> {
    static constexpr auto list() {
        using T = engine::PreemptionFailed;
        return std::tuple(named("ns", &T::ns), named("name", &T::name));
    }
};
template <>
struct FieldsOf<engine::TimerFired> {
    static constexpr auto list() { return std::tuple(); }
};

/// The names of the events, in the order of engine::Event.
inline constexpr std::string_view kEventNames[] = {
    "FlavorChanged",       "FlavorDeleted",       "CohortChanged",       "CohortDeleted",
    "ClusterQueueChanged", "ClusterQueueDeleted", "LocalQueueChanged",   "LocalQueueDeleted",
    "NodeChanged",         "NodeDeleted",         "PodShapeChanged",     "PodShapeDeleted",
    "WorkloadChanged",     "WorkloadDeleted",     "WorkloadPodsChanged", "AdmissionWritten",
    "AdmissionFailed",     "PreemptionFailed",    "TimerFired",
};
static_assert(std::size(kEventNames) == std::variant_size_v<engine::Event>);

}  // namespace sluice::journal
