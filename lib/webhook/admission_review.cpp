#include "webhook/admission_review.hpp"

#include "api/meta/codec.hpp"
#include "json/patch.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <utility>

namespace sluice::webhook {

namespace {

constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;
constexpr int kInternalError = 500;
constexpr std::size_t kValuesMax = 500'000;

/// Returns the number of values in a JSON text; text inside strings does not count.
std::size_t count_values(std::string_view text) {
    std::size_t values = 1;
    bool is_in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (is_in_string && c == '\\') {
            ++at;  // an escaped character does not end the string
        } else if (c == '"') {
            is_in_string = !is_in_string;
        } else if (!is_in_string && (c == ',' || c == '[' || c == '{')) {
            ++values;
        }
    }
    return values;
}

std::string print_answer(api::AdmissionResponse response) {
    api::AdmissionReview review;
    review.response = std::move(response);
    return api::encode(review);
}

std::string print_refusal(
    const api::AdmissionRequest& request,
    int code,
    std::string_view reason,
    std::string message,
    std::vector<std::string> warnings = {}
) {
    api::Status status;
    status.status = "Failure";
    status.message = std::move(message);
    status.reason = reason;
    status.code = code;
    return print_answer({
        .uid = request.uid,
        .allowed = false,
        .status = std::move(status),
        .patch = {},
        .patch_type = {},
        .warnings = std::move(warnings),
    });
}

}  // namespace

Verdict make_verdict(const api::FieldErrors& errors) {
    return {.refusal = api::aggregate_text(errors), .changed = {}};
}

Result<api::AdmissionRequest> parse_admission_review(std::string_view body) {
    // A value takes many times its size in memory, so a small body could contain too many values.
    if (count_values(body) > kValuesMax) {
        return make_invalid(fmt::format("it has more than {} values", kValuesMax));
    }
    const auto document = json::parse(body);
    if (!document) {
        return document.error();
    }
    if (document->string_at("kind") != api::AdmissionReview::kKind ||
        document->string_at("apiVersion") != "admission.k8s.io/v1") {
        return make_invalid("it is not an AdmissionReview of admission.k8s.io/v1");
    }
    auto review = api::from_value<api::AdmissionReview>(*document);
    if (!review) {
        return review.error();
    }
    std::optional<api::AdmissionRequest>& request = review->request;
    if (!request || request->uid.empty()) {
        return make_invalid("request.uid: must be set");
    }
    return std::move(*request);
}

std::string make_admission_answer(const api::AdmissionRequest& request, const Verdict& verdict) {
    if (!verdict.refusal.empty()) {
        return print_refusal(request, kForbidden, "Forbidden", verdict.refusal, verdict.warnings);
    }
    api::AdmissionResponse response;
    response.uid = request.uid;
    response.allowed = true;
    response.warnings = verdict.warnings;
    if (verdict.changed) {
        const auto sent = json::parse(request.object.view());
        json::Array patch = json::make_json_patch(sent ? *sent : json::Value(), *verdict.changed);
        if (!patch.empty()) {
            response.patch = kube::encode_base64(json::print(json::Value(std::move(patch))));
            response.patch_type = "JSONPatch";
        }
    }
    return print_answer(std::move(response));
}

std::string make_error_answer(const api::AdmissionRequest& request, const Error& error) {
    const bool is_bad = error.code == ErrorCode::Invalid;
    return print_refusal(
        request,
        is_bad ? kBadRequest : kInternalError,
        is_bad ? "BadRequest" : "InternalError",
        error.detail
    );
}

std::string admission_path(
    std::string_view verb, std::string_view group, std::string_view version, std::string_view kind
) {
    std::string path = fmt::format("/{}-{}-{}-{}", verb, group, version, kind);
    std::ranges::replace(path, '.', '-');
    std::ranges::transform(path, path.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return path;
}

}  // namespace sluice::webhook
