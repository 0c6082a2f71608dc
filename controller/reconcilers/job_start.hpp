#pragma once

#include "base/error.hpp"
#include "controller/reconcilers/job_workload.hpp"
#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/settings.hpp"
#include "controller/reconcilers/stores.hpp"

#include <optional>
#include <string_view>

/// Starting a Job on what its Workload was given, and taking that back.
namespace sluice::controller {

/// The patch that starts the Job: what the flavors and admission checks inject, the number of pods
/// that was admitted, suspend=false (surfaces 1.5). Errors: NotFound when a flavor does not exist
/// (try again); Invalid when the injection contradicts the template, which no repetition can mend.
/// Requires: the Workload is admitted.
Result<json::Value> make_start_patch(
    const Stores& stores,
    const api::Job& job,
    const api::Workload& workload,
    const Settings& settings
);

/// How far the stopping of a Job has come.
struct StopStep {
    std::optional<Write> write;  ///< what is to be written next
    bool is_stopped = false;     ///< without a write: done; else pods must end first
};

/// The next step in stopping the Job and restoring its template from the Workload (nullptr: only
/// suspends). Up to three writes follow each other, each seen before the next is made: suspend with
/// the mark `stopping`, drop the start time so that the template may change, restore and drop the
/// mark. The API server takes the last one only when no pod is active.
StopStep next_stop_step(
    const api::Job& job, const api::Workload* workload, std::string_view message
);

/// The Job as an event names it.
ObjectReference reference_to(const api::Job& job);

/// A kind of jobs with its name in integrations.frameworks of the configuration.
struct Integration {
    Kind kind;
    std::string_view name;
};

/// An event of a job's reconciler about the job.
EventNote job_event(
    const Integration& integration,
    const api::ObjectMeta& job,
    std::string_view reason,
    const std::string& note,
    bool warning = false
);
EventNote job_event(
    const api::Job& job, std::string_view reason, const std::string& note, bool warning = false
);

/// A merge patch of the Job that is refused when it changed since.
Write job_patch(const api::Job& job, json::Value patch);

}  // namespace sluice::controller
