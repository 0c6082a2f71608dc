#include "controller/process/webhooks/aggregation_publication.hpp"

#include <utility>

namespace sluice::controller {

namespace {

bool is_checked(const json::Value& api_service) {
    const json::Value* skips = api_service.find_path({"spec", "insecureSkipTLSVerify"});
    return skips == nullptr || *skips != json::Value(true);
}

bool leads_to_us(const json::Value& api_service, const serving::WebhookAddress& own) {
    const json::Value* service = api_service.find_path({"spec", "service"});
    return service != nullptr && service->is_object() &&
           service->string_at("name") == kVisibilityService &&
           service->string_at("namespace") == own.service_namespace;
}

}  // namespace

std::vector<std::string> visibility_names(const config::Configuration& configuration) {
    const std::string service = std::string(kVisibilityService) + "." + configuration.namespace_;
    return {service, service + ".svc", service + ".svc.cluster.local"};
}

std::optional<json::Value> aggregation_patch(
    const json::Value& api_service, const serving::WebhookAddress& own
) {
    if (own.authority_pem.empty() || !leads_to_us(api_service, own) || !is_checked(api_service)) {
        return std::nullopt;
    }
    const json::Value& spec = *api_service.find("spec");
    const std::string present(spec.string_at("caBundle"));
    std::string wanted = serving::make_ca_bundle(present, own);
    if (wanted == present) {
        return std::nullopt;
    }
    json::Value metadata = json::Object{};
    if (const json::Value* version = api_service.find_path({"metadata", "resourceVersion"})) {
        metadata.set("resourceVersion", *version);
    }
    json::Value trust = json::Object{{"caBundle", std::move(wanted)}};
    return json::Value(json::Object{{"metadata", std::move(metadata)}, {"spec", std::move(trust)}});
}

}  // namespace sluice::controller
