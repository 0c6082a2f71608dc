#include "validation/job_rules.hpp"

#include "api/kueue/kueue_names.hpp"
#include "validation/admission_gate_rules.hpp"
#include "validation/go_numbers.hpp"
#include "validation/metadata_rules.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

namespace sluice::validation {

namespace {

using config::Feature;

constexpr std::size_t kLabelValueMax = 63;

std::string label_path(const char* key) {
    return fmt::format("metadata.labels[{}]", key);
}

std::string annotation_path(const char* key) {
    return fmt::format("metadata.annotations[{}]", key);
}

std::string_view label_of(const api::ObjectMeta& job, const char* key) {
    const std::string* value = job.find_label(key);
    return value == nullptr ? std::string_view() : std::string_view(*value);
}

/// The prebuilt Workload, and where the job names it: in the annotation, which may be longer than a
/// label, or in the label.
struct Prebuilt {
    std::string_view name;
    std::string path;
    bool is_there = false;
};

Prebuilt find_prebuilt(const api::ObjectMeta& job, bool by_annotation) {
    const std::string* annotation = job.find_annotation(api::annotation::kPrebuiltWorkload);
    const bool counts =
        by_annotation || (annotation != nullptr && annotation->size() > kLabelValueMax);
    if (annotation != nullptr && !annotation->empty() && counts) {
        return {*annotation, annotation_path(api::annotation::kPrebuiltWorkload), true};
    }
    const std::string* label = job.find_label(api::label::kPrebuiltWorkload);
    return {
        label == nullptr ? std::string_view() : std::string_view(*label),
        label_path(api::label::kPrebuiltWorkload),
        label != nullptr
    };
}

bool is_named_by_annotation(const config::FeatureGates& gates) {
    return gates.is_enabled(Feature::WorkloadIdentifierAnnotations);
}

api::FieldErrors validate_prebuilt(const JobFacts& job, const config::FeatureGates& gates) {
    const Prebuilt prebuilt = find_prebuilt(job.metadata, is_named_by_annotation(gates));
    api::FieldErrors errors;
    if (prebuilt.is_there) {
        append(errors, validate_subdomain(prebuilt.name, prebuilt.path));
    }
    if (!prebuilt.name.empty() && !job.may_be_prebuilt) {
        errors.push_back(api::FieldError::forbidden(
            prebuilt.path, fmt::format("Is not supported for \"{}\"", job.group_version_kind)
        ));
    }
    return errors;
}

api::FieldErrors validate_execution_time(const api::ObjectMeta& job) {
    const std::string* text = job.find_label(api::label::kMaxExecTimeSeconds);
    if (text == nullptr) {
        return {};
    }
    const std::string path = label_path(api::label::kMaxExecTimeSeconds);
    const auto seconds = parse_decimal<std::int64_t>(*text);
    if (!seconds) {
        return {api::FieldError::invalid(path, *text, number_problem(*text))};
    }
    if (*seconds <= 0) {
        return {api::FieldError::invalid(path, *seconds, "should be greater than 0")};
    }
    return {};
}

void check_queue_name(
    api::FieldErrors& out, const JobFacts& before, const JobFacts& after, DefaultQueue default_queue
) {
    const std::string_view old_name = label_of(before.metadata, api::label::kQueueName);
    const std::string_view new_name = label_of(after.metadata, api::label::kQueueName);
    const std::string path = label_path(api::label::kQueueName);
    if (!after.is_suspended && old_name != new_name) {
        out.push_back(api::FieldError::immutable(path, new_name));
    }
    if (new_name.empty() && !old_name.empty() && default_queue == DefaultQueue::Present) {
        out.push_back(api::FieldError::invalid(
            path, "", "queue-name must not be empty in namespace with default queue"
        ));
    }
}

}  // namespace

std::string_view prebuilt_workload_name(const api::ObjectMeta& job, bool by_annotation) {
    return find_prebuilt(job, by_annotation).name;
}

bool asks_to_be_elastic(const api::ObjectMeta& job, const config::FeatureGates& gates) {
    const std::string* value = job.find_annotation(api::annotation::kElasticJob);
    return gates.is_enabled(Feature::ElasticJobsViaWorkloadSlices) && value != nullptr &&
           *value == "true";
}

api::FieldErrors validate_priority_class_change(
    const api::ObjectMeta& before, const api::ObjectMeta& after, bool is_suspended
) {
    const std::string_view old_name = label_of(before, api::label::kPriorityClass);
    const std::string_view new_name = label_of(after, api::label::kPriorityClass);
    const std::string path = label_path(api::label::kPriorityClass);
    api::FieldErrors errors;
    if (!is_suspended && old_name.empty() && !new_name.empty()) {
        errors.push_back(api::FieldError::invalid(
            path, new_name, "WorkloadPriorityClass cannot be added to a non-suspended workload"
        ));
    }
    if (!old_name.empty() && new_name.empty()) {
        errors.push_back(api::FieldError::invalid(
            path, "", "WorkloadPriorityClass cannot be removed from a workload"
        ));
    }
    return errors;
}

api::FieldErrors validate_queue_name(const api::ObjectMeta& job) {
    const std::string* queue = job.find_label(api::label::kQueueName);
    return queue == nullptr ? api::FieldErrors()
                            : validate_subdomain(*queue, label_path(api::label::kQueueName));
}

api::FieldErrors validate_elastic(
    const api::ObjectMeta& job,
    const std::string& group_version_kind,
    bool may_be_elastic,
    const config::FeatureGates& gates
) {
    if (!asks_to_be_elastic(job, gates) || may_be_elastic) {
        return {};
    }
    return {api::FieldError::forbidden(
        annotation_path(api::annotation::kElasticJob),
        fmt::format("elastic job is not supported for \"{}\"", group_version_kind)
    )};
}

api::FieldErrors validate(const JobFacts& job, const config::FeatureGates& gates) {
    api::FieldErrors errors = validate_queue_name(job.metadata);
    append(errors, validate_prebuilt(job, gates));
    append(errors, validate_execution_time(job.metadata));
    append(
        errors, validate_elastic(job.metadata, job.group_version_kind, job.may_be_elastic, gates)
    );
    if (gates.is_enabled(Feature::AdmissionGatedBy)) {
        append(errors, validate_admission_gates(job.metadata));
    }
    return errors;
}

api::FieldErrors validate_update(
    const JobFacts& before,
    const JobFacts& after,
    DefaultQueue default_queue,
    const config::FeatureGates& gates
) {
    api::FieldErrors errors;
    check_queue_name(errors, before, after, default_queue);
    if (after.is_suspended || asks_to_be_elastic(before.metadata, gates)) {
        append(errors, validate_prebuilt(after, gates));
    } else {
        const Prebuilt prebuilt = find_prebuilt(after.metadata, is_named_by_annotation(gates));
        if (find_prebuilt(before.metadata, is_named_by_annotation(gates)).name != prebuilt.name) {
            errors.push_back(api::FieldError::immutable(prebuilt.path, prebuilt.name));
        }
    }
    const std::string_view old_time = label_of(before.metadata, api::label::kMaxExecTimeSeconds);
    const std::string_view new_time = label_of(after.metadata, api::label::kMaxExecTimeSeconds);
    if ((!before.is_suspended || !after.is_suspended) && old_time != new_time) {
        errors.push_back(
            api::FieldError::immutable(label_path(api::label::kMaxExecTimeSeconds), new_time)
        );
    }
    append(
        errors, validate_priority_class_change(before.metadata, after.metadata, after.is_suspended)
    );
    const bool is_elastic = asks_to_be_elastic(after.metadata, gates);
    if (asks_to_be_elastic(before.metadata, gates) != is_elastic) {
        errors.push_back(
            api::FieldError::immutable(annotation_path(api::annotation::kElasticJob), is_elastic)
        );
    }
    if (gates.is_enabled(Feature::AdmissionGatedBy)) {
        append(errors, validate_admission_gates_update(before.metadata, after.metadata));
    }
    return errors;
}

}  // namespace sluice::validation
