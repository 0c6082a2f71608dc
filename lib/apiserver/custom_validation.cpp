#include "apiserver/custom_validation.hpp"

#include "api/kueue_names.hpp"
#include "api/schema_validation.hpp"
#include "apiserver/schema_functions.hpp"
#include "apiserver/state.hpp"

#include <algorithm>

namespace sluice::apiserver {

namespace {

/// What the rules of Kueue's own kinds refuse. Other definitions' rules are not run yet.
std::vector<Cause> find_broken_rules(
    const ResourceType& type, const json::Value& object, const json::Value* /*old_object*/
) {
    std::vector<Cause> causes;
    if (type.group != api::kKueueGroup) {
        return causes;
    }
    for (const api::FieldViolation& violation :
         api::find_schema_violations(type.kind, type.version, object)) {
        causes.push_back({"FieldValueInvalid", violation.message, violation.field});
    }
    return causes;
}

}  // namespace

std::vector<Cause> validate_custom(
    const ResourceType& type, const json::Value& object, const json::Value* old_object
) {
    const auto schema = schema_of(type);
    if (schema == nullptr) {
        return {};
    }
    std::vector<Cause> causes = validate(*schema, object, old_object);
    // Rules may rely on the structure.
    return causes.empty() ? find_broken_rules(type, object, old_object) : causes;
}

}  // namespace sluice::apiserver
