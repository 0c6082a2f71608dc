// Derives the pods that the Spark operator creates for a SparkApplication.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string_view>

namespace sluice::job_kinds {

/// The role of a pod of a SparkApplication.
enum class SparkRole : std::uint8_t { Driver, Executor };

/// Returns the role as the object spells it. Example: driver
std::string_view to_string(SparkRole role);

/// Returns the pod template that the Spark operator makes for a role of a SparkApplication, with
/// the fields that affect its quota and placement. Errors: Invalid with the amount that cannot be
/// read.
Result<json::Value> make_spark_pod(const json::Value& application, SparkRole role);

/// Returns the node labels that pods of the role need. Labels of the whole application take
/// precedence over those of the role. Returns nullptr if neither is set.
const json::Value* spark_node_selector(const json::Value& application, SparkRole role);

}  // namespace sluice::job_kinds
