#include "apiserver/write_context.hpp"

#include <algorithm>

namespace sluice::apiserver {

WriteContextSource::WriteContextSource(const Core& core, const Scope& scope) {
    const auto resource = scope.resource;
    context_.manager = scope.manager();
    context_.api_version = scope.api_version();
    context_.subresource = scope.subresource_name();
    context_.now = core.timestamp();
    context_.reset = reset_fields_of(
        resource->group,
        resource->kind,
        scope.subresource_name(),
        scope.version->subresource("status") != nullptr
    );
    if (resource->versions.size() < 2) {
        return;
    }
    versions_.schema = [resource](std::string_view api_version) -> std::shared_ptr<const Schema> {
        const auto at = std::ranges::find_if(resource->versions, [&](const auto& version) {
            return resource->api_version(version.name) == api_version;
        });
        return at == resource->versions.end() ? nullptr : schema_of(*resource, *at);
    };
    versions_.convert =
        [resource](const json::Value& object, std::string_view api_version) -> Result<json::Value> {
        if (!resource->conversion_webhook.is_null()) {
            return make_invalid("ownership in other versions needs a conversion by the webhook");
        }
        json::Value converted = object;
        converted.set("apiVersion", api_version);
        return converted;
    };
    context_.versions = &versions_;
}

}  // namespace sluice::apiserver
