#pragma once

#include "apiserver/types/request.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// Whether the client wants a Table (`as=Table;v=v1;g=meta.k8s.io`), as kubectl get does.
bool wants_table(const Request& request);

/// The objects as rows of meta.k8s.io/v1 Table, with the columns of their kind. `list_metadata`:
/// resourceVersion and continue. `include`: None, Metadata or Object, of each row.
json::Value make_table(
    const ResourceType& type,
    const std::vector<json::Value>& objects,
    json::Value list_metadata,
    std::string_view include,
    Time now
);

/// How long ago, as kubectl has it: 5s, 3m20s, 4h, 2d.
std::string age(Duration duration);

/// The cell of a column with that type; null if the object has no value of that type.
json::Value column_cell(const std::string& type, const json::Value* value, Time now);

}  // namespace sluice::apiserver
