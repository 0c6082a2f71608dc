#pragma once

#include "base/clock.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/jobs/job/object_admission.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/reconcile/view.hpp"
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

/// Whether the controller may act without the kind.
enum class Presence : std::uint8_t {
    Required,       ///< it waits, unready, until the server has the kind and all of it was listed
    Optional,       ///< followed while the server has it
    Supplementary,  ///< the same, and nothing waits for its list
};

/// How soon an object is reconciled.
enum class Urgency : std::uint8_t {
    AtOnce,
    Gathered,  ///< with what else changes within a second
    /// Statuses of queues, which follow their workloads: the same, and later where the API server
    /// is busy.
    Batched,
};

/// Where the objects that a change concerns are looked up.
struct ChangeContext {
    const Registry& registry;
    const Stores& stores;
};

/// Called with each object that a change concerns.
using Visit = std::function<void(const ObjectKey&)>;

/// Some of the objects that a change of an object concerns, and what the change means for them. The
/// edges of all kinds are one graph: the work queue follows those that are reconciled, the engine's
/// feeder those that are translated.
struct Edge {
    using Find = std::function<void(const ChangeContext&, const kube::AnyChange&, const Visit&)>;

    std::optional<Urgency> reconciled;  ///< they are enqueued, to be reconciled so soon
    bool translated = false;            ///< what the engine knows of them depends on the object
    /// Called after the store has taken the change. An object that another one concerned is passed
    /// on with `before` equal to `after`.
    Find find;
};

/// The engine and what is translated for it.
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

/// What a reconciler may read beside the stores.
struct ReconcileContext {
    const View& view;
    /// The engine's weighted share of a ClusterQueue or Cohort; none without fair sharing.
    const std::function<std::optional<std::int64_t>(const ObjectKey&)>& weighted_share;
    /// Whether workloads hold quota of the ClusterQueue, or are about to.
    const std::function<bool(const std::string& cluster_queue)>& has_holders;
    /// What the engine says that a LocalQueue has consumed; none without admission fair sharing.
    const std::function<std::optional<api::AdmissionFairSharingStatus>(const ObjectKey&)>& consumed;
    const JobKinds& job_kinds;
};

/// All that the controller knows of a kind. A new kind is one more entry.
struct KindEntry {
    Kind kind;
    std::shared_ptr<const kube::RunTimeKind> names;  ///< of a kind known only at run time
    Presence presence = Presence::Required;
    std::string label_selector;  ///< of the objects that are followed; "": all
    std::string namespace_;      ///< the only one that is looked at; "": all are
    /// An empty store with the indexes of the kind.
    std::function<std::unique_ptr<kube::AnyStore>()> make_store;
    /// Which other objects a change of an object concerns.
    std::vector<Edge> edges;
    /// Tells the engine the object as the store has it now, or that it is gone. Empty: the engine
    /// does not depend on the kind.
    std::function<void(const EngineInput&, const kube::NamespacedName&)> translate;
    /// What is to be done about the object. Empty: nothing ever is.
    std::function<Outcome(const ReconcileContext&, const ObjectKey&, Time)> reconcile;
    /// The key under which an object is reconciled, where one stands for several. Empty: its own.
    std::function<ObjectKey(const Stores&, const ObjectKey&)> reconciled_under;
    /// The other objects that a reconcile of this one may write: it waits until the stores show the
    /// last writes to them. Empty: none.
    std::function<std::vector<ObjectKey>(const Stores&, const ObjectKey&)> also_written;
    /// Of the controller in the flag --controllers, "" for kinds that are not reconciled.
    std::string controller;
    /// Of the same controller in metrics, as Kueue calls it.
    std::string metric_name;
    /// What of the kind its definition lacks, by the OpenAPI document of its group and version.
    /// Empty: nothing is known of the kind that a definition could lack.
    std::function<std::vector<std::string>(const json::Value& open_api)> find_unknown_fields;
    /// Its objects are jobs, for which Workloads are made. Null: they are not.
    std::shared_ptr<const JobKind> job;
    /// Its objects are no jobs, but stand above some.
    std::optional<Standing> standing;
    /// As KindAbove::counts_pods_of_pods.
    bool counts_pods_of_pods = false;
    /// What webhooks do for its objects, where they are no jobs. Null: nothing. Lifetime: that of
    /// the process.
    const ObjectAdmission* admission = nullptr;
    /// Its description was taken back: no job is begun any more, those that hold quota are seen to
    /// their end.
    bool is_withdrawn = false;
    /// Its objects are jobs that another controller manages by Kueue's library: of jobs below them
    /// they are the managed ones (integrations.externalFrameworks).
    bool is_external = false;
    /// Its integration is off: only the metadata of its objects is kept, so that jobs below them
    /// are known to belong to what is above. Jobs do not wait for a kind that cannot be read.
    bool is_only_passed = false;
};

/// Adds the indexes of jobs by what their labels, annotations and owner references name.
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

/// An entry of a typed kind, still without edges.
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

/// An entry of a kind known only at run time, still without edges. Its objects are
/// api::DynamicObject.
KindEntry make_dynamic_entry(std::shared_ptr<const kube::RunTimeKind> names);

/// Makes the objects of a kind jobs: they are reconciled as such, and found by the class that their
/// label names.
void make_jobs(KindEntry& entry, std::shared_ptr<const JobKind> job);

/// The find function of an edge from a typed kind.
template <class T, class Function>
Edge::Find find_by(Function function) {
    return [function = std::move(function)](
               const ChangeContext& context, const kube::AnyChange& change, const Visit& visit
           ) { function(context, kube::change_as<T>(change), visit); };
}

/// The edge of a kind whose objects are reconciled whenever they change.
Edge to_itself();

}  // namespace sluice::controller
