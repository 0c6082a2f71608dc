#pragma once

#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"
#include "config/feature_gates.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// Rules of the labels and annotations that are the same on jobs of all kinds.
namespace sluice::validation {

/// A job as these rules see it. Lifetime: refers to the object's metadata.
struct JobFacts {
    const api::ObjectMeta& metadata;
    std::string group_version_kind;  ///< as errors name it. Example: batch/v1, Kind=Job
    bool is_suspended = false;
    bool may_be_prebuilt = false;  ///< the kind takes a Workload made beforehand
    bool may_be_elastic = false;   ///< the kind grows and shrinks by workload slices (KEP-77)
};

/// Whether it asks to grow and shrink by workload slices, whatever its kind.
bool asks_to_be_elastic(const api::ObjectMeta& job, const config::FeatureGates& gates);

/// The Workload that was made for the job beforehand, "": none. The annotation names it before the
/// label does; without gate WorkloadIdentifierAnnotations (`by_annotation`) only where it is too
/// long for a label. Lifetime: that of the metadata.
std::string_view prebuilt_workload_name(const api::ObjectMeta& job, bool by_annotation);

/// The label of the LocalQueue.
api::FieldErrors validate_queue_name(const api::ObjectMeta& job);
/// Whether its kind may be what the annotation of elastic jobs asks for.
api::FieldErrors validate_elastic(
    const api::ObjectMeta& job,
    const std::string& group_version_kind,
    bool may_be_elastic,
    const config::FeatureGates& gates
);
/// What the label of the WorkloadPriorityClass may not become.
api::FieldErrors validate_priority_class_change(
    const api::ObjectMeta& before, const api::ObjectMeta& after, bool is_suspended
);

/// Names, times and gates of a new job.
api::FieldErrors validate(const JobFacts& job, const config::FeatureGates& gates);

/// Whether the namespace has a LocalQueue that jobs get which name none.
enum class DefaultQueue : std::uint8_t { Absent, Present };

/// What of a job may not change, most of it while the job runs.
api::FieldErrors validate_update(
    const JobFacts& before,
    const JobFacts& after,
    DefaultQueue default_queue,
    const config::FeatureGates& gates
);

}  // namespace sluice::validation
