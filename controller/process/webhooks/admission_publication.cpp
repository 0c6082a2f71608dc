#include "controller/process/webhooks/admission_publication.hpp"

#include "controller/process/webhooks/last_applied.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace sluice::controller {

namespace {

/// Returns the path of a clientConfig with a Service or a URL; "" if it has none.
std::string service_path(const json::Value& client_config) {
    if (const json::Value* service = client_config.find("service")) {
        return std::string(service->string_at("path"));
    }
    const auto url = serving::parse_https_url(std::string(client_config.string_at("url")));
    return url ? url->path : std::string();
}

/// Sets this address in every entry. Returns true if anything changed. If `with_authority` is
/// false, caBundle is left out.
bool set_address(
    json::Value& configuration, const serving::WebhookAddress& own, bool with_authority
) {
    json::Value* webhooks = configuration.find("webhooks");
    if (webhooks == nullptr || !webhooks->is_array()) {
        return false;
    }
    bool has_changed = false;
    for (json::Value& webhook : webhooks->as_array()) {
        json::Value* config = webhook.find("clientConfig");
        const std::string path = config == nullptr ? std::string() : service_path(*config);
        if (path.empty()) {
            continue;
        }
        json::Value wanted = serving::make_client_config(config, own, path);
        if (!with_authority) {
            wanted.erase("caBundle");
        }
        if (serving::is_same_client_config(config, wanted)) {
            continue;
        }
        for (const auto& [key, value] : wanted.as_object()) {
            if (value.is_null()) {
                config->erase(key);
            } else {
                config->set(key, value);
            }
        }
        has_changed = true;
    }
    return has_changed;
}

}  // namespace

std::optional<serving::PublishedWebhook> find_other_admission(
    const json::Value& configuration, const serving::WebhookAddress& own
) {
    const json::Value* webhooks = configuration.find("webhooks");
    if (webhooks == nullptr || !webhooks->is_array() || webhooks->as_array().empty()) {
        return std::nullopt;
    }
    const json::Value* config = webhooks->as_array().front().find("clientConfig");
    const std::string path = config == nullptr ? std::string() : service_path(*config);
    return path.empty() ? std::nullopt : serving::find_other_webhook(config, own, path);
}

std::optional<json::Value> admission_patch(
    const json::Value& configuration, const serving::WebhookAddress& own
) {
    json::Value changed = configuration;
    const bool has_changed = set_address(changed, own, true);
    const auto last_applied = change_last_applied(configuration, [&own](json::Value& applied) {
        return set_address(applied, own, false);
    });
    if (!has_changed && !last_applied) {
        return std::nullopt;
    }
    json::Value metadata = json::Object{};
    if (const json::Value* version = configuration.find_path({"metadata", "resourceVersion"})) {
        metadata.set("resourceVersion", *version);
    }
    if (last_applied) {
        metadata.set("annotations", json::Object{{std::string(kLastApplied), *last_applied}});
    }
    json::Value patch = json::Object{{"metadata", std::move(metadata)}};
    if (const json::Value* webhooks = changed.find("webhooks")) {
        patch.set("webhooks", *webhooks);
    }
    return patch;
}

}  // namespace sluice::controller
