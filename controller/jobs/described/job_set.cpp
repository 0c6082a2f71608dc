#include "controller/jobs/described/job_set.hpp"

#include "controller/jobs/described/restarts.hpp"
#include "controller/jobs/described/startup_order.hpp"

namespace sluice::controller {

namespace {

const JobSetPaths& job_set_paths() {
    static const JobSetPaths kPaths{
        .spec = *job_kinds::Path::compile("spec"),
        .statuses = *job_kinds::Path::compile("status.replicatedJobsStatus"),
    };
    return kPaths;
}

}  // namespace

void JobSet::keep_released(json::Value& document) const {
    keep_released_jobs(document, job_set_paths());
}

bool JobSet::starts_in_order() const {
    const auto document = source();
    return document && has_startup_order(**document, job_set_paths());
}

std::vector<api::ReclaimablePod> JobSet::reclaimable_pods(const api::Workload& workload) const {
    const auto document = source();
    const json::Value* spec = document ? (*document)->find("spec") : nullptr;
    if (spec != nullptr && may_restart(*spec, (*document)->find("status"))) {
        return {};
    }
    return DescribedJob::reclaimable_pods(workload);
}

}  // namespace sluice::controller
