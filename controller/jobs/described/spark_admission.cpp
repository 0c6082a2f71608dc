#include "controller/jobs/described/spark_admission.hpp"

#include "validation/job_rules.hpp"

#include <string_view>

namespace sluice::controller {

bool SparkAdmission::is_judged_on_update(
    const GenericJob& before, const GenericJob& after, const AdmissionContext& context
) const {
    return is_judged_where_queued(before, after, context);
}

FirstRules SparkAdmission::validate_first(const GenericJob& job, const AdmissionContext& context)
    const {
    if (!context.settings.manage_jobs_without_queue_name && !names_queue(job)) {
        return {};
    }
    FirstRules rules;
    const json::Value& application = described(job).value();
    const json::Value* mode = application.find_path({"spec", "mode"});
    const json::Value said = mode != nullptr && mode->is_string() ? *mode : json::Value("");
    if (said != json::Value("cluster")) {
        rules.errors.push_back(api::FieldError::invalid(
            "spec.mode", said, "only Cluster mode is supported for a kueue managed job"
        ));
    }
    const json::Value* is_dynamic = application.find_path({"spec", "dynamicAllocation", "enabled"});
    if (is_dynamic != nullptr && *is_dynamic == json::Value(true) &&
        !validation::asks_to_be_elastic(job.metadata(), context.gates)) {
        rules.errors.push_back(api::FieldError::invalid(
            "spec.dynamicAllocation.enabled",
            true,
            "a kueue managed job can use dynamicAllocation only when the "
            "ElasticJobsViaWorkloadSlices feature gate is on and the job is an elastic job"
        ));
    }
    return rules;
}

}  // namespace sluice::controller
