// Compiles the validation rules of a CRD's schema and checks objects by them.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// A rule that an object violates, or a fault of a definition, as the API server reports it.
struct RuleViolation {
    std::string path;    ///< `spec.x[0].y`; "" for the root, which the API server prints as `<nil>`
    std::string reason;  ///< FieldValueInvalid, FieldValueForbidden, …, InternalError
    std::string value;   ///< the bad value as printed, with quotes; "" if it is omitted
    std::string message;
};

/// Prints `Invalid value: "x": message`, as the API server does in a cause of a Status.
std::string print_message(const RuleViolation& violation);
/// Prints `path: Invalid value: "x": message`, as the API server does in a Status.
std::string print_violation(const RuleViolation& violation);

struct CompiledSchema;

/// The compiled rules of a schema. Copies share them.
class RuleSet {
  public:
    /// Returns true if the schema has no rules.
    bool empty() const;
    const CompiledSchema& root() const { return *root_; }

  private:
    friend Result<RuleSet>
    compile_rules(const json::Value&, std::string_view, std::vector<RuleViolation>*);
    explicit RuleSet(std::shared_ptr<const CompiledSchema> root) : root_(std::move(root)) {}
    std::shared_ptr<const CompiledSchema> root_;
};

/// Compiles the rules of a whole resource's schema (openAPIV3Schema). `path` is the path of the
/// schema for messages, `spec.versions[0].schema.openAPIV3Schema`. If `faults` is not nullptr, each
/// fault is added to it separately. Errors: Invalid with all faults in one line, as the API server
/// refuses the definition.
Result<RuleSet> compile_rules(
    const json::Value& open_api_v3_schema,
    std::string_view path = "openAPIV3Schema",
    std::vector<RuleViolation>* faults = nullptr
);

/// Returns the rules that an object violates. `old_object` is the object before an update, else
/// nullptr. If an update does not change a value, a violated rule without `oldSelf` is added to
/// `unchanged` (if not nullptr) instead of being returned. Requires: the object is valid by the
/// rest of its schema, with defaults filled in. Cost: bounded by kObjectBudget.
std::vector<RuleViolation> check(
    const RuleSet& rules,
    const json::Value& object,
    const json::Value* old_object,
    std::vector<RuleViolation>* unchanged = nullptr
);

}  // namespace sluice::cel
