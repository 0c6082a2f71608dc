// Finds the fields of a description that the schema of its kind lacks.
#pragma once

#include "job_kinds/description.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::job_kinds {

/// The object that has the pod sets of a description.
enum class PodSetSource : std::uint8_t {
    Object,   ///< in the object as it is stored
    Derived,  ///< in an object derived from it
};

/// Returns the schema of the kind in the OpenAPI document of its group and version, as the API
/// server publishes it; nullptr if the document does not have it.
const json::Value* find_schema(const json::Value& open_api, const Description& description);

/// Returns the paths of the description that objects of the schema cannot have, without duplicates,
/// in the order of the description. A path into a part that the schema leaves open counts as
/// possible.
std::vector<std::string> find_unknown_paths(
    const Description& description, PodSetSource pod_sets, const json::Value& schema
);

}  // namespace sluice::job_kinds
