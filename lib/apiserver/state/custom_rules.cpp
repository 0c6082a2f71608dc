#include "apiserver/state/custom_rules.hpp"

#include "cel/rules/schema_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

Cause to_cause(const cel::RuleViolation& violation) {
    return {
        violation.reason,
        cel::print_message(violation),
        violation.path.empty() ? "<nil>" : violation.path
    };
}

/// Returns true for faults after which rules cannot be evaluated: the object may not have the types
/// that the rules expect.
bool hides_rules(const Cause& cause) {
    constexpr std::array<std::string_view, 5> kReasons{
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid"
    };
    return std::ranges::find(kReasons, cause.reason) != kReasons.end();
}

}  // namespace

std::vector<Cause> check_definition_rules(const json::Value& definition) {
    std::vector<Cause> causes;
    const json::Value* versions = definition.find_path({"spec", "versions"});
    if (versions == nullptr || !versions->is_array()) {
        return causes;
    }
    std::vector<const json::Value*> schemas;
    for (const json::Value& version : versions->as_array()) {
        schemas.push_back(version.find_path({"schema", "openAPIV3Schema"}));
    }
    // The API server keeps a schema that all versions share at another path.
    const bool is_shared = std::ranges::all_of(schemas, [&](const json::Value* schema) {
        return schema != nullptr && *schema == *schemas.front();
    });
    for (std::size_t i = 0; i < (is_shared ? 1 : schemas.size()); ++i) {
        if (schemas[i] == nullptr) {
            continue;
        }
        const std::string path = is_shared
                                     ? "spec.validation.openAPIV3Schema"
                                     : fmt::format("spec.versions[{}].schema.openAPIV3Schema", i);
        std::vector<cel::RuleViolation> faults;
        const auto rules = cel::compile_rules(*schemas[i], path, &faults);
        if (!rules && faults.empty()) {
            causes.push_back({"FieldValueInvalid", rules.error().detail, path});
        }
        std::ranges::transform(faults, std::back_inserter(causes), to_cause);
    }
    return causes;
}

std::shared_ptr<const cel::RuleSet> compile_custom_rules(const json::Value& schema) {
    auto rules = cel::compile_rules(schema);
    if (!rules || rules->empty()) {
        return nullptr;
    }
    return std::make_shared<const cel::RuleSet>(std::move(*rules));
}

RuleVerdict check_custom_rules(
    const ResourceType& type,
    const json::Value& object,
    const json::Value* old_object,
    const std::vector<Cause>& schema_causes
) {
    RuleVerdict verdict;
    if (type.rules == nullptr) {
        return verdict;
    }
    if (std::ranges::any_of(schema_causes, hides_rules)) {
        verdict.causes.push_back(
            {"FieldValueInvalid",
             "Invalid value: null: some validation rules were not checked because the object was "
             "invalid; correct the existing errors to complete validation",
             "<nil>"}
        );
        return verdict;
    }
    std::vector<cel::RuleViolation> unchanged;
    const auto violations = cel::check(*type.rules, object, old_object, &unchanged);
    std::ranges::transform(violations, std::back_inserter(verdict.causes), to_cause);
    std::ranges::transform(unchanged, std::back_inserter(verdict.warnings), cel::print_violation);
    return verdict;
}

}  // namespace sluice::apiserver
