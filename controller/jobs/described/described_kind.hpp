#pragma once

#include "controller/jobs/job/generic_job.hpp"
#include "job_kinds/description.hpp"
#include "job_kinds/schema.hpp"
#include "kube/core/kind.hpp"

#include <memory>

namespace sluice::controller {

/// Whether the pod templates of the kind are in its objects as they are stored, or are made of them
/// by what is added to its description.
job_kinds::PodSetSource pod_set_source(const job_kinds::Description& description);

/// The names of the described kind, for requests.
std::shared_ptr<const kube::RunTimeKind> names_of(const job_kinds::Description& description);

/// A kind of jobs that behaves as its description says; of a framework that needs more than a
/// description can say, with what is added to it here. `names`: as names_of() made them.
std::shared_ptr<const JobKind> make_described_kind(
    std::shared_ptr<const job_kinds::Description> description,
    std::shared_ptr<const kube::RunTimeKind> names,
    bool is_by_user = false
);

}  // namespace sluice::controller
