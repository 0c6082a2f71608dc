#pragma once

#include "config/configuration.hpp"
#include "json/value.hpp"
#include "serving/webhook_address.hpp"

#include <optional>
#include <string>
#include <vector>

/// How APIServices tell the API server which authority signs the certificate of the visibility API.
/// Pure.
namespace sluice::controller {

/// Name of the Service by which the API server reaches the visibility API, that of Kueue.
inline constexpr char kVisibilityService[] = "kueue-visibility-server";

/// Returns the names by which the API server may call the visibility API.
std::vector<std::string> visibility_names(const config::Configuration& configuration);

/// Returns the merge patch that makes an APIService trust the authorities of this address; nullopt
/// if it does already, leads to another Service, or turns the check off: the manifest that does so,
/// such as Kueue's, could not be applied again beside an authority.
std::optional<json::Value> aggregation_patch(
    const json::Value& api_service, const serving::WebhookAddress& own
);

}  // namespace sluice::controller
