#pragma once

#include "apiserver/core.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

/// From a request's body to an object.
namespace sluice::apiserver {

/// A body, and the members that stand twice in it, as paths in the words of strict decoding.
struct ParsedBody {
    json::Value value;
    std::vector<std::string> duplicates;
};

/// Reads JSON, or YAML where the Content-Type says so. Errors: 400, 413 and 415 in the words of the
/// API server; `kind` is what is expected.
Result<ParsedBody> parse_body(const Core& core, const Request& request, std::string_view kind);

/// The object in the body of a request to a resource itself (not to a subresource of another
/// kind): of the right kind, namespace and name, without unknown fields, with defaults.
/// Errors: 400, 413, 415.
Result<json::Value> decode_object(const Core& core, Scope& scope);

/// The same for a tree, as it comes out of a patch or a webhook: unknown fields are told or refused
/// as the request wants it (`reports_unknown`), or just dropped.
Result<void> normalize_object(
    Scope& scope, json::Value& object, bool reports_unknown, std::vector<std::string> duplicates = {}
);

/// Checks that namespace and name in the object are those of the URL; fills in the namespace.
Result<void> match_url(const Scope& scope, json::Value& object, bool checks_name);

}  // namespace sluice::apiserver
