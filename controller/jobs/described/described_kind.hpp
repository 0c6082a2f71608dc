#pragma once

#include "controller/jobs/generic_job.hpp"
#include "job_kinds/description.hpp"
#include "kube/core/kind.hpp"

#include <memory>

namespace sluice::controller {

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
