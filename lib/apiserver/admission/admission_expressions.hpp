// Evaluates the CEL expressions of policies and webhooks within a cost budget.
#pragma once

#include "apiserver/objects/cause.hpp"
#include "apiserver/state/admission_programs.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::apiserver {

/// The variables that expressions of admission can read; null if they are not set.
struct AdmissionContext {
    json::Value object;
    json::Value old_object;
    json::Value request;    ///< request of the AdmissionReview, without the objects
    json::Value params;     ///< parameters of a policy
    json::Value ns_object;  ///< the Namespace of the object
};

/// The API server's cost limits: of all matchConditions of a webhook or policy together, and of all
/// validations of a policy together.
inline constexpr std::uint64_t kConditionsBudget = 2'500'000;
inline constexpr std::uint64_t kValidationsBudget = 10'000'000;

/// Evaluates CEL expressions about one request, within a cost budget. Lifetime: the arguments must
/// outlive it.
class AdmissionExpressions {
  public:
    AdmissionExpressions(
        const AdmissionContext& context,
        AdmissionPrograms& programs,
        Purpose purpose = Purpose::Question
    );
    ~AdmissionExpressions();
    AdmissionExpressions(const AdmissionExpressions&) = delete;
    AdmissionExpressions& operator=(const AdmissionExpressions&) = delete;

    /// Sets the budget of all evaluations from now on.
    void grant(std::uint64_t budget);
    /// Returns true if the budget was too small. The last error says so, and the earlier results
    /// must be ignored.
    bool is_out_of_budget() const;
    /// Adds `variables.NAME`. It is evaluated when an expression first uses it, at the cost of that
    /// expression. If it fails, the expressions that use it fail.
    void add_variable(std::string_view name, std::string_view expression);
    /// Evaluates an expression whose result must be a boolean. Errors: Invalid if the evaluation
    /// fails or has another result.
    Result<bool> is_true(std::string_view expression);
    /// Evaluates an expression whose result must be a string. Errors: as for is_true().
    Result<std::string> text(std::string_view expression);
    /// Evaluates an expression and returns its result as JSON. Errors: Invalid.
    Result<json::Value> document(std::string_view expression);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// Returns the fault of an expression that is empty or does not compile; nullopt if it compiles.
std::optional<Cause> check_admission_expression(
    std::string path, std::string_view expression, Purpose purpose = Purpose::Question
);

/// Returns true if all expressions of a list of matchConditions are true. Errors: Invalid if a
/// condition fails and none is false, or if the conditions exceed their budget.
Result<bool> match_conditions(AdmissionExpressions& expressions, const json::Value* conditions);

}  // namespace sluice::apiserver
