#pragma once

#include "apiserver/resource.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// The cells of an object's row, one for each column of its resource: of a built-in kind as the API
/// server computes them, of a custom one what the column's JSONPath finds.
json::Array table_cells(
    const Resource& resource, const ResourceVersion& version, const json::Value& object, Time now
);

}  // namespace sluice::apiserver
