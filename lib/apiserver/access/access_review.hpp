#pragma once

#include "apiserver/access/access.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// The `status` of a SubjectAccessReview, LocalSubjectAccessReview or SelfSubjectAccessReview;
/// `asker` is the subject of the last. Errors: Invalid for one that asks of both objects and paths,
/// or of neither, or of nobody.
Result<json::Value> judge_access_review(
    const State& state, const ResourceType& type, const json::Value& review, const Subject& asker
);

/// The `status` of a SelfSubjectRulesReview.
json::Value tell_rules(const State& state, const json::Value& review, const Subject& asker);

}  // namespace sluice::apiserver
