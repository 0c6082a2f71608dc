#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/job/stored_template.hpp"
#include "controller/jobs/job/topology_request.hpp"
#include "controller/jobs/members/batch_job_view.hpp"
#include "validation/go_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// The pod set of a Job: template, counts and topology request.
namespace sluice::controller {

namespace {

constexpr std::string_view kPodSet = "main";
/// Labels that the Job controller's defaulting sets in the template, and that identify this one
/// Job.
constexpr std::string_view kJobLabels[] = {
    "job-name", "controller-uid", "batch.kubernetes.io/controller-uid"
};

}  // namespace

std::int32_t BatchJob::pod_count() const {
    const std::int32_t parallelism = job_->spec.parallelism.value_or(1);
    return std::min(parallelism, job_->spec.completions.value_or(parallelism));
}

bool BatchJob::is_partially_admissible() const {
    return !find_value(job_->metadata.annotations, api::annotation::kJobMinParallelism).empty();
}

Result<std::optional<std::int32_t>> BatchJob::min_pod_count() const {
    constexpr const char* kAnnotation = api::annotation::kJobMinParallelism;
    const std::string_view text = find_value(job_->metadata.annotations, kAnnotation);
    if (text.empty() || !settings_.partial_admission) {
        return std::optional<std::int32_t>();
    }
    const std::int32_t minimum = validation::parse_decimal<std::int32_t>(text).value_or(0);
    if (minimum < 1) {
        return make_invalid(
            fmt::format("annotation {}: \"{}\" is not a number above 0", kAnnotation, text)
        );
    }
    if (minimum > pod_count()) {
        return make_invalid(fmt::format(
            "annotation {}: {} is above the number of pods, {}", kAnnotation, minimum, pod_count()
        ));
    }
    return std::optional(minimum);
}

std::optional<Error> BatchJob::find_problem() const {
    const auto minimum = min_pod_count();
    return minimum ? std::nullopt : std::optional(minimum.error());
}

Result<std::vector<api::PodSet>> BatchJob::pod_sets() const {
    api::PodSet pod_set;
    pod_set.name = kPodSet;
    pod_set.count = pod_count();
    if (const auto minimum = min_pod_count()) {
        pod_set.min_count = *minimum;
    }
    auto pod_template = stored_template(job_->spec.template_, kJobLabels);
    if (!pod_template) {
        return with_context(pod_template.error(), "spec.template");
    }
    pod_set.template_ = std::move(*pod_template);
    if (settings_.gates.topology_aware_scheduling) {
        auto request = make_topology_request(
            job_->spec.template_.metadata,
            {.pod_index = "batch.kubernetes.io/job-completion-index"},
            settings_
        );
        if (!request) {
            return with_context(request.error(), "spec.template");
        }
        pod_set.topology_request = std::move(*request);
    }
    std::vector<api::PodSet> all;
    all.push_back(std::move(pod_set));
    return all;
}

}  // namespace sluice::controller
