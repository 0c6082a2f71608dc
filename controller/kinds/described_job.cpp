#include "controller/jobs/described/described_kind.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "job_kinds/schema.hpp"
#include "job_kinds/text.hpp"

#include <algorithm>
#include <utility>

namespace sluice::controller {

KindEntry described_job_kind(
    const job_kinds::ConfiguredKind& configured, std::shared_ptr<const kube::RunTimeKind> names
) {
    const job_kinds::Description& description = *configured.description;
    if (!names) {
        names = names_of(description);
    }
    KindEntry entry = make_dynamic_entry(names);
    entry.metric_name = job_kinds::lower_case(description.kind);
    entry.controller = configured.is_builtin ? entry.metric_name : kJobKindsController;
    entry.find_unknown_fields = [described = configured.description](const json::Value& open_api) {
        const json::Value* schema = job_kinds::find_schema(open_api, *described);
        return schema == nullptr
                   ? std::vector<std::string>()
                   : job_kinds::find_unknown_paths(*described, pod_set_source(*described), *schema);
    };
    index_references(entry, description);
    make_jobs(entry, make_described_kind(configured.description, names, !configured.is_builtin));
    return entry;
}

bool needs_its_kind(const api::Workload& workload) {
    if (is_finished(workload) || workload.metadata.deletion_timestamp) {
        return workload.metadata.has_finalizer(api::finalizer::kResourceInUse);
    }
    return has_quota_reserved(workload);
}

KindEntry withdrawn_job_kind(const KindEntry& entry) {
    KindEntry made = entry;
    made.is_withdrawn = true;
    made.reconcile = [reconcile = entry.reconcile](
                         const ReconcileContext& context, const ObjectKey& key, Time now
                     ) {
        const auto& workloads = workloads_of_owner(context.view.stores, key);
        const bool is_needed = std::ranges::any_of(workloads, [](const auto& workload) {
            return needs_its_kind(*workload.second);
        });
        return is_needed ? reconcile(context, key, now) : Outcome{};
    };
    return made;
}

}  // namespace sluice::controller
