// Creates a kind of jobs from its description.
#pragma once

#include "controller/jobs/job/generic_job.hpp"
#include "job_kinds/description.hpp"
#include "job_kinds/schema.hpp"
#include "kube/core/kind.hpp"

#include <memory>

namespace sluice::controller {

/// Returns where the kind's pod templates are: in its objects as they are stored, or in documents
/// that code derives from them.
job_kinds::PodSetSource pod_set_source(const job_kinds::Description& description);

/// Returns the names of the described kind, for requests.
std::shared_ptr<const kube::RunTimeKind> names_of(const job_kinds::Description& description);

/// Returns a kind of jobs that behaves as its description says. Frameworks that need more than a
/// description also get the code in this folder. `names`: the result of names_of().
std::shared_ptr<const JobKind> make_described_kind(
    std::shared_ptr<const job_kinds::Description> description,
    std::shared_ptr<const kube::RunTimeKind> names,
    bool is_by_user = false
);

}  // namespace sluice::controller
