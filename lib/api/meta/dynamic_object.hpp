// Objects of kinds that are not known at build time: typed metadata and the whole JSON.
#pragma once

#include "api/meta/codec.hpp"
#include "api/meta/meta.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::api {

/// An object of a kind that is not known at build time: its metadata, and the whole object as JSON.
/// json::Value::find_path() follows paths of member names in it.
struct DynamicObject {
    ObjectMeta metadata;
    json::Value value;  ///< the whole object, metadata included

    /// Errors: Invalid if the value is not an object, or with the path of a field of the metadata.
    static Result<DynamicObject> make(json::Value value);

    friend bool operator==(const DynamicObject&, const DynamicObject&) = default;
};

/// Returns the object with all of its fields. Errors: as DynamicObject::make, and malformed JSON.
template <>
Result<DynamicObject> decode<DynamicObject>(std::string_view json, const DecodeOptions& options);

}  // namespace sluice::api
