// Reads AdmissionReviews and answers them.
#pragma once

#include "api/core/admission_review.hpp"
#include "api/meta/field_error.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reads the AdmissionReviews (admission.k8s.io/v1) that the API server sends to webhooks, and
/// answers them.
namespace sluice::webhook {

/// The decision of a webhook about one write.
struct Verdict {
    std::string refusal;  ///< why the write is denied; empty if it is allowed
    /// The object after the webhook's changes; nullopt if it is unchanged.
    std::optional<json::Value> changed;
    std::vector<std::string> warnings;  ///< warnings for the user, also if the write is denied
};

/// Denies the write if there are errors, and allows it otherwise.
Verdict make_verdict(const api::FieldErrors& errors);

/// Returns the request of a review. Errors: Invalid if the review cannot be answered (malformed
/// JSON, not a review of v1, without a uid), or if it has more values than any object that etcd can
/// store.
Result<api::AdmissionRequest> parse_admission_review(std::string_view body);

/// Returns the answer to a request as a review, with the changes as a JSON patch. Requires: the
/// request's object is JSON if the verdict changes it.
std::string make_admission_answer(const api::AdmissionRequest& request, const Verdict& verdict);

/// Returns the answer to a request that could not be processed: it is denied, with code 400 for
/// Invalid and 500 for other errors.
std::string make_error_answer(const api::AdmissionRequest& request, const Error& error);

/// Returns the path of a kind's webhook: "/VERB-GROUP-VERSION-KIND", with dots replaced by dashes
/// and the kind in lower case. Example: /mutate-batch-v1-job; for the core group /mutate--v1-pod
std::string admission_path(
    std::string_view verb, std::string_view group, std::string_view version, std::string_view kind
);

}  // namespace sluice::webhook
