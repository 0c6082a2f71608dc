#include "controller/jobs/reconciliation/workload_of_job.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/kueue/sluice_names.hpp"
#include "api/meta/names.hpp"
#include "controller/jobs/job/pod_job.hpp"
#include "controller/jobs/job/semantic_equality.hpp"
#include "controller/reconcile/workload_name.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "validation/workload_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

constexpr std::size_t kNameLimit = 253;
constexpr std::size_t kShortNameLimit = 63;
/// The maximum that the API allows in a Workload.
constexpr std::size_t kPodSetsMax = 18;

/// Errors: Invalid with the name of the label.
Result<std::optional<std::int32_t>> max_execution_time(const GenericJob& job) {
    const std::string_view text =
        find_value(job.metadata().labels, api::label::kMaxExecTimeSeconds);
    if (text.empty()) {
        return std::optional<std::int32_t>();
    }
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1) {
        return make_invalid(fmt::format(
            "label {}: \"{}\" is not a number above 0", api::label::kMaxExecTimeSeconds, text
        ));
    }
    return std::optional(value);
}

bool are_pod_sets_equal(const api::PodSet& a, const api::PodSet& b, Tolerations tolerations) {
    return a.count == b.count && a.min_count == b.min_count &&
           are_templates_equal(*a.template_, *b.template_, tolerations);
}

bool are_pod_sets_equal(
    const std::vector<api::PodSet>& a, const std::vector<api::PodSet>& b, Tolerations tolerations
) {
    return std::ranges::equal(a, b, [tolerations](const api::PodSet& x, const api::PodSet& y) {
        return are_pod_sets_equal(x, y, tolerations);
    });
}

/// Returns the pod sets as they were admitted; those of a running elastic job may have shrunk
/// since.
std::vector<api::PodSet> admitted_pod_sets(
    const GenericJob& job,
    const std::vector<api::PodSet>& asked,
    const api::Admission& admission,
    const std::vector<api::PodSet>& wanted,
    const Settings& settings
) {
    std::vector<api::PodSet> running = asked;
    const auto& assignments = admission.pod_set_assignments;
    for (std::size_t i = 0; i < running.size(); ++i) {
        if (running[i].min_count) {
            running[i].count = assignments[i].count.value_or(running[i].count);
        }
        if (is_elastic(job, settings) && !job.is_suspended()) {
            running[i].count = std::min(running[i].count, wanted[i].count);
        }
    }
    return running;
}

Priority priority_of(const api::WorkloadPriorityClass& priority_class) {
    return {
        .ref =
            api::PriorityClassRef{
                api::kKueueGroup, "WorkloadPriorityClass", priority_class.metadata.name
            },
        .value = priority_class.value,
    };
}

Priority priority_of(const api::PriorityClass& priority_class) {
    return {
        .ref =
            api::PriorityClassRef{
                "scheduling.k8s.io", "PriorityClass", priority_class.metadata.name
            },
        .value = priority_class.value,
    };
}

/// Returns the PriorityClass that the job itself names, or else the first pod set with one.
std::string pod_priority_class(const GenericJob& job) {
    std::string own = job.priority_class();
    if (!own.empty()) {
        return own;
    }
    const auto pod_sets = job.pod_sets();
    if (pod_sets) {
        for (const api::PodSet& pod_set : *pod_sets) {
            if (!pod_set.template_->spec.priority_class_name.empty()) {
                return pod_set.template_->spec.priority_class_name;
            }
        }
    }
    return {};
}

api::ObjectMeta make_metadata(
    const JobKind& kind, const api::ObjectMeta& job, const Settings& settings, std::string_view part
) {
    api::ObjectMeta metadata;
    metadata.name = workload_name(
        kind.kind().name(),
        kind.kind().group(),
        job.name,
        job.uid,
        settings.short_workload_names ? kShortNameLimit : kNameLimit,
        part
    );
    metadata.namespace_ = job.namespace_;
    if (!api::check_label_value(job.uid)) {
        metadata.labels[api::label::kJobUid] = job.uid;
    }
    for (const std::string& key : settings.label_keys_to_copy) {
        if (const std::string* value = job.find_label(key)) {
            metadata.labels[key] = *value;
        }
    }
    for (const auto& [key, value] : job.annotations) {
        const bool is_gate =
            key == api::annotation::kAdmissionGatedBy && settings.gates.admission_gated_by;
        const bool is_wanted = std::ranges::find(settings.annotation_keys_to_copy, key) !=
                               settings.annotation_keys_to_copy.end();
        if (key.starts_with(api::annotation_prefix::kProvisioningRequest) || is_gate || is_wanted) {
            metadata.annotations[key] = value;
        }
    }
    if (kind.is_described_by_user()) {
        metadata.annotations[api::annotation::kDescribedKind] = std::string(kind.integration());
    }
    metadata.finalizers.emplace_back(api::finalizer::kResourceInUse);
    metadata.owner_references.push_back(
        {.api_version = kind.kind().api_version(),
         .kind = std::string(kind.kind().name()),
         .name = job.name,
         .uid = job.uid,
         .controller = true,
         .block_owner_deletion = true}
    );
    return metadata;
}

}  // namespace

bool is_elastic(const GenericJob& job, const Settings& settings) {
    return settings.elastic_jobs && job.may_have_slices() &&
           find_value(job.metadata().annotations, api::annotation::kElasticJob) == "true";
}

std::optional<Error> find_problem(const GenericJob& job) {
    if (auto problem = job.find_problem()) {
        return problem;
    }
    const auto limit = max_execution_time(job);
    return limit ? std::nullopt : std::optional(limit.error());
}

bool is_equivalent(const GenericJob& job, const api::Workload& workload, const Settings& settings) {
    if (const auto said = job.is_described_by(workload)) {
        return *said;
    }
    const api::OwnerReference* owner = workload.metadata.controller_owner();
    if (owner == nullptr || owner->uid != job.metadata().uid ||
        owner->name != job.metadata().name) {
        return false;
    }
    auto wanted = job.pod_sets();
    const std::vector<api::PodSet>& asked = workload.spec.pod_sets;
    const auto limit = max_execution_time(job);
    if (!wanted || wanted->size() != asked.size() ||
        (limit && *limit != workload.spec.maximum_execution_time_seconds)) {
        return false;
    }
    if (job.find_problem()) {
        for (std::size_t i = 0; i < asked.size(); ++i) {
            (*wanted)[i].min_count = asked[i].min_count;
        }
    }
    // A slice may wait while its job runs with tolerations that the flavors of another injected.
    const Tolerations tolerations = !is_admitted(workload) && !is_elastic(job, settings)
                                        ? Tolerations::Compared
                                        : Tolerations::Ignored;
    const auto& admission = workload.status.admission;
    if (has_quota_reserved(workload) && admission &&
        admission->pod_set_assignments.size() == asked.size()) {
        const auto running = admitted_pod_sets(job, asked, *admission, *wanted, settings);
        if (are_pod_sets_equal(*wanted, running, tolerations)) {
            return true;
        }
        return job.is_suspended() && are_pod_sets_equal(*wanted, asked, tolerations);
    }
    return are_pod_sets_equal(*wanted, asked, tolerations);
}

std::optional<JobProblem> find_impossible_requests(const std::vector<api::PodSet>& pod_sets) {
    for (const api::PodSet& pod_set : pod_sets) {
        const auto errors = validation::validate_pod_level_requests(
            pod_set.template_->spec, fmt::format("podSets[{}].template.spec", pod_set.name)
        );
        if (!errors.empty()) {
            return JobProblem{JobProblem::Reason::InvalidSpec, errors.front().text()};
        }
    }
    return std::nullopt;
}

JobResult<Priority> resolve_priority(
    const Stores& stores, const GenericJob& job, const Settings& settings
) {
    const bool is_labelled = !find_value(job.metadata().labels, api::label::kPriorityClass).empty();
    const std::string pod_class = is_labelled ? std::string() : pod_priority_class(job);
    return resolve_priority(stores, job.metadata(), pod_class, settings);
}

JobResult<Priority> resolve_priority(
    const Stores& stores,
    const api::ObjectMeta& object,
    const std::string& pod_class,
    const Settings& settings
) {
    const auto& classes = stores.of<api::WorkloadPriorityClass>();
    const std::string_view label = find_value(object.labels, api::label::kPriorityClass);
    if (!label.empty()) {
        const auto found = classes.find(label);
        if (!found) {
            return JobProblem{
                JobProblem::Reason::WorkloadPriorityClassNotFound,
                fmt::format("WorkloadPriorityClass \"{}\" not found", label)
            };
        }
        return priority_of(*found);
    }
    if (settings.workload_priority_class_defaulting) {
        if (const auto found = classes.find("default")) {
            return priority_of(*found);
        }
    }
    const auto& pod_classes = stores.of<api::PriorityClass>();
    if (!pod_class.empty()) {
        const auto found = pod_classes.find(pod_class);
        if (!found) {
            return JobProblem{
                JobProblem::Reason::PriorityClassNotFound,
                fmt::format("PriorityClass \"{}\" not found", pod_class)
            };
        }
        return priority_of(*found);
    }
    const api::PriorityClass* lowest = nullptr;
    for (const auto& [key, candidate] : pod_classes.all()) {
        if (candidate->global_default && (lowest == nullptr || candidate->value < lowest->value)) {
            lowest = candidate.get();
        }
    }
    return lowest == nullptr ? Priority{} : priority_of(*lowest);
}

JobResult<api::Workload> make_workload(
    const Stores& stores,
    const JobKind& kind,
    const GenericJob& job,
    const Settings& settings,
    const api::Workload* replaced
) {
    if (const auto problem = find_problem(job)) {
        return JobProblem{JobProblem::Reason::InvalidSpec, problem->detail};
    }
    const PodJob* pods = job.as_pods();
    if (const auto obstacle = pods == nullptr ? std::nullopt : pods->find_obstacle()) {
        return *obstacle;
    }
    const auto priority = resolve_priority(stores, job, settings);
    if (!priority) {
        return priority.error();
    }
    auto pod_sets = job.pod_sets();
    if (!pod_sets) {
        return JobProblem{JobProblem::Reason::InvalidSpec, pod_sets.error().detail};
    }
    if (pod_sets->empty() || pod_sets->size() > kPodSetsMax) {
        return JobProblem{
            JobProblem::Reason::InvalidSpec,
            fmt::format("it has {} pod sets; 1 to {} can be queued", pod_sets->size(), kPodSetsMax)
        };
    }
    if (auto problem = find_impossible_requests(*pod_sets)) {
        return *std::move(problem);
    }
    api::Workload workload;
    const bool has_slices = is_elastic(job, settings);
    const std::string part = has_slices ? std::to_string(job.metadata().generation) : "";
    workload.metadata = make_metadata(kind, job.metadata(), settings, part);
    if (pods != nullptr) {
        if (const auto owned = pods->own_metadata(workload.metadata, settings); !owned) {
            return owned.error();
        }
    }
    if (has_slices) {
        auto& annotations = workload.metadata.annotations;
        annotations[api::annotation::kElasticJob] = "true";
        annotations[api::annotation::kWorkloadSliceName] =
            slice_name(replaced == nullptr ? workload : *replaced);
        if (replaced != nullptr) {
            annotations[api::annotation::kWorkloadSliceReplacementFor] =
                replaced->metadata.namespace_ + "/" + replaced->metadata.name;
        }
    }
    workload.spec.queue_name =
        std::string(find_value(job.metadata().labels, api::label::kQueueName));
    workload.spec.pod_sets = std::move(*pod_sets);
    workload.spec.priority_class_ref = priority->ref;
    workload.spec.priority = priority->value;
    workload.spec.maximum_execution_time_seconds = *max_execution_time(job);
    return workload;
}

}  // namespace sluice::controller
