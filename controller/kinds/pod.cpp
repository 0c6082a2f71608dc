#include "controller/jobs/elastic_pods.hpp"
#include "controller/kinds/builtin_kinds.hpp"

#include <utility>

namespace sluice::controller {

namespace {

/// An end makes room for others of the same row.
void visit_row(
    const ChangeContext& context, const kube::Change<api::Pod>& change, const Visit& visit
) {
    for (const auto& pod : {change.before, change.after}) {
        if (!pod) {
            continue;
        }
        for (const std::string& slice : slices_of_pod(*pod)) {
            visit_pods_of_slice(context.stores, slice, visit);
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
        {.reconciled = Urgency::AtOnce, .translated = false, .find = find_by<api::Pod>(visit_row)},
    };
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time) {
        return ungate_pod(context.view, context.job_kinds, key);
    };
    entry.also_written = [](const Stores& stores, const ObjectKey& key) {
        std::vector<ObjectKey> row;
        if (const auto pod = stores.of<api::Pod>().find(key.ns, key.name)) {
            for (const std::string& slice : slices_of_pod(*pod)) {
                visit_pods_of_slice(stores, slice, [&](const ObjectKey& other) {
                    row.push_back(other);
                });
            }
        }
        return row;
    };
    return entry;
}

void visit_pods_of_slice(const Stores& stores, const std::string& slice, const Visit& visit) {
    const kube::AnyStore* store = stores.find(kind_of<api::Pod>());
    if (store == nullptr) {
        return;
    }
    for (const auto& name : store->names_by_index(kSliceIndex, slice)) {
        visit({kind_of<api::Pod>(), name.namespace_, name.name});
    }
}

}  // namespace sluice::controller
