// The entry of a kind: its store, its reconciler, and the objects that its changes concern.
#pragma once

#include "base/clock.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/reconcile/view.hpp"
#include "controller/reconcilers/quota_drift.hpp"
#include "engine/state/state.hpp"
#include "engine/types/event.hpp"
#include "kube/core/kind.hpp"
#include "kube/runtime/any_store.hpp"
#include "workload/translation/translator.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::controller {

class Registry;

/// Says whether the controller may act without the kind.
enum class Presence : std::uint8_t {
    Required,       ///< not ready until the server has the kind and its complete list was read
    Optional,       ///< watched while the server has the kind
    Supplementary,  ///< as Optional, but nothing waits for the first list
};

/// How soon an object is reconciled.
enum class Urgency : std::uint8_t {
    AtOnce,
    Gathered,  ///< together with other changes within a second
    /// Like Gathered, and later if the API server is busy. For the statuses of queues, which change
    /// with every workload.
    Batched,
};

/// The registry and stores in which the objects that a change concerns are looked up.
struct ChangeContext {
    const Registry& registry;
    const Stores& stores;
};

/// Called with each object that a change concerns.
using Visit = std::function<void(const ObjectKey&)>;

/// An edge from a kind to objects that its changes concern, with the consequence for them. The
/// edges of all kinds form one graph: the work queue follows the edges with `reconciled`, the
/// engine's feeder those with `translated`.
struct Edge {
    using Find = std::function<void(const ChangeContext&, const kube::AnyChange&, const Visit&)>;

    std::optional<Urgency> reconciled;  ///< how soon the objects are reconciled, if they are at all
    bool translated = false;  ///< the engine's knowledge of the objects depends on this one
    /// Visits the objects. Called after the store has taken the change. If an object is visited
    /// because another one changed, its own edges are followed with `before` equal to `after`.
    Find find;
};

/// The engine, and the sources of the events for it.
struct EngineInput {
    const Stores& stores;
    workload::Translator& translator;
    const engine::State& state;
    const JobKinds& job_kinds;
    std::function<void(const engine::Event&)> apply;

    void apply_all(const workload::Translator::Events& events) const {
        for (const engine::Event& event : events) {
            apply(event);
        }
    }
};

/// State that a reconciler may read in addition to the stores.
struct ReconcileContext {
    const View& view;
    /// Returns the engine's weighted share of a ClusterQueue or Cohort; nullopt without fair
    /// sharing.
    const std::function<std::optional<std::int64_t>(const ObjectKey&)>& weighted_share;
    /// Returns true if workloads hold quota of the ClusterQueue, or if an admission is being
    /// written.
    const std::function<bool(const std::string& cluster_queue)>& has_holders;
    /// Returns what a LocalQueue has consumed by the engine's account; nullopt without admission
    /// fair sharing.
    const std::function<std::optional<api::AdmissionFairSharingStatus>(const ObjectKey&)>& consumed;
    /// Returns the drift of a ClusterQueue's quota against nodes.
    const std::function<QuotaDrift(const ObjectKey&)>& drift;
    const JobKinds& job_kinds;
};

/// Everything that the controller knows about a kind. A new kind is one more entry.
struct KindEntry {
    Kind kind;
    std::shared_ptr<const kube::RunTimeKind> names;  ///< set for a kind known only at run time
    Presence presence = Presence::Required;
    std::string label_selector;  ///< selects the objects that are watched; "" selects all
    std::string namespace_;      ///< the only namespace that is watched; "" for all
    /// Returns an empty store with the indexes of the kind.
    std::function<std::unique_ptr<kube::AnyStore>()> make_store;
    /// The other objects that a change of an object concerns.
    std::vector<Edge> edges;
    /// Sends the object as the store has it now, or its deletion, to the engine. Empty if the
    /// engine does not depend on the kind.
    std::function<void(const EngineInput&, const kube::NamespacedName&)> translate;
    /// Returns the next action for the object. Empty if objects of the kind are not reconciled.
    std::function<Outcome(const ReconcileContext&, const ObjectKey&, Time)> reconcile;
    /// Returns the key under which an object is reconciled, if several objects are reconciled as
    /// one. Empty if each object is reconciled under its own key.
    std::function<ObjectKey(const Stores&, const ObjectKey&)> reconciled_under;
    /// Returns the other objects that a reconcile of this object may write. A reconcile waits until
    /// the stores show the last writes to them. Empty if it writes only the object itself.
    std::function<std::vector<ObjectKey>(const Stores&, const ObjectKey&)> also_written;
    /// The controller's name in the flag --controllers; "" for kinds that are not reconciled.
    std::string controller;
    /// The controller's name in metrics, as in Kueue.
    std::string metric_name;
    /// Returns the fields that the kind needs and that the OpenAPI document of its group and
    /// version does not have. Empty if the fields of the kind are not checked.
    std::function<std::vector<std::string>(const json::Value& open_api)> find_unknown_fields;
    /// Set if the objects are jobs, for which Workloads are created; nullptr otherwise.
    std::shared_ptr<const JobKind> job;
    /// Set if the objects are not jobs, but may be owners above jobs.
    std::optional<AncestorRole> ancestor_role;
    /// See KindAbove::counts_pods_of_pods.
    bool counts_pods_of_pods = false;
    /// The webhooks of the objects; nullptr without webhooks. Lifetime: that of `job`, or that of
    /// the process if the objects are not jobs.
    const KindAdmission* admission = nullptr;
    /// The description of the kind was removed: no further job is started, and jobs that hold quota
    /// are reconciled until they end.
    bool is_withdrawn = false;
    /// The objects are jobs that another controller manages with Kueue's library
    /// (integrations.externalFrameworks). Jobs below them get no Workload.
    bool is_external = false;
    /// The integration of the kind is off: only metadata is kept, so that a job below an object is
    /// known to belong to the owners above it. If the kind cannot be read, jobs do not wait for it.
    bool is_only_passed = false;
};

/// Adds the indexes of jobs by the objects that their labels, annotations and owner references
/// name.
template <class T>
void add_job_indexes(kube::Store<T>& jobs) {
    jobs.add_index(std::string(kPriorityClassIndex), [](const T& job) {
        return priority_class_of(job.metadata);
    });
    jobs.add_index(std::string(kPrebuiltWorkloadIndex), [](const T& job) {
        return prebuilt_workloads_of(job.metadata);
    });
    jobs.add_index(std::string(kChildIndex), [](const T& job) {
        return controller_uid_of(job.metadata);
    });
}

/// Returns the entry of a typed kind, without edges.
template <class T>
KindEntry make_entry(Presence presence) {
    KindEntry entry;
    entry.kind = kind_of<T>();
    entry.presence = presence;
    entry.make_store = []() -> std::unique_ptr<kube::AnyStore> {
        auto store = std::make_unique<kube::KindStore<T>>(kind_of<T>());
        if constexpr (requires { add_indexes(store->objects()); }) {
            add_indexes(store->objects());
        }
        if constexpr (std::is_same_v<T, api::Job>) {
            add_job_indexes(store->objects());
        }
        return store;
    };
    return entry;
}

/// Returns the entry of a kind known only at run time, without edges. Its objects are
/// api::DynamicObject.
KindEntry make_dynamic_entry(std::shared_ptr<const kube::RunTimeKind> names);

/// Makes the objects of the entry's kind jobs: they are reconciled as jobs, and a reconcile waits
/// for the last writes to their Workloads.
void make_jobs(KindEntry& entry, std::shared_ptr<const JobKind> job);

/// Returns the find function of an edge from a typed kind.
template <class T, class Function>
Edge::Find find_by(Function function) {
    return [function = std::move(function)](
               const ChangeContext& context, const kube::AnyChange& change, const Visit& visit
           ) { function(context, kube::change_as<T>(change), visit); };
}

/// Returns the edge of a kind whose objects are reconciled whenever they change.
Edge to_itself();

}  // namespace sluice::controller
