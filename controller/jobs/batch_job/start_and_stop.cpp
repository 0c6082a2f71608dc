#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/members/batch_job_view.hpp"
#include "validation/go_numbers.hpp"

#include <fmt/format.h>

#include <utility>

// The writes that start and stop a Job.
namespace sluice::controller {

namespace {

/// Labels that the Job controller's defaulting sets; they identify this Job and are not restored.
constexpr std::string_view kLiveLabels[] = {
    "job-name",
    "controller-uid",
    "batch.kubernetes.io/job-name",
    "batch.kubernetes.io/controller-uid"
};

json::Value stopping_mark(json::Value value) {
    return json::Object{
        {"annotations", json::Object{{api::annotation::kStopping, std::move(value)}}}
    };
}

}  // namespace

bool BatchJob::is_suspended() const {
    return job_->spec.suspend.value_or(false) && !is_stop_unfinished();
}

bool BatchJob::is_stop_unfinished() const {
    return job_->spec.suspend.value_or(false) && is_marked_as_stopping();
}

bool BatchJob::is_stop_undone() const {
    return !job_->spec.suspend.value_or(false) && is_marked_as_stopping();
}

bool BatchJob::is_marked_as_stopping() const {
    return find_value(job_->metadata.annotations, api::annotation::kStopping) == "true";
}

bool BatchJob::wants_equal_completions() const {
    const std::string_view text =
        find_value(job_->metadata.annotations, api::annotation::kJobCompletionsEqualParallelism);
    return validation::parse_boolean(text).value_or(false);
}

Result<std::vector<Write>> BatchJob::start(const std::vector<PodSetInfo>& injected) const {
    if (injected.size() != 1) {
        return make_invalid(
            fmt::format("invalid podset infos: expecting 1 podset, got {}", injected.size())
        );
    }
    auto pod_template = injection_patch(job_->spec.template_, injected.front());
    if (!pod_template) {
        return pod_template.error();
    }
    json::Value spec = json::Object{{"suspend", false}, {"template", std::move(*pod_template)}};
    const auto granted = injected.front().count;
    if (granted && is_partially_admissible()) {
        spec.set("parallelism", *granted);
        if (wants_equal_completions()) {
            spec.set("completions", *granted);
        }
    }
    std::vector<Write> writes;
    writes.push_back(
        job_patch(kind_of<api::Job>(), job_->metadata, json::Object{{"spec", std::move(spec)}})
    );
    return writes;
}

json::Value BatchJob::restore_patch(const api::Workload* workload) const {
    json::Value spec = json::Object{};
    if (workload != nullptr && workload->spec.pod_sets.size() == 1) {
        const api::PodSet& original = workload->spec.pod_sets.front();
        json::Value pod_template =
            restoration_patch(job_->spec.template_, *original.template_, kLiveLabels);
        if (!pod_template.as_object().empty()) {
            spec.set("template", std::move(pod_template));
        }
        if (is_partially_admissible() && job_->spec.parallelism != original.count) {
            spec.set("parallelism", original.count);
        }
        if (is_partially_admissible() && wants_equal_completions() &&
            job_->spec.completions != original.count) {
            spec.set("completions", original.count);
        }
    }
    json::Value patch = json::Object{};
    if (!find_value(job_->metadata.annotations, api::annotation::kStopping).empty()) {
        patch.set("metadata", stopping_mark(nullptr));
    }
    if (!spec.as_object().empty()) {
        patch.set("spec", std::move(spec));
    }
    return patch;
}

StopStep BatchJob::next_stop_step(const api::Workload* workload) const {
    const Kind kind = kind_of<api::Job>();
    StopStep step;
    if (!job_->spec.suspend.value_or(false)) {
        step.kind = StopStep::Kind::Suspend;
        step.writes.push_back(job_patch(
            kind,
            job_->metadata,
            json::Object{
                {"metadata", stopping_mark("true")},
                {"spec", json::Object{{"suspend", true}}},
            }
        ));
        return step;
    }
    json::Value restore = restore_patch(workload);
    if (restore.as_object().empty()) {
        return step;
    }
    if (job_->status.start_time) {
        step.kind = StopStep::Kind::Restore;
        step.writes.push_back(job_patch(
            kind,
            job_->metadata,
            json::Object{{"status", json::Object{{"startTime", nullptr}}}},
            Verb::MergePatchStatus
        ));
        return step;
    }
    if (is_active()) {
        step.kind = StopStep::Kind::Wait;
        return step;
    }
    step.kind = StopStep::Kind::Restore;
    step.writes.push_back(job_patch(kind, job_->metadata, std::move(restore)));
    return step;
}

}  // namespace sluice::controller
