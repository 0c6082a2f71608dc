// Compiles one CEL expression and evaluates it within a budget.
#pragma once

#include "base/error.hpp"
#include "cel/syntax/checker.hpp"
#include "cel/syntax/expression.hpp"
#include "cel/values/value.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::cel {

/// The API server's cost limits for one expression, and for all rules of one object together.
inline constexpr std::uint64_t kCallBudget = 1'000'000;
inline constexpr std::uint64_t kObjectBudget = 10'000'000;
/// The failure of an expression that exceeds its budget.
inline constexpr std::string_view kBudgetExceeded =
    "operation cancelled: actual cost limit exceeded";

/// An expression that was parsed and checked. Copies share it.
class Program {
  public:
    /// The type of the expression's value.
    const Type& type() const { return *expression_->type; }
    const Expression& expression() const { return *expression_; }
    /// Returns true if the expression uses the variable.
    bool uses(std::string_view variable) const;

  private:
    friend Result<Program> compile(std::string_view, const Declarations&);
    explicit Program(std::shared_ptr<const Expression> expression)
        : expression_(std::move(expression)) {}
    std::shared_ptr<const Expression> expression_;
};

/// Parses and checks an expression. Errors: Invalid, with the faults in the form of the API server:
/// `ERROR: <input>:1:5: undefined field 'x'`, the line, and a mark below it.
Result<Program> compile(std::string_view source, const Declarations& declarations);

/// Returns the failure of a conversion of a literal, such as `uint(-1)`; nullopt if none fails. The
/// API server refuses such an expression before it ever runs.
std::optional<std::string> find_failing_constant(const Program& program);

/// The values of variables. A missing variable is a failure when it is used.
using Bindings = std::map<std::string, Value, std::less<>>;

/// Evaluates an expression. If `cost` is not nullptr, it is set to the cost, even if the evaluation
/// fails. Errors: Invalid with the failure (`no such key: x`), or kBudgetExceeded. Cost: bounded by
/// the budget. Lifetime: the value may refer to data that the bindings refer to.
Result<Value> evaluate(
    const Program& program,
    const Bindings& bindings,
    std::uint64_t budget = kCallBudget,
    std::uint64_t* cost = nullptr
);

}  // namespace sluice::cel
