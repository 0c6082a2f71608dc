// Publishes the webhooks' address in the webhook configurations. Pure functions.
#pragma once

#include "json/value.hpp"
#include "serving/webhook_address.hpp"

#include <optional>

namespace sluice::controller {

/// Names of the configurations, as in Kueue.
inline constexpr char kMutatingConfiguration[] = "kueue-mutating-webhook-configuration";
inline constexpr char kValidatingConfiguration[] = "kueue-validating-webhook-configuration";

/// Returns the webhook of another replica if the first entry names it by a URL. All entries stay
/// unchanged as long as it answers under the CA that is published with it.
std::optional<serving::PublishedWebhook> find_other_admission(
    const json::Value& configuration, const serving::WebhookAddress& own
);

/// Returns the merge patch that sets this address in every entry, keeping the entry's path; nullopt
/// if all have it already. It also changes the address in the last-applied annotation of `kubectl
/// apply`, as in CRDs.
std::optional<json::Value> admission_patch(
    const json::Value& configuration, const serving::WebhookAddress& own
);

}  // namespace sluice::controller
