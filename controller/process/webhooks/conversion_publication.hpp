#pragma once

#include "base/error.hpp"
#include "config/configuration.hpp"
#include "json/value.hpp"
#include "serving/webhook_address.hpp"

#include <optional>
#include <string_view>

/// How CustomResourceDefinitions tell the API server where their objects are converted. Pure.
namespace sluice::controller {

/// Where ConversionReviews are answered.
inline constexpr std::string_view kConversionPath = "/convert";

/// Whether webhook.host is one address, and not all of this machine's.
bool names_own_address(const config::Webhook& webhook);
/// Outside a cluster no Service leads to the webhook, so that its address must be said.
/// Errors: Invalid naming webhook.host.
Result<void> check_webhook_host(const config::Webhook& webhook, bool in_cluster);

/// The conversion webhook of another replica that the definition names by its URL. As long as it
/// answers under the authority that is published with it, it is left there.
std::optional<serving::PublishedWebhook> find_other_conversion(
    const json::Value& definition, const serving::WebhookAddress& own
);

/// The merge patch that makes the definition say this address; nothing when it does already. What
/// `kubectl apply` remembers to have applied is changed with it: else it would add the Service of
/// its manifest to the URL, and the API server takes only one of them.
std::optional<json::Value> publication_patch(
    const json::Value& definition, const serving::WebhookAddress& own
);

}  // namespace sluice::controller
