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
        {.reconciled = Urgency::Batched, .translated = false, .find = find_by<api::Pod>(visit_row)},
    };
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time now) {
        return ungate_row(context.view, context.job_kinds, key, now);
    };
    entry.also_written = [](const Stores& stores, const ObjectKey& key) {
        std::vector<ObjectKey> row;
        if (const auto pod = stores.of<api::Pod>().find(key.ns, key.name)) {
            for (const std::string& slice : slices_of_pod(*pod)) {
                for (const auto& [name, other] :
                     stores.of<api::Pod>().by_index(kSliceIndex, slice)) {
                    row.push_back({kind_of<api::Pod>(), name.namespace_, name.name});
                }
            }
        }
        return row;
    };
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
