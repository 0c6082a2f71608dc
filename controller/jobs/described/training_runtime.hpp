#pragma once

#include "json/value.hpp"
#include "kube/core/kind.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// What TrainJobs take their pods from.
namespace sluice::controller {

/// TrainingRuntime, of a namespace.
std::shared_ptr<const kube::RunTimeKind> training_runtime_names();
/// ClusterTrainingRuntime.
std::shared_ptr<const kube::RunTimeKind> cluster_training_runtime_names();

/// The runtime that a TrainJob of that namespace refers to; none: no kind of that name is one.
std::optional<kube::ObjectKey> runtime_of(const json::Value& train_job, std::string_view ns);

/// The kind that it refers to, as messages name it. Example: Kind.group
std::string kind_of_runtime(const json::Value& train_job);

}  // namespace sluice::controller
