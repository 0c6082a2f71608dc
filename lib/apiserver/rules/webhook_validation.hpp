#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

#include <cstdint>

namespace sluice::apiserver {

/// What is wrong with webhooks of admission, in configurations of both kinds.
void check_webhooks(Causes& causes, const json::Value& configuration);

/// How a webhook is reached: an https URL without a user, a query and a fragment, or a Service.
void check_webhook_client(Causes& causes, const std::string& path, const json::Value& client);

/// The versions of reviews that a webhook takes: each once, and one that the API server sends.
void check_review_versions(Causes& causes, const std::string& path, const json::Value& versions);

/// The names of matchConditions. Their expressions are checked elsewhere.
void check_condition_names(Causes& causes, const std::string& path, const json::Value* conditions);

/// What requests a webhook or a policy is about.
void check_admission_rules(Causes& causes, const std::string& path, const json::Value* rules);

}  // namespace sluice::apiserver
