// Checks the responses of admission webhooks.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::apiserver {

/// The properties of an AdmissionReview that its response must match.
struct AskedReview {
    std::string api_version;
    std::string uid;
    bool may_change = false;  ///< true for a mutating webhook
};

/// Returns the apiVersion of the AdmissionReview to send to a webhook, by its
/// admissionReviewVersions.
std::string review_version(const json::Value& hook);

/// Returns the `response` of a webhook's answer. Errors: the reason why the API server ignores the
/// response.
Result<json::Value> read_admission_answer(const AskedReview& asked, const json::Value& review);

/// Returns the denial that a response of the webhook `name` contains.
Error make_denial(std::string_view name, const json::Value& response);

/// Returns an AdmissionReview that allows the request. As the answer to a ConversionReview it is a
/// failure.
json::Value make_approval(const json::Value& review);

}  // namespace sluice::apiserver
