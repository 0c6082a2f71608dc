#include "sim/kinds/job_set.hpp"

#include "job_kinds/derived/replicated_jobs.hpp"
#include "sim/kinds/replicated_jobs.hpp"
#include "sim/objects/conditions.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

/// Returns true if the JobSet has succeeded: all of the Jobs that its success policy selects have
/// succeeded, or any of them.
bool has_succeeded(const ReplicatedJobs& jobs) {
    const json::Array& targets =
        list_at(jobs.owner, {"spec", "successPolicy", "targetReplicatedJobs"});
    const bool any_will_do = text_at(jobs.owner, {"spec", "successPolicy", "operator"}) == "Any";
    bool has_all = true;
    bool has_any = false;
    for (const ReplicatedJob& each : jobs.all) {
        const bool counts =
            targets.empty() || std::ranges::find(targets, json::Value(each.name)) != targets.end();
        has_all = has_all && (!counts || each.is_complete());
        has_any = has_any || (counts && each.succeeded > 0);
    }
    return !jobs.all.empty() && (any_will_do ? has_any : has_all);
}

void set_suspension(
    json::Array& conditions,
    bool is_suspended,
    const ConditionText& on,
    const ConditionText& off,
    Time now
) {
    if (is_suspended) {
        set_condition(conditions, on, now);
    } else {
        unset_condition(conditions, off, now);
    }
}

}  // namespace

Outcome reconcile_job_set(const Turn& turn) {
    Outcome outcome;
    const json::Value& set = turn.object;
    const bool is_over = has_condition(set, "Completed") || has_condition(set, "Failed");
    if (is_deleted(set) || !text_at(set, {"spec", "managedBy"}).empty()) {
        return outcome;
    }
    ReplicatedJobs jobs = ReplicatedJobs::find(turn, list_at(set, {"spec", "replicatedJobs"}));
    if (is_over) {
        jobs.remove_active(outcome);
        return outcome;
    }
    jobs.is_suspended = is_true_at(set, {"spec", "suspend"});
    jobs.is_in_order = text_at(set, {"spec", "startupPolicy", "startupPolicyOrder"}) == "InOrder";
    jobs.restarts = find_int(set, {"status", "restarts"}).value_or(0);
    json::Array conditions = conditions_of(set);
    json::Value status = json::Object();
    set_suspension(
        conditions,
        jobs.is_suspended,
        {"Suspended", true, "SuspendedJobs", "jobset is suspended"},
        {"Suspended", false, "ResumeJobs", "jobset is resumed"},
        turn.now
    );
    const auto end = [&](std::string_view type, std::string_view reason, std::string_view message) {
        set_condition(conditions, {type, true, reason, message}, turn.now);
        status.set("terminalState", type);
        outcome.notes.push_back({type == "Failed", std::string(reason), std::string(message)});
    };
    const std::int64_t restarts_max =
        find_int(set, {"spec", "failurePolicy", "maxRestarts"}).value_or(0);
    if (jobs.has_failed() && jobs.restarts >= restarts_max) {
        end("Failed", "FailedJobs", "jobset failed due to one or more job failures");
    } else if (has_succeeded(jobs)) {
        end("Completed", "AllJobsCompleted", "jobset completed successfully");
    } else {
        jobs.restarts += jobs.has_failed() ? 1 : 0;
        jobs.manage(outcome);
    }
    if (!conditions.empty()) {
        status.set("conditions", std::move(conditions));
    }
    status.set("restarts", jobs.restarts);
    status.set("replicatedJobsStatus", jobs.statuses());
    replace_status(set, std::move(status), outcome);
    return outcome;
}

Outcome reconcile_train_job(const Turn& turn) {
    Outcome outcome;
    const json::Value& job = turn.object;
    const bool is_over = has_condition(job, "Complete") || has_condition(job, "Failed");
    if (is_deleted(job)) {
        return outcome;
    }
    const std::string_view kind = text_at(job, {"spec", "runtimeRef", "kind"});
    const json::Value runtime = turn.find(
        job.string_at("apiVersion"),
        kind.empty() ? "ClusterTrainingRuntime" : kind,
        text_at(job, {"spec", "runtimeRef", "name"})
    );
    if (runtime.is_null()) {
        return outcome;  // waits until its runtime exists
    }
    const json::Array entries = job_kinds::make_replicated_jobs(job, runtime);
    ReplicatedJobs jobs = ReplicatedJobs::find(turn, entries);
    if (is_over) {
        jobs.remove_active(outcome);
        return outcome;
    }
    jobs.is_suspended = is_true_at(job, {"spec", "suspend"});
    json::Array conditions = conditions_of(job);
    set_suspension(
        conditions,
        jobs.is_suspended,
        {"Suspended", true, "Suspended", "TrainJob is suspended"},
        {"Suspended", false, "Resumed", "TrainJob is resumed"},
        turn.now
    );
    const bool has_all = std::ranges::all_of(jobs.all, &ReplicatedJob::is_complete);
    if (jobs.has_failed()) {
        set_condition(
            conditions,
            {"Failed", true, "FailedJobs", "jobset failed due to one or more job failures"},
            turn.now
        );
    } else if (has_all && !jobs.all.empty()) {
        set_condition(
            conditions,
            {"Complete", true, "AllJobsCompleted", "jobset completed successfully"},
            turn.now
        );
    } else {
        jobs.manage(outcome);
    }
    json::Value status = json::Object{{"jobsStatus", jobs.statuses()}};
    if (!conditions.empty()) {
        status.set("conditions", std::move(conditions));
    }
    replace_status(job, std::move(status), outcome);
    return outcome;
}

}  // namespace sluice::sim
