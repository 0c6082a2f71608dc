#pragma once

#include "apiserver/objects/cause.hpp"
#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// What one request of a recorded scenario comes to.
struct Outcome {
    json::Value object;         ///< what is stored; null: it was refused
    std::vector<Cause> causes;  ///< why it was refused as invalid
    std::string message;        ///< why it was refused otherwise
};

/// The kind that a scenario is about.
struct RecordedKind {
    std::string group;
    std::string version;
    std::string kind;
    bool namespaced = true;
    std::shared_ptr<const Schema> schema;

    std::string api_version() const { return group.empty() ? version : group + "/" + version; }
    bool is_custom() const { return !schema->is_builtin; }
};

/// Takes a request through the functions of the library in the order of the API server. `live` is
/// the object as it is stored, or null; `reply` lends what only a store knows: uid, times.
Outcome run_request(
    const RecordedKind& kind,
    const json::Value& step,
    const json::Value& live,
    const json::Value& reply,
    const std::string& now
);

}  // namespace sluice::apiserver
