#pragma once

#include "base/error.hpp"
#include "json/reader.hpp"

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>

namespace sluice::webhook {

/// Where an answer goes, piece by piece.
class AnswerSink {
  public:
    AnswerSink() = default;
    AnswerSink(const AnswerSink&) = delete;
    AnswerSink& operator=(const AnswerSink&) = delete;
    virtual ~AnswerSink() = default;
    /// Errors: whatever keeps it from taking more; the answer is then given up.
    virtual Result<void> append(std::string_view bytes) = 0;
    /// Forgets what was appended.
    virtual void clear() = 0;
};

/// What a review may at most be.
struct ReviewLimits {
    json::Limits review = {};
    /// Of one object of it, as it is sent: far more than the API server stores of one (etcd takes
    /// 1.5 MiB), and little enough to be held as a tree.
    std::size_t object_bytes = std::size_t{8} * 1024 * 1024;
};

/// How a conversion request was answered.
struct ConversionOutcome {
    std::string failure;           ///< why its result is Failed; "" when all objects were converted
    std::size_t object_count = 0;  ///< how many objects the request held
};

/// Answers an apiextensions.k8s.io/v1 ConversionReview with a ConversionReview and its `response`.
/// An object that cannot be converted, or is beyond its limit, fails the whole request, as the
/// protocol has one result a request; the message names object and field. Errors: Invalid where no
/// answer can be addressed: no JSON, no ConversionReview of v1, no uid; Canceled after a stop;
/// those of the sink. Cost: objects are converted one after the other, so beside the request one
/// object and a piece of the answer are in memory.
Result<ConversionOutcome> answer_conversion_review(
    std::string_view request,
    AnswerSink& sink,
    const ReviewLimits& limits = {},
    const std::stop_token& stop = {}
);

/// The same with the answer in memory.
struct ConversionAnswer {
    std::string body;
    std::string failure;
    std::size_t object_count = 0;
};
Result<ConversionAnswer> answer_conversion_review(
    std::string_view request, const ReviewLimits& limits = {}
);

}  // namespace sluice::webhook
