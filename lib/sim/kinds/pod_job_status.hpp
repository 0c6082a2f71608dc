// Makes the status of a job from the simulation of its kind.
#pragma once

#include "json/value.hpp"
#include "sim/kinds/pod_job.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::sim {

/// The values of placeholders.
using Placeholders = std::vector<std::pair<std::string_view, std::string>>;

/// Returns the placeholders that are values of an object: {name}, {Kind} and {kind}.
Placeholders placeholders_of(const json::Value& object);
/// Returns the text with its placeholders replaced.
std::string fill_in(std::string_view text, const Placeholders& placeholders);

/// Returns the new status of the job.
json::Value make_status(const PodJob& job);

}  // namespace sluice::sim
