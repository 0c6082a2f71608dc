#pragma once

#include "controller/kinds/kind_entry.hpp"

#include <memory>

namespace sluice::controller {

/// trainings.example.com: a made-up kind of jobs with a suspend field, made at run time as a user's
/// would be. `spec` has suspend, replicas and a pod template; `status` has active and a phase,
/// which ends as Succeeded or Failed.
std::shared_ptr<const kube::RunTimeKind> training_names();

/// An entry for it, to be added to a registry.
KindEntry training_kind();

}  // namespace sluice::controller
