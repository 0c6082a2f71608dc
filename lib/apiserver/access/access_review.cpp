#include "apiserver/access/access_review.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/types/failures.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;

std::string copy(const Value& object, std::string_view name) {
    return std::string(object.string_at(name));
}

/// Returns the attribute, or `*` if it is missing: only a rule with `*` allows that.
std::string copy_or_all(const Value& object, std::string_view name) {
    const std::string text = copy(object, name);
    return text.empty() ? "*" : text;
}

}  // namespace

Result<Value> judge_access_review(
    const State& state, const ResourceType& type, const Value& review, const Subject& asker
) {
    const Value* spec = review.find("spec");
    const Value none = json::Object();
    const Value& asked = spec != nullptr && spec->is_object() ? *spec : none;
    const Value* resource = asked.find("resourceAttributes");
    const Value* path = asked.find("nonResourceAttributes");
    std::vector<Cause> causes;
    if ((resource == nullptr) == (path == nullptr)) {
        causes.push_back(api::FieldError::invalid(
            "spec.resourceAttributes",
            resource == nullptr ? Value() : *resource,
            "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        ));
    }
    Subject subject = asker;
    if (type.kind != "SelfSubjectAccessReview") {
        subject = {.user = copy(asked, "user"), .groups = texts_of(asked.find("groups"))};
        if (subject.user.empty() && subject.groups.empty()) {
            causes.push_back(api::FieldError::invalid(
                "spec.user", "", "at least one of user or group must be specified"
            ));
        }
    }
    if (!causes.empty()) {
        return invalid(type, "", causes);
    }
    AccessQuestion question;
    if (resource != nullptr) {
        question = {
            .verb = copy_or_all(*resource, "verb"),
            .group = copy(*resource, "group"),
            .resource = copy_or_all(*resource, "resource"),
            .subresource = copy(*resource, "subresource"),
            .name = copy(*resource, "name"),
            .ns = copy(*resource, "namespace"),
            .path = {}
        };
    } else {
        question.verb = copy_or_all(*path, "verb");
        question.path = copy_or_all(*path, "path");
    }
    const auto reason = find_grant(state, subject, question);
    json::Object status{{"allowed", reason.has_value()}};
    if (reason && !reason->empty()) {
        status.emplace_back("reason", *reason);
    }
    return Value(std::move(status));
}

Value report_rules(const State& state, const Value& review, const Subject& asker) {
    json::Array resources;
    json::Array paths;
    for (Value& rule : rules_of(state, asker, text_at(review, {"spec", "namespace"}))) {
        const bool is_about_paths = rule.find("nonResourceURLs") != nullptr;
        (is_about_paths ? paths : resources).push_back(std::move(rule));
    }
    return json::Object{
        {"resourceRules", std::move(resources)},
        {"nonResourceRules", std::move(paths)},
        {"incomplete", false}
    };
}

}  // namespace sluice::apiserver
