#include "api/meta/dynamic_object.hpp"

#include <utility>

namespace sluice::api {

Result<DynamicObject> DynamicObject::make(json::Value value) {
    if (!value.is_object()) {
        return make_invalid("the object is not a JSON object");
    }
    DynamicObject object;
    if (const json::Value* metadata = value.find("metadata")) {
        auto decoded = from_value<ObjectMeta>(*metadata);
        if (!decoded) {
            return with_context(decoded.error(), "metadata");
        }
        object.metadata = std::move(*decoded);
    }
    object.value = std::move(value);
    return object;
}

template <>
Result<DynamicObject> decode<DynamicObject>(std::string_view json, const DecodeOptions& options) {
    auto value = json::parse(json, options.limits);
    if (!value) {
        return value.error();
    }
    if (json::Value* metadata = value->find("metadata")) {
        metadata->erase("managedFields");  // often as large as all other fields, and never read
    }
    return DynamicObject::make(std::move(*value));
}

}  // namespace sluice::api
