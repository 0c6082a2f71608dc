// Turns API objects into events of the engine.
#pragma once

#include "api/core/core.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/topology.hpp"
#include "api/kueue/workload.hpp"
#include "engine/types/event.hpp"
#include "workload/capacity/flavor_growth.hpp"
#include "workload/pods/pod_demand.hpp"
#include "workload/pods/pod_shape.hpp"
#include "workload/pods/requests.hpp"
#include "workload/pods/translation_settings.hpp"
#include "workload/translation/node_pods.hpp"
#include "workload/translation/quotas.hpp"
#include "workload/translation/references.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::workload {

/// Turns API objects into the engine's events. Remembers the objects that several translations
/// depend on (flavors, checks, topologies, namespaces, LimitRanges, RuntimeClasses), and numbers
/// the classes of equal workloads and the shapes of equal pods. Equal objects in equal order give
/// equal events.
class Translator {
  public:
    using Events = std::vector<engine::Event>;

    explicit Translator(TranslationSettings settings) : settings_(std::move(settings)) {}
    Translator(const Translator&) = delete;
    Translator& operator=(const Translator&) = delete;

    const TranslationSettings& settings() const { return settings_; }
    const References& references() const { return references_; }

    // Objects that other objects refer to. After a change, translate the dependent objects again:
    // for flavors, checks and topologies the ClusterQueues that name them; for Cohorts the
    // ClusterQueues below them; for namespaces their LocalQueues; for LimitRanges and
    // RuntimeClasses the pending workloads of the namespace or class.
    Events set(const api::ResourceFlavor& flavor);
    Events remove_flavor(const std::string& name);
    void set(const api::AdmissionCheck& check) {
        references_.admission_checks[check.metadata.name] = check;
    }
    void remove_admission_check(const std::string& name) {
        references_.admission_checks.erase(name);
    }
    Events set(const api::Topology& topology);
    Events remove_topology(const std::string& name);
    void set(const api::Cohort& cohort);
    void remove_cohort(const std::string& name) { references_.cohort_parents.erase(name); }
    void set(const api::Namespace& ns) { namespaces_[ns.metadata.name] = ns.metadata.labels; }
    void remove_namespace(const std::string& name) { namespaces_.erase(name); }
    void set(const api::LimitRange& range);
    void remove_limit_range(const std::string& ns, const std::string& name);
    void set(const api::RuntimeClass& runtime_class);
    void remove_runtime_class(const std::string& name);

    // Nodes, and the pods on them. Pods of workloads with a topology do not matter. After a flavor
    // began or ceased to enforce capacity, translate the workloads that hold quota again.
    Events set(const api::Node& node);
    Events remove_node(const std::string& name);
    Events set(const api::Pod& pod);
    Events remove_pod(const std::string& ns, const std::string& name);

    /// ClusterQueues that are inactive regardless of their spec, each with the message of its
    /// condition. After a change, translate them again.
    using HeldBack = std::map<std::string, std::string, std::less<>>;
    void set_held_back(HeldBack messages) { held_back_ = std::move(messages); }
    const HeldBack& held_back() const { return held_back_; }

    /// Returns the content of the ClusterQueue's condition Active.
    Activity activity(const api::ClusterQueue& queue) const;
    /// Returns the ClusterQueue in the form that the engine takes. It accepts no workloads while it
    /// is inactive.
    engine::ClusterQueue cluster_queue(const api::ClusterQueue& queue) const;
    engine::Cohort cohort(const api::Cohort& cohort) const { return to_engine(cohort); }
    /// `cluster_queue`: the ClusterQueue that the LocalQueue names; nullptr if it does not exist.
    engine::LocalQueue local_queue(
        const api::LocalQueue& queue, const api::ClusterQueue* cluster_queue
    ) const;

    /// Returns the events of a new or changed workload: new pod shapes, the workload, and pod
    /// shapes that no workload uses any longer.
    Events set(const api::Workload& workload);
    /// Returns the events of a deleted workload: its deletion, and the pod shapes that no other
    /// workload uses.
    Events remove_workload(const std::string& ns, const std::string& name);

    /// Returns a translator of the same objects but the workloads, for changes of flavors, checks
    /// and topologies that are only tried on a copy of the cluster. Workloads are translated by its
    /// preview(). *Cost*: a copy of the nodes. *Lifetime*: this translator outlives it and does not
    /// change in that time.
    std::unique_ptr<Translator> for_trial() const;

    /// Returns the events of a workload that is only tried on a copy of the cluster: those of
    /// set(), but nothing remembers the workload. Its new shapes have numbers that no other shape
    /// has, and no workload is equivalent to it.
    Events preview(const api::Workload& workload) const;

    /// Returns why the queue cannot admit the workload whatever the quota: the namespace is missing
    /// or does not match its selector, or limits or LimitRanges are violated, or it claims devices.
    /// Returns nullopt if the queue can admit it.
    std::optional<std::string> find_inadmissibility(
        const api::Workload& workload, const api::ClusterQueue& queue
    ) const;
    /// Returns the total requests of each pod set as status.resourceRequests reports them.
    std::vector<api::PodSetRequest> resource_requests(const api::Workload& workload) const;
    /// Returns the priority with the boost of the workload's annotation (gate PriorityBoost).
    std::int64_t effective_priority(const api::Workload& workload) const;
    /// Returns the time that orders the workload in its queue: its creation, or the time of its
    /// last eviction if that was for an admission check, or for PodsReadyTimeout and
    /// requeuingStrategy.timestamp is Eviction. Without PrioritySortingWithinCohort a workload that
    /// was reclaimed while its preemptor borrows follows a millisecond after its preemption.
    engine::Time queue_order(const api::Workload& workload) const;
    /// Returns the number of the pod set's pods that no longer need quota (status.reclaimablePods);
    /// 0 if the gate ReclaimablePods is off.
    std::int32_t reclaimable(const api::Workload& workload, const api::PodSet& pod_set) const;

  private:
    struct Shape {
        PodShape shape;
        std::uint32_t id = 0;
        std::size_t users = 0;
        std::vector<engine::ShapeRefusal> refusals;
    };
    /// A flavor that enforces capacity and may grow (annotation sluice.dev/may-grow-to).
    struct Growth {
        FlavorGrowth terms;
        std::set<std::string> nodes;  ///< those that the flavor has
        std::vector<api::Node> may_come;
    };
    struct Class {
        std::uint64_t id = 0;
        std::size_t users = 0;
    };
    using Shapes = std::map<std::string, Shape, std::less<>>;
    using Classes = std::map<std::string, Class>;
    /// The shapes and the class that a workload uses; map entries do not move while it uses them.
    struct Uses {
        std::vector<Shapes::value_type*> shapes;
        Classes::value_type* class_ = nullptr;
    };

    std::vector<PodResources> pods_of(
        const api::Workload& workload, const LimitRangeSummary& limits
    ) const;
    PodResources resources_of(const api::PodSpec& pod, const LimitRangeSummary& limits) const;
    /// Returns the workload without its scheduling class. `shapes`: the number of each podSet's.
    engine::Workload engine_workload(
        const api::Workload& workload,
        const std::vector<const PodDemand*>& demands,
        const std::vector<std::uint32_t>& shapes
    ) const;
    /// Returns the demand of a pod of each pod set. The pointers are valid until the next call, or
    /// until LimitRanges or RuntimeClasses change.
    std::vector<const PodDemand*> demands_of(const api::Workload& workload);
    const PodDemand& demand_of(const api::PodSet& pod_set, const std::string& ns);
    std::uint64_t condition_stamp(const api::Workload& workload) const;
    const LimitRangeSummary& limits_of(const std::string& ns) const;
    engine::NamespaceMatch match(const std::string& ns, const api::ClusterQueue& queue) const;
    std::uint32_t use_shape(PodShape shape, Uses& uses, Events& events);
    Shape make_shape(PodShape shape, std::uint32_t id) const;
    engine::ResourceFlavor to_engine_flavor(const api::ResourceFlavor& flavor) const;
    /// Returns the flavors with a topology that exists.
    std::vector<const api::ResourceFlavor*> topology_flavors() const;
    const std::vector<std::string>& levels_of(const api::ResourceFlavor& flavor) const;
    /// Returns the values of the levels for which the node is a leaf of the flavor; nullopt if the
    /// flavor does not select it.
    std::optional<std::vector<std::string>> path_in(
        const api::Node& node, const api::ResourceFlavor& flavor
    ) const;
    engine::NodeChanged node_event(const api::Node& node) const;
    /// Appends the event of each node, after flavors or topologies changed.
    void append_nodes(Events& events) const;
    void append_node(const std::string& node, Events& events) const;
    /// Appends the events of nodes and workloads whose pods changed.
    void append_touched(const NodePods::Touched& touched, Events& events) const;
    engine::WorkloadPodsChanged running_pods(const std::string& owner, const std::string& workload)
        const;
    /// Takes the podSets whose pods the workload counts, and sends those that run.
    void claim_pods(
        const api::ObjectMeta& workload, std::set<std::string> pod_sets, Events& events
    );
    /// Returns the podSets whose quota is in a flavor that enforces capacity.
    std::set<std::string> claimed_pod_sets(
        const std::optional<engine::QuotaReservation>& reservation
    ) const;
    /// Takes what the flavor's annotations say of its nodes. `flavor`: nullptr if it was deleted.
    void set_capacity_rule(
        const std::string& name, const api::ResourceFlavor* flavor, Events& events
    );
    /// Makes as many nodes that may come as the flavor's own nodes leave.
    void grow(const std::string& flavor, Growth& growth, Events& events) const;
    void grow_with(const std::string& node, Events& events);
    /// Returns the verdicts of a node on the shape, in flavors whose leaves are hosts.
    void append_verdicts(
        const Shape& shape, const api::Node& node, std::vector<engine::NodeVerdict>& into
    ) const;
    engine::PodShape to_engine_shape(const Shape& shape) const;
    /// Checks the flavor against each shape again. `flavor`: nullptr if it was deleted.
    void judge(const std::string& name, const api::ResourceFlavor* flavor, Events& events);
    Events judge_flavors_with(const std::string& topology);
    /// Returns the shape of a podSet with its topology, and with the changes that checks request.
    PodShape shape_of(
        const api::Workload& workload, const api::PodSet& pod_set, const PodDemand& demand
    ) const;
    std::uint64_t use_class(std::string key, Uses& uses);
    /// Releases what the workload used; appends to `events` what the engine can forget.
    void release(const Uses& uses, Events& events);
    std::string class_key(
        const api::Workload& workload, const std::vector<const PodDemand*>& demands
    ) const;
    std::optional<engine::QuotaReservation> reservation(const api::Workload& workload) const;

    TranslationSettings settings_;
    References references_;
    HeldBack held_back_;
    std::map<std::string, api::StringMap, std::less<>> namespaces_;
    std::map<std::string, std::map<std::string, api::LimitRange>, std::less<>> limit_ranges_;
    std::map<std::string, LimitRangeSummary, std::less<>>
        limits_;  // by namespace, of limit_ranges_
    std::map<std::string, api::ResourceList, std::less<>> overheads_;
    /// By pod template and the LimitRanges of the namespace; cleared when these or RuntimeClasses
    /// change.
    std::map<
        std::pair<std::shared_ptr<const api::PodTemplateSpec>, const LimitRangeSummary*>,
        PodDemand>
        demands_;
    std::map<std::string, api::Node, std::less<>> nodes_;
    NodePods node_pods_;
    /// Those of the translator that this one is a trial of; else `node_pods_`.
    const NodePods* present_pods_ = &node_pods_;
    std::set<std::string, std::less<>> enforcing_;  // flavors that enforce capacity
    std::map<std::string, Growth> growths_;         // by flavor
    Shapes shapes_;
    std::vector<std::uint32_t> free_shape_ids_;
    std::uint32_t next_shape_id_ = 1;
    Classes classes_;
    std::uint64_t next_class_id_ = 1;
    std::map<std::string, Uses> workloads_;  // by namespace/name
};

}  // namespace sluice::workload
