#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::apiserver {

/// What an answer to an AdmissionReview must match.
struct AskedReview {
    std::string api_version;
    std::string uid;
    bool may_change = false;  ///< the webhook is a mutating one
};

/// The apiVersion of the AdmissionReview that a webhook is sent, by its admissionReviewVersions.
std::string review_version(const json::Value& hook);

/// The `response` of an answer. Errors: why the API server refuses to act by it.
Result<json::Value> read_admission_answer(const AskedReview& asked, const json::Value& review);

/// The denial in a response of the webhook of that name.
Error make_denial(std::string_view name, const json::Value& response);

/// The answer that allows what a review asks; a ConversionReview it fails.
json::Value make_approval(const json::Value& review);

}  // namespace sluice::apiserver
