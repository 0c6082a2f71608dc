// Answers ConversionReviews with one object in memory at a time.
#pragma once

#include "base/error.hpp"
#include "json/reader.hpp"

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>

namespace sluice::webhook {

/// Receives an answer in pieces.
class AnswerSink {
  public:
    AnswerSink() = default;
    AnswerSink(const AnswerSink&) = delete;
    AnswerSink& operator=(const AnswerSink&) = delete;
    virtual ~AnswerSink() = default;
    /// Errors: any reason why the sink cannot accept more. The answer is then abandoned.
    virtual Result<void> append(std::string_view bytes) = 0;
    /// Discards everything that was appended.
    virtual void clear() = 0;
};

/// Limits of the size of a review.
struct ReviewLimits {
    json::Limits review = {};
    /// Limit of one object in bytes, as it is sent: far more than the API server stores (etcd
    /// accepts 1.5 MiB), and little enough to be held in memory as a tree.
    std::size_t object_bytes = std::size_t{8} * 1024 * 1024;
};

/// The result of a conversion request.
struct ConversionOutcome {
    /// Why the result is Failed; empty if all objects were converted.
    std::string failure;
};

/// Answers an apiextensions.k8s.io/v1 ConversionReview with a ConversionReview and its `response`.
/// An object that cannot be converted or exceeds its limit fails the whole request, because the
/// protocol has one result for a request; the message names object and field. Errors: Invalid if
/// the request cannot be answered (malformed JSON, not a ConversionReview of v1, without a uid);
/// Canceled after a stop; errors of the sink. *Cost*: objects are converted one after the other, so
/// that memory holds the request, one object and a piece of the answer.
Result<ConversionOutcome> answer_conversion_review(
    std::string_view request,
    AnswerSink& sink,
    const ReviewLimits& limits = {},
    const std::stop_token& stop = {}
);

}  // namespace sluice::webhook
