#pragma once

#include "apiserver/core.hpp"

#include <string_view>

namespace sluice::apiserver {

/// Whether a resource is one that is answered rather than stored.
bool is_review(const Resource& resource);

/// Answers a review: access is allowed to all, a token belongs to nobody, an identity is told.
/// Errors: 400 for what is no such review.
Result<json::Value> answer_review(Core& core, Scope& scope);

}  // namespace sluice::apiserver
