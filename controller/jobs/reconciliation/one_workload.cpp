#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/reconciliation/job_reconciliation.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

// Steps of JobReconciliation that give a job one Workload that describes it.
namespace sluice::controller {

namespace {

namespace reason = api::reason;

/// How long it takes until the stores show the end of a Workload.
constexpr Duration kRemovalTime = std::chrono::seconds(1);

/// Returns the merge patch that changes the spec of `from` into that of `to`, except `active`.
json::Value spec_patch(const api::Workload& from, const api::Workload& to) {
    json::Value spec = *api::to_value(to).find("spec");
    if (from.spec.active) {
        spec.set("active", *from.spec.active);
    }
    const json::Value before = api::to_value(from);
    json::Value patch = json::Object{};
    for (const auto& [key, value] : before.find("spec")->as_object()) {
        if (spec.find(key) == nullptr) {
            patch.set(key, nullptr);
        }
    }
    for (const auto& [key, value] : spec.as_object()) {
        patch.set(key, value);
    }
    return patch;
}

}  // namespace

Write workload_patch(const api::Workload& workload, json::Value patch) {
    return strict_patch(key_of(workload), workload.metadata, std::move(patch));
}

/// Finds the Workload that describes the job, and removes all others first.
JobReconciliation::Next JobReconciliation::choose_workload() {
    if (is_prebuilt_ || workload_ || replaced_) {
        return {};
    }
    Slices slices = sort_slices(job_, own_, settings_);
    kept_ = slices.kept;
    if (slices.leaving) {
        workload_ = slices.leaving;
        return {};
    }
    for (const WorkloadPointer& ended : slices.ended) {
        if (Next drop = drop_finalizer(*ended)) {
            return drop;
        }
    }
    std::vector<WorkloadPointer> others;
    // A Workload that a tenant created must not replace the one that the job runs on.
    std::ranges::stable_sort(slices.current, {}, [](const WorkloadPointer& workload) {
        return std::pair(!has_quota_reserved(*workload), workload->metadata.creation_timestamp);
    });
    for (const WorkloadPointer& workload : slices.current) {
        if (!workload_ && describes(job_, *workload, settings_)) {
            workload_ = workload;
        } else {
            others.push_back(workload);
        }
    }
    if (!workload_ && kept_ && describes(job_, *kept_, settings_)) {
        workload_ = kept_;  // the larger slice exists before the job has grown
        return {};
    }
    if (!workload_ && kept_) {
        others.push_back(std::exchange(kept_, nullptr));
    }
    if (!workload_ && job_.find_end() && !others.empty()) {
        // The Workload of a finished job need not describe it any more.
        workload_ = others.front();
        others.erase(others.begin());
    }
    if (!workload_ && others.size() == 1 && others.front()->metadata.deletion_timestamp) {
        workload_ = others.front();
        return {};
    }
    if (!workload_ && !others.empty()) {
        return replace_unlike(others);
    }
    return others.empty() ? Next() : Next(remove_workload(*others.front()));
}

JobReconciliation::Next JobReconciliation::replace_unlike(const std::vector<WorkloadPointer>& others
) {
    const api::Workload& first = *others.front();
    if (runs_at_all()) {
        const api::Workload* original = others.size() == 1 ? &first : nullptr;
        constexpr std::string_view kMessage =
            "No matching Workload; restoring pod templates according to existent Workload";
        if (Next stopping = stop(original, kMessage)) {
            if (original != nullptr && stopping->writes.empty()) {
                // The template that the job ran on is restored when its pods have ended.
                workload_ = others.front();
                Next report = update_pods_ready();
                return report ? std::move(report) : std::move(stopping);
            }
            return stopping;
        }
    }
    const bool keeps_quota = std::ranges::any_of(others, [this](const WorkloadPointer& workload) {
        return has_quota_reserved(*workload) && !is_finished(*workload) &&
               has_active_pods(*workload);
    });
    if (keeps_quota) {
        return Outcome{};
    }
    if (others.size() > 1) {
        return remove_workload(*others[1]);
    }
    if (has_quota_reserved(first) || is_finished(first)) {
        return remove_workload(first);
    }
    return update_to_job(first);
}

JobReconciliation::Next JobReconciliation::update_to_job(const api::Workload& workload) {
    if (Next settling = settle_before_workload()) {
        return settling;
    }
    const auto wanted = make_workload(stores_, kind_, job_, settings_);
    if (!wanted) {
        return refuse(wanted.error());
    }
    Write w = workload_patch(workload, json::Object{{"spec", spec_patch(workload, *wanted)}});
    w.events.push_back(event(
        reason::kUpdatedWorkload,
        "Updated not matching Workload for suspended job: " + to_string(key_of(workload))
    ));
    return write(std::move(w));
}

/// Removes the Workload's finalizer and deletes it. Waits if it is being deleted already.
Outcome JobReconciliation::remove_workload(const api::Workload& workload) {
    Outcome outcome;
    if (auto without = remove_finalizer(workload)) {
        outcome.writes.push_back(std::move(*without));
    }
    if (workload.metadata.deletion_timestamp) {
        return outcome;
    }
    Write w{
        .verb = Verb::Delete,
        .object = key_of(workload),
        .body = {},
        .uid = workload.metadata.uid,
    };
    w.events.push_back(event(
        reason::kDeletedWorkload, "Deleted not matching Workload: " + to_string(key_of(workload))
    ));
    outcome.writes.push_back(std::move(w));
    return outcome;
}

JobReconciliation::Next JobReconciliation::drop_finalizer(const api::Workload& workload) {
    auto without = remove_finalizer(workload);
    return without ? write(std::move(*without)) : Next();
}

JobReconciliation::Next JobReconciliation::stop_without_workload() {
    if (runs_at_all()) {
        constexpr std::string_view kMessage = "Missing Workload; unable to restore pod templates";
        if (Next stopping = stop(nullptr, kMessage)) {
            return stopping;
        }
    }
    // While pods are active, the next change of the job's status leads to another reconcile.
    if (!job_.is_active()) {
        return {};
    }
    Outcome outcome;
    outcome.requeue_at = active_until();
    return outcome;
}

JobReconciliation::Next JobReconciliation::make_missing_workload() {
    if (workload_) {
        return {};
    }
    if (!is_managed() || job_.find_end() || job_.find_hold()) {
        Next release = write_all(released(is_managed()));
        return release ? std::move(release) : Outcome{};
    }
    if (replaced_) {
        return make_larger_slice();
    }
    if (Next stopping = stop_without_workload()) {
        return stopping;
    }
    if (Next settling = settle_before_workload()) {
        return settling;
    }
    const auto workload = make_workload(stores_, kind_, job_, settings_);
    return workload ? create(*workload) : Next(refuse(workload.error()));
}

JobReconciliation::Next JobReconciliation::make_larger_slice() {
    // Until the larger slice exists, the job runs on the slice that it has.
    workload_ = replaced_;
    kept_ = replaced_;
    const auto workload = make_workload(stores_, kind_, job_, settings_, replaced_.get());
    if (workload) {
        return create(*workload);
    }
    if (Outcome refusal = refuse(workload.error()); refusal.try_later) {
        try_later_ = std::move(refusal.try_later);
    }
    return {};
}

/// Removes this job from the owners of another job's Workload. The other job takes the Workload
/// back, or its quota is held until that job's pods have ended.
JobReconciliation::Next JobReconciliation::give_back_foreign_workload() {
    if (foreign_.empty()) {
        return {};
    }
    json::Array owners;
    for (const api::OwnerReference& owner : foreign_.front()->metadata.owner_references) {
        if (owner.uid != job_.metadata().uid) {
            owners.push_back(api::to_value(owner));
        }
    }
    json::Value left = owners.empty() ? json::Value() : json::Value(std::move(owners));
    return write(workload_patch(
        *foreign_.front(),
        json::Object{{"metadata", json::Object{{"ownerReferences", std::move(left)}}}}
    ));
}

JobReconciliation::Next JobReconciliation::take_over_lost_workloads() {
    const api::ObjectMeta& job = job_.metadata();
    if (job.deletion_timestamp || shares_workload()) {
        return {};
    }
    for (const auto& [name, lost] : lost_workloads(stores_, job)) {
        if (!is_finished(*lost) && !lost->metadata.deletion_timestamp) {
            return write(workload_patch(*lost, adoption_patch(*lost, kind_, job)));
        }
    }
    return {};
}

JobReconciliation::Next JobReconciliation::settle_name(const std::string& name) {
    const api::ObjectMeta& job = job_.metadata();
    const auto present = stores_.of<api::Workload>().find(job.namespace_, name);
    if (!present) {
        return {};
    }
    const bool is_own = std::ranges::find(own_, name, [](const auto& own) {
                            return own->metadata.name;
                        }) != own_.end();
    const bool is_lost = lost_workloads(stores_, job).contains({job.namespace_, name});
    if (is_own || is_lost) {
        if (job.deletion_timestamp) {
            return Outcome{};
        }
        const bool is_over = is_finished(*present) || present->metadata.deletion_timestamp;
        if (!is_over) {
            return {};
        }
        Outcome removal = remove_workload(*present);
        if (is_lost) {
            removal.requeue_at = now_ + kRemovalTime;  // its deletion triggers no reconcile here
        }
        return removal;
    }
    if (shares_workload()) {
        return {};
    }
    const std::string problem =
        fmt::format("A Workload named \"{}\" already exists but is not the job's", name);
    events_.push_back(job_warning(kind_, job, reason::kWorkloadNameConflict, problem));
    Outcome outcome;
    outcome.try_later = problem;
    return outcome;
}

JobReconciliation::Next JobReconciliation::create(const api::Workload& workload) {
    if (Next settling = settle_name(workload.metadata.name)) {
        return settling;
    }
    Write w{
        .verb = Verb::Create,
        .object = key_of(workload),
        .body = api::to_value(workload),
    };
    w.events.push_back(
        event(reason::kCreatedWorkload, "Created Workload: " + to_string(key_of(workload)))
    );
    w.observations.push_back(
        {.kind = Observation::Kind::WorkloadCreated,
         .local_queue = workload.spec.queue_name,
         .ns = workload.metadata.namespace_,
         .reason = std::string(kind_.kind().name()),
         .since_queued = now_ - job_.metadata().creation_timestamp.value_or(now_)}
    );
    return write(std::move(w));
}

}  // namespace sluice::controller
