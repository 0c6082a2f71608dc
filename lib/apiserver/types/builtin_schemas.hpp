// OpenAPI schemas of Kubernetes' own kinds, and the OpenAPI v3 documents made of them.
#pragma once

#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// A kind as an OpenAPI document describes it.
struct OpenApiKind {
    std::string group;
    std::string version;
    std::string kind;
    std::string plural;
    bool namespaced = true;
    std::vector<std::string> subresources;  ///< such as status, scale
    /// The schema; for a custom kind without apiVersion, kind and metadata.
    json::Value schema;
};

/// Returns the compiled schema of a built-in kind; nullptr if the kind is unknown. Cost: the first
/// call for a kind in a thread compiles the schema; the thread keeps it.
std::shared_ptr<const Schema> builtin_schema(
    std::string_view group, std::string_view version, std::string_view kind
);

/// Returns all built-in kinds that have a schema. Their member `schema` is not set.
const std::vector<OpenApiKind>& builtin_kinds();

/// Returns the OpenAPI v3 document of a group version: the components of its built-in kinds and of
/// the `custom` kinds, and the paths by which kubectl finds kinds and supported parameters.
json::Value open_api_document(
    std::string_view group, std::string_view version, const std::vector<OpenApiKind>& custom = {}
);

}  // namespace sluice::apiserver
