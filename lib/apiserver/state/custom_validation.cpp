#include "apiserver/state/custom_validation.hpp"

#include "apiserver/schema/schema_functions.hpp"
#include "apiserver/state/state.hpp"

#include <vector>

namespace sluice::apiserver {

RuleVerdict validate_custom(
    const ResourceType& type, const json::Value& object, const json::Value* old_object
) {
    const auto schema = schema_of(type);
    if (schema == nullptr) {
        return {};
    }
    std::vector<Cause> causes = validate(*schema, object, old_object);
    RuleVerdict verdict = check_custom_rules(type, object, old_object, causes);
    verdict.causes.insert(verdict.causes.begin(), causes.begin(), causes.end());
    return verdict;
}

}  // namespace sluice::apiserver
