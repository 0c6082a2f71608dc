#pragma once

#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// A kind as it stands in an OpenAPI document.
struct OpenApiKind {
    std::string group;
    std::string version;
    std::string kind;
    std::string plural;
    bool namespaced = true;
    std::vector<std::string> subresources;  ///< such as status, scale
    /// The schema without apiVersion, kind and metadata where it is that of a CRD.
    json::Value schema;
};

/// The compiled schema of a built-in kind; nullptr: there is none. Compiled when first asked for,
/// kept as long as its thread.
std::shared_ptr<const Schema> builtin_schema(
    std::string_view group, std::string_view version, std::string_view kind
);

/// All built-in kinds that have a schema, without the schema itself.
const std::vector<OpenApiKind>& builtin_kinds();

/// The OpenAPI v3 document of a group version: components of its built-in kinds and of `custom`
/// kinds, and the paths by which kubectl finds kinds and knows which parameters are served.
json::Value open_api_document(
    std::string_view group, std::string_view version, const std::vector<OpenApiKind>& custom = {}
);

}  // namespace sluice::apiserver
