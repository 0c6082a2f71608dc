// Publishes the conversion webhook's address in CRDs. Pure functions.
#pragma once

#include "base/error.hpp"
#include "config/configuration.hpp"
#include "json/value.hpp"
#include "serving/webhook_address.hpp"

#include <optional>
#include <string_view>

namespace sluice::controller {

/// Path of the conversion webhook.
inline constexpr std::string_view kConversionPath = "/convert";

/// Returns true if webhook.host is a specific address, not all addresses of the machine.
bool names_own_address(const config::Webhook& webhook);
/// Checks that webhook.host is a specific address outside a cluster, where no Service leads to the
/// webhook. Errors: Invalid, naming webhook.host.
Result<void> check_webhook_host(const config::Webhook& webhook, bool in_cluster);

/// Returns the conversion webhook of another replica if the CRD names it by a URL. The CRD stays
/// unchanged as long as that webhook answers under the CA that is published with it.
std::optional<serving::PublishedWebhook> find_other_conversion(
    const json::Value& definition, const serving::WebhookAddress& own
);

/// Returns the merge patch that sets this address in the CRD; nullopt if it is set already. It also
/// changes the last-applied annotation: otherwise the next `kubectl apply` would add the Service of
/// its manifest to the URL, and the API server allows only one of them.
std::optional<json::Value> publication_patch(
    const json::Value& definition, const serving::WebhookAddress& own
);

}  // namespace sluice::controller
