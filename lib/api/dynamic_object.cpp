#include "api/dynamic_object.hpp"

namespace sluice::api {

std::string_view DynamicObject::group() const {
    const auto text = api_version();
    const auto slash = text.find('/');
    return slash == std::string_view::npos ? std::string_view() : text.substr(0, slash);
}

std::string_view DynamicObject::version() const {
    const auto text = api_version();
    const auto slash = text.find('/');
    return slash == std::string_view::npos ? text : text.substr(slash + 1);
}

Result<ObjectMeta> DynamicObject::metadata() const {
    const auto* metadata = value.find("metadata");
    if (metadata == nullptr) {
        return ObjectMeta{};
    }
    auto decoded = from_value<ObjectMeta>(*metadata);
    if (!decoded) {
        return with_context(decoded.error(), "metadata");
    }
    return decoded;
}

std::string_view DynamicObject::metadata_at(std::string_view key) const {
    const auto* metadata = value.find("metadata");
    return metadata == nullptr ? std::string_view() : metadata->string_at(key);
}

}  // namespace sluice::api
