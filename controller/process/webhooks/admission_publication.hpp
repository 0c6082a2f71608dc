#pragma once

#include "json/value.hpp"
#include "serving/webhook_address.hpp"

#include <optional>

/// How webhook configurations (admissionregistration.k8s.io) tell the API server where objects are
/// judged. Pure.
namespace sluice::controller {

/// The names of the configurations, those of Kueue.
inline constexpr char kMutatingConfiguration[] = "kueue-mutating-webhook-configuration";
inline constexpr char kValidatingConfiguration[] = "kueue-validating-webhook-configuration";

/// The webhook of another replica that the first entry names by its URL. As long as it answers
/// under the authority that is published with it, all are left there.
std::optional<serving::PublishedWebhook> find_other_admission(
    const json::Value& configuration, const serving::WebhookAddress& own
);

/// The merge patch that makes every entry lead to its own path at this address; nothing when all do
/// already. Nothing else of an entry is changed. What `kubectl apply` remembers to have applied is
/// changed with it, as in the definitions.
std::optional<json::Value> admission_patch(
    const json::Value& configuration, const serving::WebhookAddress& own
);

}  // namespace sluice::controller
