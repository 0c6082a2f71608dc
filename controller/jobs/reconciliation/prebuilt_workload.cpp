#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "api/meta/names.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/reconciliation/job_reconciliation.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/left_pods.hpp"
#include "controller/reconcile/lost_job.hpp"
#include "controller/reconcile/pod_groups.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "validation/job_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// Steps of JobReconciliation for a job that uses a prebuilt Workload.
namespace sluice::controller {

namespace {

namespace reason = api::reason;

/// Returns true if a pod with a uid other than `but` is an owner.
bool is_owned_by_pods(const api::ObjectMeta& workload, std::string_view but) {
    return std::ranges::any_of(workload.owner_references, [but](const api::OwnerReference& owner) {
        return owner.kind == "Pod" && owner.api_version == "v1" && owner.uid != but;
    });
}

}  // namespace

json::Value adoption_patch(
    const api::Workload& workload, const JobKind& kind, const api::ObjectMeta& job
) {
    json::Array owners;
    for (const api::OwnerReference& owner : workload.metadata.owner_references) {
        owners.push_back(api::to_value(owner));
    }
    const api::OwnerReference own{
        .api_version = kind.kind().api_version(),
        .kind = std::string(kind.kind().name()),
        .name = job.name,
        .uid = job.uid,
        .controller = true,
        .block_owner_deletion = true,
    };
    owners.push_back(api::to_value(own));
    json::Value metadata = json::Object{{"ownerReferences", std::move(owners)}};
    if (!api::check_label_value(job.uid)) {
        metadata.set("labels", json::Object{{api::label::kJobUid, job.uid}});
    }
    return json::Object{{"metadata", std::move(metadata)}};
}

/// Chooses the prebuilt Workload, if it belongs to the job and describes it. It is never replaced
/// by another Workload.
JobReconciliation::Next JobReconciliation::adopt_prebuilt_workload() {
    const api::ObjectMeta& job = job_.metadata();
    const std::string_view name =
        validation::prebuilt_workload_name(job, settings_.workload_identifier_annotations);
    if (name.empty()) {
        return {};
    }
    const auto workload = stores_.of<api::Workload>().find(job.namespace_, name);
    const api::OwnerReference* owner = workload ? workload->metadata.controller_owner() : nullptr;
    const bool is_of_group = shares_workload();
    // A group shares its Workload, and none of its pods controls it. The label with the uid of the
    // job that holds quota may name the StatefulSet or LeaderWorkerSet that created the pods.
    const auto is_of_others = [&](const api::ObjectMeta& metadata) {
        if (!is_of_group && (is_of_pod_group(metadata) || is_owned_by_pods(metadata, job.uid))) {
            return true;
        }
        return holds_quota_of_another(*workload, job.uid) &&
               !(is_of_group && is_for_group(*workload));
    };
    if (!workload || is_of_others(workload->metadata) ||
        (owner != nullptr && owner->uid != job.uid)) {
        return wait_for_prebuilt(name);
    }
    if (auto own = pods_ == nullptr ? std::nullopt : pods_->own_prebuilt(*workload)) {
        return write(std::move(*own));
    }
    if (owner == nullptr && !is_of_group) {
        return write(workload_patch(*workload, adoption_patch(*workload, kind_, job)));
    }
    workload_ = workload;
    is_prebuilt_ = true;
    if (is_finished(*workload_)) {
        // The quota is released, though not because the job has ended.
        return !job_.find_end() && runs_at_all() ? stop(nullptr, "missing workload") : Next();
    }
    const bool is_over = job_.find_end().has_value();
    if (!is_over && !is_equivalent(job_, *workload_, settings_)) {
        return finish_out_of_sync();
    }
    return {};
}

/// Finishes the Workload when its pods have ended: until then they use the quota.
JobReconciliation::Next JobReconciliation::finish_out_of_sync() {
    if (has_quota_reserved(*workload_)) {
        if (runs_at_all()) {
            if (Next stopping = stop(nullptr, "The prebuilt workload is out of sync")) {
                return stopping;
            }
        }
        if (has_active_pods(*workload_)) {
            return Outcome{};
        }
    }
    return finish_with(
        reason::kOutOfSync, "The prebuilt workload is out of sync with its user job"
    );
}

/// Returns true if pods of groups, or the object that created them, own the Workload, and no pod of
/// another group runs on it. The owners alone prove nothing: a tenant may write them.
bool JobReconciliation::is_for_group(const api::Workload& workload) const {
    if (!is_of_serving_object(workload.metadata) && !is_owned_by_pods(workload.metadata, {})) {
        return false;
    }
    const bool by_annotation = settings_.workload_identifier_annotations;
    const std::string_view group = pod_group_of(job_.metadata(), by_annotation);
    const auto is_of_another = [&](const api::Pod& pod) {
        return pod_group_of(pod.metadata, by_annotation) != group;
    };
    return !has_left_pods(stores_, settings_, workload, is_of_another, now_);
}

JobReconciliation::Next JobReconciliation::wait_for_prebuilt(std::string_view name) {
    if (Next release = write_all(released(false))) {
        return release;
    }
    if (!is_managed() || job_.find_end()) {
        return Outcome{};
    }
    if (runs_at_all()) {
        if (Next stopping = stop(nullptr, "missing workload")) {
            return stopping;
        }
    }
    return refuse(JobProblem{
        JobProblem::Reason::PrebuiltWorkloadNotFound,
        fmt::format("prebuilt workload not found: {}", name)
    });
}

}  // namespace sluice::controller
