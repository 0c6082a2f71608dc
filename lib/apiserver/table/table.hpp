// Answers to `kubectl get`: objects as the rows of a Table.
#pragma once

#include "apiserver/types/request.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// Returns true if the client asks for a Table (`as=Table;v=v1;g=meta.k8s.io`), as kubectl get
/// does.
bool wants_table(const Request& request);

/// Returns the objects as rows of a meta.k8s.io/v1 Table, with the columns of their kind.
/// `list_metadata`: resourceVersion and continue. `include`: None, Metadata or Object, the part of
/// the object that each row contains.
json::Value make_table(
    const ResourceType& type,
    const std::vector<json::Value>& objects,
    json::Value list_metadata,
    std::string_view include,
    Time now
);

/// Prints a duration as kubectl does: 5s, 3m20s, 4h, 2d.
std::string age(Duration duration);

/// Returns the cell of a column of that type; null if the object has no value of that type.
json::Value column_cell(const std::string& type, const json::Value* value, Time now);

}  // namespace sluice::apiserver
