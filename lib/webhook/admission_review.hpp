#pragma once

#include "api/core/admission_review.hpp"
#include "api/meta/field_error.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The admission.k8s.io/v1 AdmissionReviews that the API server sends to webhooks.
namespace sluice::webhook {

/// What a webhook says of one write.
struct Verdict {
    std::string refusal;                 ///< why it is denied; "": it is allowed
    std::optional<json::Value> changed;  ///< the object as it is to be; none: as it was sent
    std::vector<std::string> warnings;   ///< for the user, whether it is denied or not
};

/// Denied for these faults; allowed when there is none.
Verdict make_verdict(const api::FieldErrors& errors);

/// The request of a review. Errors: Invalid where no answer can be addressed: no JSON, no review of
/// v1, no uid; or where it has more values than an object can that etcd would store.
Result<api::AdmissionRequest> parse_admission_review(std::string_view body);

/// The answer to a request as a review, with the changes as a JSON patch.
/// Requires: the request's object is JSON where the verdict changes it.
std::string make_admission_answer(const api::AdmissionRequest& request, const Verdict& verdict);

/// The answer to a request that could not be judged: it is denied, with code 400 for Invalid and
/// 500 for all else.
std::string make_error_answer(const api::AdmissionRequest& request, const Error& error);

/// Where the webhook of a kind is: "/VERB-GROUP-VERSION-KIND", dots as dashes and the kind in lower
/// case. Example: /mutate-batch-v1-job; of the core group /mutate--v1-pod
std::string admission_path(
    std::string_view verb, std::string_view group, std::string_view version, std::string_view kind
);

}  // namespace sluice::webhook
