// Evaluates checked expressions and counts their cost.
#pragma once

#include "cel/evaluation/program.hpp"
#include "cel/syntax/expression.hpp"
#include "cel/syntax/overload.hpp"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::cel {

/// Evaluates checked expressions and counts their cost as the API server does.
class Interpreter {
  public:
    Interpreter(const Bindings& bindings, std::uint64_t budget)
        : bindings_(bindings), budget_(budget) {}

    Value evaluate(const Expression& e);
    std::uint64_t cost() const { return cost_; }
    /// Returns true if the budget is spent; all values are failures from then on.
    bool is_exhausted() const { return exhausted_; }

  private:
    Value identifier(const Expression& e) const;
    Value select(const Expression& e);
    Value has(const Expression& e);
    Value call(const Expression& e);
    Value logical(const Expression& e);
    Value conditional(const Expression& e);
    Value index(const Expression& e);
    Value optional_select(const Expression& e);
    Value choose_optional(const Expression& e);
    Value inequality(const Expression& e);
    Value function(const Expression& e);
    Value invoke(const Expression& e, std::vector<Value>& arguments);
    Value list(const Expression& e);
    Value map(const Expression& e);
    Value fold(const Expression& e);
    Value fold_over(const Expression& e, const Value& range);
    Value optional_map(const Expression& e);
    Value iterate(const Fold& fold, const Value& range, Value result);
    Value gather(const Fold& fold, const Value& range);
    void step_into(const Fold& fold, const Value& range, const Value& key, std::size_t position);
    void leave(const Fold& fold);

    /// Adds a cost. Returns false if the budget is spent.
    bool charge(std::uint64_t cost);
    /// Adds work that costs do not count. Beyond kMaxEffort, the budget counts as spent.
    void spend(std::uint64_t effort);

    const Bindings& bindings_;
    std::uint64_t budget_;
    std::uint64_t cost_ = 0;
    std::uint64_t effort_ = 0;
    bool exhausted_ = false;
    RegexCache regexes_;
    std::vector<std::pair<std::string_view, Value>> variables_;
};

}  // namespace sluice::cel
