// Answers reviews of access: whether a user may do something, and what the requester may do.
#pragma once

#include "apiserver/access/access.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Returns the `status` of a SubjectAccessReview, LocalSubjectAccessReview or
/// SelfSubjectAccessReview; `asker` is the subject of a SelfSubjectAccessReview. Errors: Invalid
/// for a review that asks about both objects and a path or about neither, or that names neither a
/// user nor groups.
Result<json::Value> judge_access_review(
    const State& state, const ResourceType& type, const json::Value& review, const Subject& asker
);

/// Returns the `status` of a SelfSubjectRulesReview.
json::Value report_rules(const State& state, const json::Value& review, const Subject& asker);

}  // namespace sluice::apiserver
