#include "api/kueue_names.hpp"
#include "controller/jobs/elastic_pods.hpp"
#include "controller/jobs/job_reconciler.hpp"
#include "controller/jobs/pod/pod_kind.hpp"
#include "controller/jobs/pod/pod_state.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/reconcilers/pod_groups.hpp"
#include "kube/core/raw_json.hpp"

#include <optional>
#include <utility>

namespace sluice::controller {

namespace {

/// Of larger groups changes are gathered for a moment: a reconcile looks at all pods, and each of
/// them changes several times.
constexpr std::size_t kSmallGroup = 64;

bool concerns_job(const api::Pod& pod) {
    return is_marked_managed(pod.metadata) || pod.metadata.has_finalizer(api::finalizer::kManaged);
}

const kube::Store<api::Pod>::Objects& members_of(const Stores& stores, const ObjectKey& group) {
    return stores.of<api::Pod>().by_index(
        kPodGroupIndex, group.ns + "/" + std::string(group_in_name(group.name))
    );
}

std::optional<ObjectKey> group_of(const api::Pod& pod, bool by_annotation) {
    const std::string_view group = pod_group_of(pod.metadata, by_annotation);
    return group.empty() ? std::nullopt
                         : std::optional(pod_group_key(pod.metadata.namespace_, group));
}

/// Visits what a pod is reconciled as, if that is as urgent.
Edge to_job_of_pod(bool by_annotation, Urgency urgency) {
    return {
        .reconciled = urgency,
        .translated = false,
        .find = find_by<api::Pod>([by_annotation, urgency](
                                      const ChangeContext& context,
                                      const kube::Change<api::Pod>& change,
                                      const Visit& visit
                                  ) {
            for (const auto& pod : {change.before, change.after}) {
                if (!pod) {
                    continue;
                }
                const auto group = group_of(*pod, by_annotation);
                const bool is_large =
                    group && members_of(context.stores, *group).size() > kSmallGroup;
                if ((urgency == Urgency::Gathered) != is_large || (!group && !concerns_job(*pod))) {
                    continue;
                }
                visit(group ? *group : key_of(*pod));
            }
        }),
    };
}

std::vector<ObjectKey> pods_of_row(const Stores& stores, const ObjectKey& key) {
    std::vector<ObjectKey> row;
    if (const auto pod = stores.of<api::Pod>().find(key.ns, key.name)) {
        for (const std::string& slice : slices_of_pod(*pod)) {
            for (const auto& [name, other] : stores.of<api::Pod>().by_index(kSliceIndex, slice)) {
                row.push_back({kind_of<api::Pod>(), name.namespace_, name.name});
            }
        }
    }
    return row;
}

/// All that a reconcile of a pod or a group may write.
std::vector<ObjectKey> objects_of_job(const Stores& stores, const ObjectKey& key) {
    std::vector<ObjectKey> objects;
    const std::string_view group = group_in_name(key.name);
    if (!group.empty()) {
        for (const auto& [name, pod] : members_of(stores, key)) {
            objects.push_back({key.kind, name.namespace_, name.name});
        }
        objects.push_back({kind_of<api::Workload>(), key.ns, std::string(group)});
        return objects;
    }
    for (const auto& [name, workload] : workloads_of_owner(stores, key)) {
        objects.push_back({kind_of<api::Workload>(), name.namespace_, name.name});
    }
    const auto pod = stores.of<api::Pod>().find(key.ns, key.name);
    if (pod && !concerns_job(*pod)) {
        for (ObjectKey& other : pods_of_row(stores, key)) {
            objects.push_back(std::move(other));
        }
    }
    return objects;
}

/// An end makes room for others of the same row.
void visit_row(
    const ChangeContext& context, const kube::Change<api::Pod>& change, const Visit& visit
) {
    for (const auto& pod : {change.before, change.after}) {
        if (!pod) {
            continue;
        }
        if (is_marked_managed(pod->metadata)) {
            continue;
        }
        for (const std::string& slice : slices_of_pod(*pod)) {
            visit_first_pod_of_slice(context.stores, slice, visit);
        }
    }
}

}  // namespace

KindEntry elastic_pod_kind() {
    KindEntry entry = make_entry<api::Pod>(Presence::Supplementary);
    entry.label_selector = api::label::kPodSet;
    entry.controller = kElasticJobController;
    entry.metric_name = "elasticjob_ungater";
    entry.make_store = []() -> std::unique_ptr<kube::AnyStore> {
        auto store = std::make_unique<kube::KindStore<api::Pod>>(kind_of<api::Pod>());
        store->objects().add_index(std::string(kSliceIndex), slices_of_pod);
        return store;
    };
    entry.edges = {
        {.reconciled = Urgency::Gathered, .translated = false, .find = find_by<api::Pod>(visit_row)
        },
    };
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time now) {
        return ungate_row(context.view, context.job_kinds, key, now);
    };
    entry.also_written = pods_of_row;
    return entry;
}

KindEntry pod_kind(bool by_annotation) {
    KindEntry entry = elastic_pod_kind();
    entry.presence = Presence::Required;
    entry.label_selector = {};
    entry.controller = "pod";
    entry.metric_name = "v1_pod";
    entry.make_store = [by_annotation]() -> std::unique_ptr<kube::AnyStore> {
        // What is admitted is the whole spec; of pods that are no jobs it is not kept.
        const auto keep_spec = [](api::Pod& pod, std::string_view json) {
            if (concerns_job(pod)) {
                pod.raw_spec = api::RawJson(std::string(kube::find_raw(json, {"spec"})));
            }
        };
        auto store = std::make_unique<kube::KindStore<api::Pod>>(kind_of<api::Pod>(), keep_spec);
        store->objects().add_index(std::string(kSliceIndex), slices_of_pod);
        store->objects().add_index(std::string(kPodGroupIndex), [by_annotation](const auto& pod) {
            return groups_of_pod(pod, by_annotation);
        });
        add_job_indexes(store->objects());
        return store;
    };
    entry.edges.push_back(to_job_of_pod(by_annotation, Urgency::AtOnce));
    entry.edges.push_back(to_job_of_pod(by_annotation, Urgency::Gathered));
    entry.job = make_pod_kind();
    entry.reconcile =
        [kind = entry.job.get()](const ReconcileContext& context, const ObjectKey& key, Time now) {
            const auto pod = context.view.stores.of<api::Pod>().find(key.ns, key.name);
            if (pod && !concerns_job(*pod)) {
                return ungate_row(context.view, context.job_kinds, key, now);
            }
            return reconcile_job(context.view, context.job_kinds, *kind, {key.ns, key.name}, now);
        };
    entry.reconciled_under = [by_annotation](const Stores& stores, const ObjectKey& key) {
        const auto pod = stores.of<api::Pod>().find(key.ns, key.name);
        return pod ? group_of(*pod, by_annotation).value_or(key) : key;
    };
    entry.also_written = objects_of_job;
    return entry;
}

void visit_first_pod_of_slice(const Stores& stores, const std::string& slice, const Visit& visit) {
    if (stores.find(kind_of<api::Pod>()) == nullptr) {
        return;
    }
    const auto& row = stores.of<api::Pod>().by_index(kSliceIndex, slice);
    if (!row.empty()) {
        const kube::NamespacedName& first = row.begin()->first;
        visit({kind_of<api::Pod>(), first.namespace_, first.name});
    }
}

}  // namespace sluice::controller
