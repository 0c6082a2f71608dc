#include "apiserver/admission/admission_policies.hpp"
#include "apiserver/defaults/write_preparation.hpp"
#include "apiserver/operations/write_operation.hpp"
#include "apiserver/rules/builtin_validation.hpp"
#include "apiserver/state/custom_types.hpp"
#include "apiserver/state/custom_validation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

// Completes and checks the object of a write, after mutating webhooks have changed it.
namespace sluice::apiserver {

void WriteOperation::fill_registry_fields() {
    if (!type().is_custom) {
        if (live_) {
            prepare_for_update(type().group, type().kind, route_.subresource, before_, object_);
        } else {
            prepare_for_create(type().group, type().kind, object_);
        }
    } else if (live_) {
        prepare_custom_for_update(type().has_status, route_.subresource, before_, object_);
    } else {
        prepare_custom_for_create(type().has_status, object_);
    }
}

std::vector<Cause> WriteOperation::find_faults() {
    const json::Value* old = live_ ? &before_ : nullptr;
    const std::string& group = type().group;
    const std::string& kind = type().kind;
    std::vector<Cause> causes = validate_metadata(group, kind, type().is_namespaced, object_, old);
    if (live_) {
        // Real API servers validate the metadata of an update twice: for all kinds and in the
        // registry of the kind.
        const std::vector<Cause> again = causes;
        causes.insert(causes.end(), again.begin(), again.end());
    }
    std::ranges::move(find_expression_faults(type(), object_), std::back_inserter(causes));
    if (type().is_custom) {
        RuleVerdict verdict = validate_custom(type(), object_, old);
        std::ranges::move(verdict.causes, std::back_inserter(causes));
        std::ranges::move(verdict.warnings, std::back_inserter(warnings_));
        return causes;
    }
    const std::vector<Cause> more =
        live_ ? validate_builtin_update(group, kind, route_.subresource, object_, before_)
              : validate_builtin(group, kind, object_);
    causes.insert(causes.end(), more.begin(), more.end());
    return causes;
}

Result<void> WriteOperation::check() {
    if (is_deletion()) {
        return {};
    }
    if (is_mutated_) {
        if (auto conformed = conform_to_kind(Origin::Webhook); !conformed) {
            return conformed;
        }
    }
    fill_registry_fields();
    const json::Value* old = live_ ? &before_ : nullptr;
    if (const auto causes = find_faults(); !causes.empty()) {
        return invalid(type(), name_.name, causes);
    }
    return check_definition(state_, type(), object_, old);
}

}  // namespace sluice::apiserver
