#pragma once

#include "api/meta/codec.hpp"
#include "api/meta/meta.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::api {

/// An object of a kind that is not known when Sluice is built: its metadata, and all of it as JSON,
/// in which paths of member names are followed (json::Value::find_path).
struct DynamicObject {
    ObjectMeta metadata;
    json::Value value;  ///< the whole object, metadata included

    /// Errors: Invalid when it is no object, or with the path of a field of the metadata.
    static Result<DynamicObject> make(json::Value value);

    std::string_view api_version() const { return value.string_at("apiVersion"); }
    std::string_view kind() const { return value.string_at("kind"); }

    friend bool operator==(const DynamicObject&, const DynamicObject&) = default;
};

/// The object with all of its fields. Errors: as DynamicObject::make, and of malformed JSON.
template <>
Result<DynamicObject> decode<DynamicObject>(std::string_view json, const DecodeOptions& options);

/// The object as it was read.
json::Value to_value(const DynamicObject& object);

}  // namespace sluice::api
