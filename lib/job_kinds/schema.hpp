#pragma once

#include "job_kinds/description.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::job_kinds {

/// Where the pod sets of a description are found.
enum class PodSetSource : std::uint8_t {
    Object,   ///< in the object as it is stored
    Derived,  ///< in what is made of it
};

/// The schema of the kind in the OpenAPI document of its group and version, as the API server
/// publishes it; nullptr: it has none.
const json::Value* find_schema(const json::Value& open_api, const Description& description);

/// The paths of the description that lead nowhere in objects of that schema, each once, in their
/// order there: nobody can write these fields. What the schema leaves open is taken to be there.
std::vector<std::string> find_unknown_paths(
    const Description& description, PodSetSource pod_sets, const json::Value& schema
);

}  // namespace sluice::job_kinds
