#include "controller/process/conversion_publication.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

const json::Value* find_client_config(const json::Value& definition) {
    return definition.find_path({"spec", "conversion", "webhook", "clientConfig"});
}

/// What kubectl says that it applied, with our address in it; nothing when it need not change.
std::optional<std::string> make_last_applied(
    const json::Value& definition, const json::Value& wanted
) {
    const json::Value* text = definition.find_path({"metadata", "annotations", kLastApplied});
    auto applied = text != nullptr && text->is_string() ? json::parse(text->as_string())
                                                        : Result<json::Value>(json::Value());
    json::Value* config = applied ? &*applied : nullptr;
    for (const std::string_view part : {"spec", "conversion", "webhook", "clientConfig"}) {
        config = config == nullptr ? nullptr : config->find(part);
    }
    if (config == nullptr || !config->is_object()) {
        return std::nullopt;
    }
    // The authority stays out: what was applied and is not any more would be taken away.
    json::Value address = wanted;
    address.erase("caBundle");
    if (serving::is_same_client_config(config, address)) {
        return std::nullopt;
    }
    for (const auto& [key, value] : address.as_object()) {
        if (value.is_null()) {
            config->erase(key);
        } else {
            config->set(key, value);
        }
    }
    return json::print(*applied);
}

}  // namespace

Result<void> check_webhook_host(const config::Webhook& webhook, bool in_cluster) {
    if (in_cluster || !serving::is_any_address(webhook.host)) {
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
    const json::Value wanted = serving::make_client_config(own, kConversionPath);
    json::Value metadata = json::Object{};
    if (const json::Value* version = definition.find_path({"metadata", "resourceVersion"})) {
        metadata.set("resourceVersion", *version);
    }
    const auto last_applied = make_last_applied(definition, wanted);
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
