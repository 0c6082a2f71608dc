// CEL rules (x-kubernetes-validations) of CustomResourceDefinitions.
#pragma once

#include "apiserver/types/failures.hpp"
#include "apiserver/types/resource_type.hpp"
#include "json/value.hpp"

#include <memory>
#include <string>
#include <vector>

/// Checks, compiles and runs the CEL rules (x-kubernetes-validations) of CustomResourceDefinitions.
namespace sluice::apiserver {

/// Returns the faults of the rules of a definition: they do not compile, they use an unsupported
/// function, or they may cost too much.
std::vector<Cause> check_definition_rules(const json::Value& definition);

/// Compiles the rules of a schema for ResourceType::rules; returns nullptr if the schema has none.
/// Requires: check_definition_rules() found no fault.
std::shared_ptr<const cel::RuleSet> compile_custom_rules(const json::Value& schema);

/// The result of running rules on an object.
struct RuleVerdict {
    std::vector<Cause> causes;
    /// Broken rules in parts that an update leaves unchanged.
    std::vector<std::string> warnings;
};

/// Runs the rules of the type on an object and on its old version (`old_object`, nullptr for a new
/// object). `schema_causes`: faults of the schema's validation. After some of these the rules are
/// not run; a cause then says so.
RuleVerdict check_custom_rules(
    const ResourceType& type,
    const json::Value& object,
    const json::Value* old_object,
    const std::vector<Cause>& schema_causes
);

}  // namespace sluice::apiserver
