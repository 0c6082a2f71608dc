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

/// What expressions of admission see. Null: there is none.
struct AdmissionContext {
    json::Value object;
    json::Value old_object;
    json::Value request;    ///< of the AdmissionReview, without the objects
    json::Value params;     ///< of a policy
    json::Value ns_object;  ///< the namespace
};

/// What all matchConditions of a webhook or policy together may cost, and all validations of a
/// policy: the API server's limits.
inline constexpr std::uint64_t kConditionsBudget = 2'500'000;
inline constexpr std::uint64_t kValidationsBudget = 10'000'000;

/// Evaluates expressions of CEL about one request, as far as a budget goes. Lifetime: the arguments
/// must outlive it.
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

    /// What is evaluated from now on may cost so much together.
    void grant(std::uint64_t budget);
    /// Whether the budget was too small: the last error says so, and nothing is to be made of what
    /// was evaluated.
    bool is_out_of_budget() const;
    /// Adds `variables.NAME`, which is evaluated when an expression first uses it, at that
    /// expression's cost; that it fails is told to those who use it.
    void add_variable(std::string_view name, std::string_view expression);
    /// Errors: Invalid, why it has no such value.
    Result<bool> is_true(std::string_view expression);
    Result<std::string> text(std::string_view expression);
    Result<json::Value> document(std::string_view expression);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// What is wrong with an expression before it ever runs.
std::optional<Cause> check_admission_expression(
    std::string path, std::string_view expression, Purpose purpose = Purpose::Question
);

/// Whether all conditions of a list of matchConditions hold. Errors: Invalid, of one that fails
/// where none is false, or where they cost too much.
Result<bool> match_conditions(AdmissionExpressions& expressions, const json::Value* conditions);

}  // namespace sluice::apiserver
