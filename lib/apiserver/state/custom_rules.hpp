#pragma once

#include "apiserver/types/failures.hpp"
#include "apiserver/types/resource_type.hpp"
#include "json/value.hpp"

#include <memory>
#include <string>
#include <vector>

/// The CEL rules (x-kubernetes-validations) of kinds that CustomResourceDefinitions define.
namespace sluice::apiserver {

/// Why the rules of a definition are refused: they are wrong, they use a function that there is
/// not, or they may cost too much.
std::vector<Cause> check_definition_rules(const json::Value& definition);

/// The rules of a schema that check_definition_rules() found no fault in, for ResourceType::rules.
/// nullptr: it has none.
std::shared_ptr<const cel::RuleSet> compile_custom_rules(const json::Value& schema);

/// What rules say of an object.
struct RuleVerdict {
    std::vector<Cause> causes;
    /// Rules that are broken where an update leaves everything as it was.
    std::vector<std::string> warnings;
};

/// Runs the rules of the type on an object, and on what it was before an update, else nullptr.
/// `schema_causes`: what was found wrong before; for some of it the rules are not run, which a
/// cause then says.
RuleVerdict check_custom_rules(
    const ResourceType& type,
    const json::Value& object,
    const json::Value* old_object,
    const std::vector<Cause>& schema_causes
);

}  // namespace sluice::apiserver
