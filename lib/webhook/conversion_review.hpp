#pragma once

#include "base/error.hpp"
#include "json/reader.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::webhook {

/// The answer to a conversion request.
struct ConversionAnswer {
    std::string body;              ///< a ConversionReview with its `response`
    std::string failure;           ///< why its result is Failed; "" when all objects were converted
    std::size_t object_count = 0;  ///< how many objects the request held
};

/// Answers an apiextensions.k8s.io/v1 ConversionReview. An object that cannot be converted fails
/// the whole request, as the protocol has one result a request; the message names object and field.
/// Objects are converted one after the other: beside request and answer, one object is in memory.
/// Errors: Invalid where no answer can be addressed: no JSON, no ConversionReview of v1, no uid.
Result<ConversionAnswer> answer_conversion_review(
    std::string_view request, const json::Limits& limits = {}
);

}  // namespace sluice::webhook
