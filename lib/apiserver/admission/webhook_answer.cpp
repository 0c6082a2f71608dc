#include "apiserver/admission/webhook_answer.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::string_view kReviewVersion = "admission.k8s.io/v1";
constexpr std::string_view kOldReviewVersion = "admission.k8s.io/v1beta1";
constexpr std::string_view kReviewKind = "AdmissionReview";

/// Requires that the response belongs to this review.
Result<void> check_review_identity(
    const AskedReview& asked, const Value& review, const Value& response
) {
    if (response.string_at("uid") != asked.uid) {
        return make_invalid(fmt::format(
            "expected response.uid={}, got {}",
            json::print(asked.uid),
            json::print(response.string_at("uid"))
        ));
    }
    const std::string_view version = review.string_at("apiVersion");
    const std::string_view kind = review.string_at("kind");
    if (version != kReviewVersion || kind != kReviewKind) {
        return make_invalid(fmt::format(
            "expected webhook response of {}, Kind={}, got {}{}, Kind={}",
            kReviewVersion,
            kReviewKind,
            version.find('/') == std::string_view::npos ? "/" : "",
            version,
            kind
        ));
    }
    return {};
}

/// Requires that a patch has a type, and that only mutating webhooks return patches.
Result<void> check_patch(bool may_change, const Value& response) {
    const bool has_patch = !response.string_at("patch").empty();
    const Value* type = response.find("patchType");
    const bool has_type = type != nullptr && !type->is_null();
    if (!may_change && (has_patch || has_type)) {
        return make_invalid(fmt::format(
            "validating webhook may not return response.{}", has_patch ? "patch" : "patchType"
        ));
    }
    if (has_patch != has_type) {
        return make_invalid(fmt::format(
            "webhook returned response.{} but not response.{}",
            has_patch ? "patch" : "patchType",
            has_patch ? "patchType" : "patch"
        ));
    }
    if (has_type && *type != Value("JSONPatch")) {
        return make_invalid(
            fmt::format("webhook returned invalid response.patchType of {}", json::print(*type))
        );
    }
    return {};
}

}  // namespace

std::string review_version(const json::Value& hook) {
    for (const Value& version : items_of(hook.find("admissionReviewVersions"))) {
        if (version == Value("v1")) {
            break;
        }
        if (version == Value("v1beta1")) {
            return std::string(kOldReviewVersion);
        }
    }
    return std::string(kReviewVersion);
}

Result<json::Value> read_admission_answer(const AskedReview& asked, const json::Value& review) {
    const Value* response = review.find("response");
    if (response == nullptr || !response->is_object()) {
        return make_invalid("webhook response was absent");
    }
    if (asked.api_version == kOldReviewVersion) {
        return *response;  // the API server does not check these of a v1beta1 response
    }
    if (const auto checked = check_review_identity(asked, review, *response); !checked) {
        return checked.error();
    }
    if (const auto checked = check_patch(asked.may_change, *response); !checked) {
        return checked.error();
    }
    return *response;
}

Error make_denial(std::string_view name, const json::Value& response) {
    const Value* found = response.find("status");
    const Value status = found == nullptr ? Value() : *found;
    const std::string_view reason = status.string_at("reason");
    const std::string_view why =
        status.string_at("message").empty() ? reason : status.string_at("message");
    // A denial is a failure, whatever status code the webhook chose.
    const std::int64_t given = int_at(status, "code", 0);
    const int code = given >= 400 && given < 600 ? static_cast<int>(given) : 403;
    return make_failure(
        code,
        reason.empty() ? "Forbidden" : reason,
        fmt::format(
            "admission webhook \"{}\" denied the request{}{}",
            name,
            why.empty() ? " without explanation" : ": ",
            why
        ),
        {}
    );
}

json::Value make_approval(const json::Value& review) {
    const Value* request = review.find("request");
    return json::Object{
        {"kind", kReviewKind},
        {"apiVersion", review.string_at("apiVersion")},
        {"response",
         json::Object{
             {"uid", request == nullptr ? std::string_view() : request->string_at("uid")},
             {"allowed", true}
         }}
    };
}

}  // namespace sluice::apiserver
