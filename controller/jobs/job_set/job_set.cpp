#include "controller/jobs/job_set/job_set.hpp"

#include "controller/jobs/job_set/startup_order.hpp"

namespace sluice::controller {

void JobSet::keep_released(json::Value& document) const {
    static const JobSetPaths paths{
        .spec = *job_kinds::Path::compile("spec"),
        .statuses = *job_kinds::Path::compile("status.replicatedJobsStatus"),
    };
    keep_released_jobs(document, paths);
}

}  // namespace sluice::controller
