// The runtimes that TrainJobs refer to.
#pragma once

#include "json/value.hpp"
#include "kube/core/kind.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// The kinds from which TrainJobs take their pods.
namespace sluice::controller {

/// Returns the kind TrainingRuntime, which is namespaced.
std::shared_ptr<const kube::RunTimeKind> training_runtime_names();
/// Returns the kind ClusterTrainingRuntime.
std::shared_ptr<const kube::RunTimeKind> cluster_training_runtime_names();

/// Returns the runtime that a TrainJob in namespace `ns` refers to; nullopt if it refers to another
/// kind.
std::optional<kube::ObjectKey> runtime_of(const json::Value& train_job, std::string_view ns);

/// Returns the kind that the TrainJob refers to, for messages. Example: Kind.group
std::string kind_of_runtime(const json::Value& train_job);

}  // namespace sluice::controller
