#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// A rule that an object breaks, or a definition's own fault, as the API server reports it.
struct RuleViolation {
    std::string path;    ///< `spec.x[0].y`; "" for the root, which the API server prints `<nil>`
    std::string reason;  ///< FieldValueInvalid, FieldValueForbidden, …, InternalError
    std::string value;   ///< the bad value as it is printed, with quotes; "" where it is left out
    std::string message;
};

/// `Invalid value: "x": message`, as the API server prints it in a cause of a Status.
std::string print_message(const RuleViolation& violation);
/// `path: Invalid value: "x": message`, as the API server prints it in a Status.
std::string print_violation(const RuleViolation& violation);

struct CompiledSchema;

/// The rules of a schema, compiled. Copies share them.
class RuleSet {
  public:
    /// Whether there is any rule.
    bool empty() const;
    const CompiledSchema& root() const { return *root_; }

  private:
    friend Result<RuleSet>
    compile_rules(const json::Value&, std::string_view, std::vector<RuleViolation>*);
    explicit RuleSet(std::shared_ptr<const CompiledSchema> root) : root_(std::move(root)) {}
    std::shared_ptr<const CompiledSchema> root_;
};

/// Walks the schema of a whole resource (openAPIV3Schema) and compiles its rules. `path`: where the
/// schema stands, `spec.versions[0].schema.openAPIV3Schema`, for messages. `faults`, when given,
/// gets each fault on its own.
/// Errors: Invalid with all faults in one line, as the API server refuses the definition.
Result<RuleSet> compile_rules(
    const json::Value& open_api_v3_schema,
    std::string_view path = "openAPIV3Schema",
    std::vector<RuleViolation>* faults = nullptr
);

/// The rules that an object breaks; `old_object`: what it was before an update, else nullptr. Where
/// an update leaves a value as it was, a broken rule without `oldSelf` is no violation;
/// `unchanged`, when given, gets it. The object must be valid by the rest of its schema, with
/// defaults filled in. Cost: bounded by kObjectBudget.
std::vector<RuleViolation> check(
    const RuleSet& rules,
    const json::Value& object,
    const json::Value* old_object,
    std::vector<RuleViolation>* unchanged = nullptr
);

}  // namespace sluice::cel
