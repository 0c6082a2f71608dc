#include "controller/reconcilers/job.hpp"

#include "api/codec.hpp"
#include "controller/reconcilers/job_slices.hpp"
#include "controller/reconcilers/job_start.hpp"
#include "controller/reconcilers/job_workload.hpp"
#include "controller/reconcilers/strict_patch.hpp"
#include "controller/reconcilers/workload_status.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

using WorkloadPointer = Slices::WorkloadPointer;

Write workload_patch(const api::Workload& workload, json::Value patch) {
    return strict_patch(key_of(workload), workload.metadata, std::move(patch));
}

Observation finished_observation(const api::Workload& workload, Time now) {
    Observation seen{
        .kind = Observation::Kind::Finished,
        .cluster_queue = workload.status.admission ? workload.status.admission->cluster_queue : "",
        .local_queue = workload.spec.queue_name,
        .ns = workload.metadata.namespace_,
        .priority_class = priority_class_name(workload),
    };
    const api::Condition* admitted = find_condition(workload, "Admitted");
    if (admitted != nullptr && admitted->status == "True" && admitted->last_transition_time) {
        seen.since_admitted = now - *admitted->last_transition_time;
    }
    return seen;
}

/// One reconcile of one Job: the stores, the settings and what has been decided so far.
class JobReconcile {
  public:
    JobReconcile(const Stores& stores, const Settings& settings, const api::Job& job, Time now)
        : stores_(stores), settings_(settings), job_(job), now_(now) {}

    Outcome run() {
        // A Job that lost its label goes on being followed while it has a Workload: else that would
        // be admitted for nobody, or hold its quota after the Job's end.
        if (!is_managed() && own_workloads().empty()) {
            return std::move(outcome_);
        }
        const WorkloadPointer workload = ensure_one_workload();
        if (is_done_) {
            return std::move(outcome_);
        }
        if (workload) {
            follow(*workload);
        } else if (is_managed() && !find_end(job_)) {
            make_new_workload();
        }
        return std::move(outcome_);
    }

  private:
    bool is_managed() const {
        const auto ns = stores_.of<api::Namespace>().find(job_.metadata.namespace_);
        const auto& selector = settings_.managed_jobs_namespaces;
        if (!ns || (selector && !selector->matches(ns->metadata.labels))) {
            return false;
        }
        return settings_.manage_jobs_without_queue_name ||
               !find_value(job_.metadata.labels, kQueueLabel).empty();
    }

    void write(Write w) {
        outcome_.writes.push_back(std::move(w));
        is_done_ = true;
    }

    std::vector<WorkloadPointer> own_workloads() const {
        std::vector<WorkloadPointer> found;
        for (const auto& [key, workload] : workloads_of_owner(
                 stores_, {kind_of<api::Job>(), job_.metadata.namespace_, job_.metadata.name}
             )) {
            if (workload->metadata.controller_owner()->uid == job_.metadata.uid) {
                found.push_back(workload);
            }
        }
        return found;
    }

    /// The one Workload that describes the Job. Sets is_done_ when something must be put right
    /// first.
    WorkloadPointer ensure_one_workload() {
        Slices slices = sort_slices(job_, own_workloads(), settings_);
        kept_ = slices.kept;
        if (slices.leaving) {
            return slices.leaving;
        }
        for (const WorkloadPointer& ended : slices.ended) {
            drop_finalizer(*ended);
        }
        if (is_done_) {
            return nullptr;
        }
        WorkloadPointer match;
        std::vector<WorkloadPointer> others;
        for (const WorkloadPointer& workload : slices.current) {
            if (!match && describes(job_, *workload, settings_)) {
                match = workload;
            } else {
                others.push_back(workload);
            }
        }
        if (!match && kept_ && describes(job_, *kept_, settings_)) {
            return kept_;  // the larger slice is there before the Job has grown
        }
        if (!match && kept_) {
            others.push_back(std::exchange(kept_, nullptr));
        }
        if (!match && find_end(job_) && !others.empty()) {
            // What a finished Job once looked like does not matter any more.
            match = others.front();
            others.erase(others.begin());
        }
        if (!match && others.size() == 1 && others.front()->metadata.deletion_timestamp) {
            return others.front();
        }
        if (!match && !others.empty()) {
            replace_unlike(others);
            return nullptr;
        }
        for (const WorkloadPointer& extra : others) {
            remove_workload(*extra);
        }
        return match;
    }

    /// No Workload describes the Job: change the first one if it holds nothing, else stop and start
    /// over.
    void replace_unlike(const std::vector<WorkloadPointer>& others) {
        const api::Workload& first = *others.front();
        if (!is_suspended(job_)) {
            const api::Workload* original = others.size() == 1 ? &first : nullptr;
            constexpr std::string_view kMessage =
                "No matching Workload; restoring pod templates according to existent Workload";
            stop(original, kMessage);
            if (is_done_) {
                return;
            }
        }
        for (std::size_t i = 1; i < others.size(); ++i) {
            remove_workload(*others[i]);
        }
        if (is_done_) {
            return;
        }
        if (has_quota_reserved(first) || is_finished(first)) {
            remove_workload(first);
            return;
        }
        update_to_job(first);
    }

    void update_to_job(const api::Workload& workload) {
        auto wanted = make_workload(stores_, job_, settings_);
        if (!wanted) {
            refuse(wanted.error());
            return;
        }
        json::Value spec = *api::to_value(*wanted).find("spec");
        if (workload.spec.active) {
            spec.set("active", *workload.spec.active);
        }
        const json::Value before = api::to_value(workload);
        json::Value patch = json::Object{};
        for (const auto& [key, value] : before.find("spec")->as_object()) {
            if (spec.find(key) == nullptr) {
                patch.set(key, nullptr);
            }
        }
        for (const auto& [key, value] : spec.as_object()) {
            patch.set(key, value);
        }
        Write w = workload_patch(workload, json::Object{{"spec", std::move(patch)}});
        w.events.push_back(job_event(
            job_,
            "UpdatedWorkload",
            "Updated not matching Workload for suspended job: " + to_string(key_of(workload))
        ));
        write(std::move(w));
    }

    void remove_workload(const api::Workload& workload) {
        if (auto without = remove_finalizer(workload)) {
            write(std::move(*without));
        }
        if (workload.metadata.deletion_timestamp) {
            is_done_ = true;
            return;
        }
        Write w{
            .verb = Verb::Delete,
            .object = key_of(workload),
            .body = {},
            .uid = workload.metadata.uid,
        };
        w.events.push_back(job_event(
            job_, "DeletedWorkload", "Deleted not matching Workload: " + to_string(key_of(workload))
        ));
        write(std::move(w));
    }

    void warn(const Error& error) {
        const std::string_view reason =
            error.code == ErrorCode::Invalid                    ? "InvalidSpec"
            : error.detail.starts_with("WorkloadPriorityClass") ? "WorkloadPriorityClassNotFound"
            : error.detail.starts_with("PriorityClass")         ? "PriorityClassNotFound"
                                                                : "FlavorNotFound";
        outcome_.events.push_back(job_event(job_, reason, error.detail, true));
    }

    void refuse(const Error& error) {
        warn(error);
        if (error.code != ErrorCode::Invalid) {
            outcome_.try_later = error.detail;  // else only a change of the Job mends it
        }
        is_done_ = true;
    }

    void make_new_workload() {
        if (!is_suspended(job_)) {
            constexpr std::string_view kMessage =
                "Missing Workload; unable to restore pod templates";
            stop(nullptr, kMessage);
            if (is_done_) {
                return;
            }
        }
        if (job_.status.active != 0) {
            return;  // its change of status brings us back
        }
        auto workload = make_workload(stores_, job_, settings_);
        if (!workload) {
            refuse(workload.error());
            return;
        }
        Write w{
            .verb = Verb::Create,
            .object = key_of(*workload),
            .body = api::to_value(*workload),
        };
        w.events.push_back(
            job_event(job_, "CreatedWorkload", "Created Workload: " + to_string(key_of(*workload)))
        );
        w.observations.push_back(
            {.kind = Observation::Kind::WorkloadCreated,
             .reason = "Job",
             .since_queued = now_ - job_.metadata.creation_timestamp.value_or(now_)}
        );
        write(std::move(w));
    }

    /// The steps of surfaces 1.2 from 8 on, for the Job's one Workload.
    void follow(const api::Workload& workload) {
        if (is_finished(workload)) {
            drop_finished(workload);
            return;
        }
        if (workload.metadata.deletion_timestamp) {
            stop(&workload, "Workload is deleted");
            if (!is_done_) {
                drop_finalizer(workload);
            }
            return;
        }
        if (const auto end = find_end(job_)) {
            finish_with(workload, end->success ? "Succeeded" : "Failed", end->message);
            return;
        }
        if (is_being_stopped(job_)) {
            stop(&workload, "");  // whatever the Workload became meanwhile
            return;
        }
        if (const auto problem = find_problem(job_, settings_)) {
            warn(*problem);
        }
        copy_annotation(workload);
        copy_priority(workload);
        if (is_done_) {
            return;
        }
        update_reclaimable_pods(workload);
        if (is_done_) {
            return;
        }
        if (const api::Condition* evicted = find_condition(workload, "Evicted");
            evicted != nullptr && evicted->status == "True") {
            release(workload, *evicted);
            if (!is_done_ && !has_quota_reserved(workload)) {
                follow_queue_name(workload);  // Evicted stays until the next admission
            }
            return;
        }
        if (!is_suspended(job_)) {
            const bool may_run = is_admitted(workload) || (kept_ && may_run_on(job_, *kept_));
            if (!may_run) {
                stop(&workload, "Not admitted by cluster queue");
            }
            return;
        }
        if (is_admitted(workload) && workload.status.admission) {
            start(workload);
            return;
        }
        if (has_quota_reserved(workload)) {
            tell_checks(workload);
        }
        follow_queue_name(workload);
    }

    /// What the admission checks say that the Workload waits for.
    void tell_checks(const api::Workload& workload) {
        std::vector<std::string> said;
        for (const api::AdmissionCheckState& check : workload.status.admission_checks) {
            if (check.state == "Pending" && !check.message.empty()) {
                said.push_back(check.name + ": " + check.message);
            }
        }
        if (!said.empty()) {
            outcome_.events.push_back(
                job_event(job_, "UpdatedAdmissionCheck", fmt::format("{}", fmt::join(said, "; ")))
            );
        }
    }

    void drop_finalizer(const api::Workload& workload) {
        if (auto without = remove_finalizer(workload)) {
            write(std::move(*without));
        }
    }

    void drop_finished(const api::Workload& workload) {
        if (auto without = remove_finalizer(workload)) {
            without->events.push_back(finished_event(workload));
            write(std::move(*without));
        }
    }

    EventNote finished_event(const api::Workload& workload) const {
        return job_event(
            job_,
            "FinishedWorkload",
            fmt::format("Workload '{}' is declared finished", to_string(key_of(workload)))
        );
    }

    void finish_with(
        const api::Workload& workload, std::string_view reason, std::string_view message
    ) {
        api::Workload changed = workload;
        finish(changed, reason, message, now_);
        Write w = status_write(changed);
        w.events.push_back(finished_event(workload));
        w.observations.push_back(finished_observation(workload, now_));
        write(std::move(w));
    }

    /// Takes the next step of stopping; is_done_ until the Job has stopped.
    void stop(const api::Workload* workload, std::string_view message) {
        StopStep step = next_stop_step(job_, workload, message);
        if (step.write) {
            write(std::move(*step.write));
        }
        is_done_ = is_done_ || !step.is_stopped;
    }

    void copy_annotation(const api::Workload& workload) {
        const std::string_view wanted = find_value(job_.metadata.annotations, kAdmissionGatedBy);
        const std::string_view present =
            find_value(workload.metadata.annotations, kAdmissionGatedBy);
        if (wanted == present || !settings_.gates.admission_gated_by) {
            return;
        }
        const json::Value value = wanted.empty() ? json::Value() : json::Value(wanted);
        Write w = workload_patch(
            workload,
            json::Object{
                {"metadata",
                 json::Object{{"annotations", json::Object{{std::string(kAdmissionGatedBy), value}}}
                 }},
            }
        );
        w.events.push_back(job_event(
            job_,
            "UpdatedWorkload",
            fmt::format("Updated workload AdmissionGatedBy to \"{}\"", wanted)
        ));
        write(std::move(w));
    }

    void copy_priority(const api::Workload& workload) {
        const std::string_view label = find_value(job_.metadata.labels, kPriorityClassLabel);
        const auto& ref = workload.spec.priority_class_ref;
        if (is_done_ || label.empty() ||
            (ref && ref->name == label && ref->group == "kueue.x-k8s.io")) {
            return;
        }
        if (ref ? ref->group != "kueue.x-k8s.io" : has_quota_reserved(workload)) {
            return;
        }
        const auto found = stores_.of<api::WorkloadPriorityClass>().find(label);
        if (!found) {
            // The Workload keeps what it has; it may have to start or to stop. Once the class is
            // there, its Jobs are looked at.
            const auto note = fmt::format("WorkloadPriorityClass \"{}\" not found", label);
            warn({ErrorCode::NotFound, note, {}});
            return;
        }
        const api::PriorityClassRef wanted{
            "kueue.x-k8s.io", "WorkloadPriorityClass", std::string(label)
        };
        Write w = workload_patch(
            workload,
            json::Object{
                {"spec",
                 json::Object{
                     {"priorityClassRef", api::to_value(wanted)},
                     {"priority", found->value},
                 }},
            }
        );
        w.events.push_back(job_event(
            job_,
            "UpdatedWorkload",
            "Updated workload priority class: " + to_string(key_of(workload))
        ));
        write(std::move(w));
    }

    void update_reclaimable_pods(const api::Workload& workload);

    /// Evicted: stop, and give the quota back once no pod is active.
    void release(const api::Workload& workload, const api::Condition& evicted) {
        stop(&workload, evicted.message);
        if (is_done_ || !has_quota_reserved(workload) || job_.status.active != 0) {
            return;
        }
        api::Workload changed = workload;
        workload::release_quota(changed, settings_.gates, now_);
        Write w = status_write(changed);
        if (workload.status.admission && is_active(workload)) {
            w.observations.push_back(
                {.kind = Observation::Kind::Released,
                 .cluster_queue = workload.status.admission->cluster_queue,
                 .reason = evicted.reason,
                 .since_evicted = now_ - evicted.last_transition_time.value_or(now_)}
            );
        }
        write(std::move(w));
    }

    void start(const api::Workload& workload) {
        auto patch = make_start_patch(stores_, job_, workload, settings_);
        if (!patch) {
            if (patch.error().code == ErrorCode::Invalid) {
                finish_with(workload, "FailedToStart", patch.error().detail);
            } else {
                refuse(patch.error());
            }
            return;
        }
        const std::string queue =
            workload.status.admission ? workload.status.admission->cluster_queue : std::string();
        Write w = job_patch(job_, std::move(*patch));
        w.events.push_back(job_event(job_, "Started", "Admitted by clusterQueue " + queue));
        write(std::move(w));
    }

    void follow_queue_name(const api::Workload& workload) {
        const std::string_view queue = find_value(job_.metadata.labels, kQueueLabel);
        if (queue == workload.spec.queue_name) {
            return;
        }
        write(workload_patch(
            workload,
            json::Object{
                {"spec",
                 json::Object{{"queueName", queue.empty() ? json::Value() : json::Value(queue)}}},
            }
        ));
    }

    const Stores& stores_;
    const Settings& settings_;
    const api::Job& job_;
    Time now_;
    Outcome outcome_;
    WorkloadPointer kept_;  // the slice whose quota the Job runs on, while another waits
    bool is_done_ = false;  // a write is made whose echo must be seen first
};

void JobReconcile::update_reclaimable_pods(const api::Workload& workload) {
    if (!settings_.gates.reclaimable_pods) {
        return;
    }
    const std::int32_t wanted = count_reclaimable(job_, workload);
    std::int32_t present = 0;
    for (const api::ReclaimablePod& entry : workload.status.reclaimable_pods) {
        present += entry.count;
    }
    // The number may not shrink while quota is held.
    if (wanted == present || (wanted < present && has_quota_reserved(workload))) {
        return;
    }
    json::Value status = json::Object{};
    if (wanted > 0) {
        status.set(
            "reclaimablePods", json::Array{json::Object{{"name", "main"}, {"count", wanted}}}
        );
    }
    write(
        {.verb = Verb::ApplyStatus,
         .object = key_of(workload),
         .body =
             json::Object{
                 {"apiVersion", "kueue.x-k8s.io/v1beta2"},
                 {"kind", "Workload"},
                 {"metadata",
                  json::Object{
                      {"name", workload.metadata.name},
                      {"namespace", workload.metadata.namespace_},
                      {"uid", workload.metadata.uid},
                      {"resourceVersion", workload.metadata.resource_version},
                  }},
                 {"status", std::move(status)},
             },
         .field_manager = "kueue-reclaimable-pods"}
    );
}

/// The owner is gone: the Workload is finished, so that its quota is free, and then let go.
void finalize_orphan(
    const api::Workload& workload, const Settings& settings, Time now, Outcome& outcome
) {
    if (!workload.metadata.deletion_timestamp && !is_finished(workload) &&
        settings.finish_orphaned_workloads) {
        api::Workload changed = workload;
        finish(changed, "OwnerNotFound", "The workload's owner no longer exists", now);
        Write w = status_write(changed);
        w.observations.push_back(finished_observation(workload, now));
        outcome.writes.push_back(std::move(w));
        return;
    }
    if (auto without = remove_finalizer(workload)) {
        outcome.writes.push_back(std::move(*without));
    }
}

}  // namespace

Outcome reconcile_job(const View& view, std::string_view ns, std::string_view name, Time now) {
    const Stores& stores = view.stores;
    const Settings& settings = view.settings;
    const auto job = stores.of<api::Job>().find(ns, name);
    const bool is_gone = !job || job->metadata.deletion_timestamp;
    Outcome outcome;
    for (const auto& [key, workload] :
         workloads_of_owner(stores, {kind_of<api::Job>(), std::string(ns), std::string(name)})) {
        if (is_gone || workload->metadata.controller_owner()->uid != job->metadata.uid) {
            finalize_orphan(*workload, settings, now, outcome);
        }
    }
    if (is_gone || !outcome.writes.empty()) {
        return outcome;
    }
    return JobReconcile(stores, settings, *job, now).run();
}

}  // namespace sluice::controller
