// Publishes the CA of the visibility API in its APIServices. Pure functions.
#pragma once

#include "config/configuration.hpp"
#include "json/value.hpp"
#include "serving/webhook_address.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// Name of the Service of the visibility API, as in Kueue.
inline constexpr char kVisibilityService[] = "kueue-visibility-server";

/// Returns the host names by which the API server may call the visibility API.
std::vector<std::string> visibility_names(const config::Configuration& configuration);

/// Returns the merge patch that makes an APIService trust the CAs of this address; nullopt if it
/// does already, points to another Service, or turns verification off: a manifest that turns it
/// off, such as Kueue's, could not be applied again if a CA were set.
std::optional<json::Value> aggregation_patch(
    const json::Value& api_service, const serving::WebhookAddress& own
);

}  // namespace sluice::controller
