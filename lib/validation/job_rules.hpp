// Validates the labels and annotations that jobs of all kinds have.
#pragma once

#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"
#include "config/feature_gates.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// Rules of the labels and annotations that jobs of all kinds have.
namespace sluice::validation {

/// The parts of a job that these rules check. *Lifetime*: refers to the object's metadata.
struct JobFacts {
    const api::ObjectMeta& metadata;
    std::string group_version_kind;  ///< name of the kind in errors. Example: batch/v1, Kind=Job
    bool is_suspended = false;
    bool may_be_prebuilt = false;  ///< the kind can use a prebuilt Workload
    bool may_be_elastic = false;   ///< the kind can grow and shrink by workload slices (KEP-77)
};

/// Returns true if the job asks to grow and shrink by workload slices, whether its kind can or not.
bool asks_to_be_elastic(const api::ObjectMeta& job, const config::FeatureGates& gates);

/// Returns the name of the job's prebuilt Workload; empty if it has none. The annotation takes
/// precedence over the label. Without gate WorkloadIdentifierAnnotations (`by_annotation` is
/// false), it does so only if it is too long for a label. *Lifetime*: refers to the metadata.
std::string_view prebuilt_workload_name(const api::ObjectMeta& job, bool by_annotation);

/// Validates the label with the name of the LocalQueue.
api::FieldErrors validate_queue_name(const api::ObjectMeta& job);
/// Rejects the annotation of elastic jobs if the kind cannot be elastic.
api::FieldErrors validate_elastic(
    const api::ObjectMeta& job,
    const std::string& group_version_kind,
    bool may_be_elastic,
    const config::FeatureGates& gates
);
/// Validates a change of the label of the WorkloadPriorityClass.
api::FieldErrors validate_priority_class_change(
    const api::ObjectMeta& before, const api::ObjectMeta& after, bool is_suspended
);

/// Validates a new job: names, execution time and admission gates.
api::FieldErrors validate(const JobFacts& job, const config::FeatureGates& gates);

/// Says if the namespace has a LocalQueue for jobs that do not name one.
enum class DefaultQueue : std::uint8_t { Absent, Present };

/// Validates a changed job: some labels and annotations are immutable, most of them while the job
/// runs.
api::FieldErrors validate_update(
    const JobFacts& before,
    const JobFacts& after,
    DefaultQueue default_queue,
    const config::FeatureGates& gates
);

}  // namespace sluice::validation
