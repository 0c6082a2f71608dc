#include "api/core/job.hpp"

namespace sluice::api {

const TypeInfo& JobSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&JobSpec::parallelism>("parallelism"),
                field<&JobSpec::completions>("completions"),
                field<&JobSpec::active_deadline_seconds>("activeDeadlineSeconds"),
                field<&JobSpec::backoff_limit>("backoffLimit"),
                field<&JobSpec::selector>("selector"),
                field<&JobSpec::manual_selector>("manualSelector"),
                field<&JobSpec::template_>("template", "R"),
                field<&JobSpec::ttl_seconds_after_finished>("ttlSecondsAfterFinished"),
                field<&JobSpec::completion_mode>("completionMode"),
                field<&JobSpec::suspend>("suspend"),
                field<&JobSpec::managed_by>("managedBy"),
            },
    };
    return kInfo;
}

const TypeInfo& UncountedTerminatedPods::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&UncountedTerminatedPods::succeeded>("succeeded"),
                field<&UncountedTerminatedPods::failed>("failed"),
            },
    };
    return kInfo;
}

const TypeInfo& JobStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&JobStatus::conditions>("conditions"),
                field<&JobStatus::start_time>("startTime"),
                field<&JobStatus::completion_time>("completionTime"),
                field<&JobStatus::active>("active"),
                field<&JobStatus::succeeded>("succeeded"),
                field<&JobStatus::failed>("failed"),
                field<&JobStatus::terminating>("terminating"),
                field<&JobStatus::ready>("ready"),
                field<&JobStatus::completed_indexes>("completedIndexes"),
                field<&JobStatus::failed_indexes>("failedIndexes"),
                field<&JobStatus::uncounted_terminated_pods>("uncountedTerminatedPods"),
            },
    };
    return kInfo;
}

const TypeInfo& Job::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Job::metadata>("metadata"),
                field<&Job::spec>("spec"),
                field<&Job::status>("status"),
            },
        .kind = kKind,
        .api_version = "batch/v1",
    };
    return kInfo;
}

}  // namespace sluice::api
