// Validation of webhook configurations, and of the parts that they share with policies and CRDs.
#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

#include <cstdint>

namespace sluice::apiserver {

/// Checks the webhooks of a ValidatingWebhookConfiguration or MutatingWebhookConfiguration.
void check_webhooks(Causes& causes, const json::Value& configuration);

/// Checks the clientConfig of a webhook: an https URL without user, query and fragment, or a
/// Service.
void check_webhook_client(Causes& causes, const std::string& path, const json::Value& client);

/// Checks the review versions of a webhook: each version is listed once, and at least one of them
/// is a version that the API server sends.
void check_review_versions(Causes& causes, const std::string& path, const json::Value& versions);

/// Checks the names of matchConditions. Their expressions are checked elsewhere.
void check_condition_names(Causes& causes, const std::string& path, const json::Value* conditions);

/// Checks the rules that select the requests for a webhook or a policy.
void check_admission_rules(Causes& causes, const std::string& path, const json::Value* rules);

}  // namespace sluice::apiserver
