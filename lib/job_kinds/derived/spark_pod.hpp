#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string_view>

namespace sluice::job_kinds {

/// What a pod of a SparkApplication does.
enum class SparkRole : std::uint8_t { Driver, Executor };

/// As the object spells it. Example: driver
std::string_view to_string(SparkRole role);

/// The pod template that the Spark operator makes of the role of a SparkApplication, as far as it
/// counts for its quota and its place. Errors: Invalid naming an amount that cannot be read.
Result<json::Value> make_spark_pod(const json::Value& application, SparkRole role);

/// The node labels that pods of the role need: those of the whole application go before those of
/// the role. nullptr: none.
const json::Value* spark_node_selector(const json::Value& application, SparkRole role);

}  // namespace sluice::job_kinds
