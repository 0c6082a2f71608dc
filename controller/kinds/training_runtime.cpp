#include "controller/jobs/described/training_runtime.hpp"

#include "controller/kinds/builtin_kinds.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kTrainJobs = "trainer.kubeflow.org/trainjob";
/// The index of TrainJobs by the runtime that they refer to.
constexpr std::string_view kRuntimeIndex = "training_runtime";

std::string index_value(const ObjectKey& runtime) {
    return fmt::format("{}/{}/{}", runtime.kind.resource(), runtime.ns, runtime.name);
}

/// Returns the entry of a kind of runtimes; their changes concern the TrainJobs that refer to them.
KindEntry runtime_kind(std::shared_ptr<const kube::RunTimeKind> names, Kind train_jobs) {
    KindEntry entry = make_dynamic_entry(std::move(names));
    entry.edges.push_back({
        .reconciled = Urgency::AtOnce,
        .translated = false,
        .find =
            [train_jobs](
                const ChangeContext& context, const kube::AnyChange& change, const Visit& visit
            ) {
                const kube::AnyStore* store = context.stores.find(train_jobs);
                if (store == nullptr) {
                    return;
                }
                for (const auto& name :
                     store->names_by_index(kRuntimeIndex, index_value(change.key))) {
                    visit({train_jobs, name.namespace_, name.name});
                }
            },
    });
    return entry;
}

}  // namespace

void index_references(KindEntry& entry, const job_kinds::Description& description) {
    if (description.framework != kTrainJobs) {
        return;
    }
    entry.make_store = [kind = entry.kind]() -> std::unique_ptr<kube::AnyStore> {
        auto store = std::make_unique<kube::KindStore<api::DynamicObject>>(kind);
        add_job_indexes(store->objects());
        store->objects().add_index(std::string(kRuntimeIndex), [](const api::DynamicObject& job) {
            std::vector<std::string> values;
            if (const auto runtime = runtime_of(job.value, job.metadata.namespace_)) {
                values.push_back(index_value(*runtime));
            }
            return values;
        });
        return store;
    };
}

std::vector<KindEntry> referenced_kinds(const KindEntry& jobs) {
    std::vector<KindEntry> entries;
    if (jobs.job && jobs.job->integration() == kTrainJobs) {
        entries.push_back(runtime_kind(training_runtime_names(), jobs.kind));
        entries.push_back(runtime_kind(cluster_training_runtime_names(), jobs.kind));
    }
    return entries;
}

}  // namespace sluice::controller
