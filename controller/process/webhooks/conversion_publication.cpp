#include "controller/process/webhooks/conversion_publication.hpp"

#include "controller/process/webhooks/last_applied.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::controller {

namespace {

const json::Value* find_client_config(const json::Value& definition) {
    return definition.find_path({"spec", "conversion", "webhook", "clientConfig"});
}

/// Changes the address in the last-applied annotation. Leaves out the CA: `kubectl apply` would
/// remove fields that were applied and are missing in the next manifest.
bool set_applied_address(json::Value& applied, json::Value wanted) {
    json::Value* config = &applied;
    for (const std::string_view part : {"spec", "conversion", "webhook", "clientConfig"}) {
        config = config == nullptr ? nullptr : config->find(part);
    }
    wanted.erase("caBundle");
    if (config == nullptr || !config->is_object() ||
        serving::is_same_client_config(config, wanted)) {
        return false;
    }
    for (const auto& [key, value] : wanted.as_object()) {
        if (value.is_null()) {
            config->erase(key);
        } else {
            config->set(key, value);
        }
    }
    return true;
}

}  // namespace

bool names_own_address(const config::Webhook& webhook) {
    return !serving::is_any_address(webhook.host);
}

Result<void> check_webhook_host(const config::Webhook& webhook, bool in_cluster) {
    if (in_cluster || names_own_address(webhook)) {
        return {};
    }
    return make_invalid(fmt::format(
        "webhook.host is \"{}\": outside a cluster it must be the address of this machine at which "
        "the API server reaches the conversion webhook",
        webhook.host
    ));
}

std::optional<serving::PublishedWebhook> find_other_conversion(
    const json::Value& definition, const serving::WebhookAddress& own
) {
    return serving::find_other_webhook(find_client_config(definition), own, kConversionPath);
}

std::optional<json::Value> publication_patch(
    const json::Value& definition, const serving::WebhookAddress& own
) {
    const json::Value wanted =
        serving::make_client_config(find_client_config(definition), own, kConversionPath);
    json::Value metadata = json::Object{};
    if (const json::Value* version = definition.find_path({"metadata", "resourceVersion"})) {
        metadata.set("resourceVersion", *version);
    }
    const auto last_applied = change_last_applied(definition, [&wanted](json::Value& applied) {
        return set_applied_address(applied, wanted);
    });
    if (last_applied) {
        metadata.set("annotations", json::Object{{std::string(kLastApplied), *last_applied}});
    } else if (serving::is_same_client_config(find_client_config(definition), wanted)) {
        return std::nullopt;
    }
    json::Value webhook = json::Object{
        {"clientConfig", wanted},
        {"conversionReviewVersions", json::Array{json::Value("v1")}},
    };
    json::Value conversion = json::Object{{"strategy", "Webhook"}, {"webhook", std::move(webhook)}};
    return json::Value(json::Object{
        {"metadata", std::move(metadata)},
        {"spec", json::Object{{"conversion", std::move(conversion)}}},
    });
}

}  // namespace sluice::controller
