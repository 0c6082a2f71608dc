#pragma once

#include "webhook/conversion_review.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace sluice::test {

/// An answer to a ConversionReview that is held in memory.
struct ReviewAnswer {
    std::string body;
    std::string failure;
};

/// Answers a ConversionReview with the whole answer in memory.
inline Result<ReviewAnswer> answer_review(
    std::string_view request, const webhook::ReviewLimits& limits = {}
) {
    struct Sink final : webhook::AnswerSink {
        Result<void> append(std::string_view bytes) override {
            body += bytes;
            return {};
        }
        void clear() override { body.clear(); }
        std::string body;
    };
    Sink sink;
    auto outcome = webhook::answer_conversion_review(request, sink, limits);
    if (!outcome) {
        return outcome.error();
    }
    return ReviewAnswer{std::move(sink.body), std::move(outcome->failure)};
}

}  // namespace sluice::test
