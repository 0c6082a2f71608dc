#pragma once

#include "json/value.hpp"

#include <string_view>

namespace sluice::controller {

/// Who Kueue's entry in spec.runtimePatches of a TrainJob belongs to.
inline constexpr std::string_view kPatchManager = "kueue.x-k8s.io/manager";

/// The replicated Jobs of the JobSet that Trainer makes of a TrainJob and its runtime, as far as
/// they count for its quota and its place: the runtime's, patched by spec.runtimePatches, with what
/// initializer and trainer say, and with as many pods as there are nodes.
json::Array make_replicated_jobs(const json::Value& train_job, const json::Value& runtime);

}  // namespace sluice::controller
