#include "controller/jobs/job/job_problem.hpp"

#include "api/kueue/kueue_names.hpp"
#include "base/assert.hpp"

namespace sluice::controller {

std::string_view to_string(JobProblem::Reason reason) {
    switch (reason) {
        case JobProblem::Reason::InvalidSpec:
            return api::reason::kInvalidSpec;
        case JobProblem::Reason::WorkloadPriorityClassNotFound:
            return api::reason::kWorkloadPriorityClassNotFound;
        case JobProblem::Reason::PriorityClassNotFound:
            return api::reason::kPriorityClassNotFound;
        case JobProblem::Reason::FlavorNotFound:
            return api::reason::kFlavorNotFound;
        case JobProblem::Reason::PrebuiltWorkloadNotFound:
            return api::reason::kPrebuiltWorkloadNotFound;
        case JobProblem::Reason::OwnerNotFound:
            return api::reason::kOwnerNotFound;
        case JobProblem::Reason::NestingTooDeep:
            return api::reason::kJobNestingTooDeep;
        case JobProblem::Reason::IncompleteGroup:
            return api::reason::kErrWorkloadCompose;
        case JobProblem::Reason::InconsistentGroup:
        case JobProblem::Reason::UnreadableGroup:
            return {};
    }
    return {};
}

void throw_exception_from_error(const JobProblem& problem, const boost::source_location& where) {
    assertion_failed(problem.detail.c_str(), where.file_name(), static_cast<int>(where.line()));
}

}  // namespace sluice::controller
