#include "cel/program.hpp"

#include "cel/interpreter.hpp"
#include "cel/parser.hpp"

#include <algorithm>

namespace sluice::cel {
namespace {

bool mentions(const Expression* e, std::string_view variable) {
    if (e == nullptr) {
        return false;
    }
    if (e->node == Expression::Node::Identifier) {
        return e->name == variable;
    }
    const auto in = [&](const ExpressionPtr& part) { return mentions(part.get(), variable); };
    return in(e->target) || std::ranges::any_of(e->arguments, in) ||
           (e->fold != nullptr && (in(e->fold->range) || in(e->fold->step)));
}

}  // namespace

bool Program::uses(std::string_view variable) const {
    return mentions(expression_.get(), variable);
}

Result<Program> compile(std::string_view source, const Declarations& declarations) {
    std::vector<Fault> faults;
    auto expression = parse_expression(source, faults);
    if (expression != nullptr) {
        check_expression(*expression, declarations, faults);
    }
    if (!faults.empty()) {
        return make_invalid(print_faults(source, std::move(faults)));
    }
    return Program(std::shared_ptr<const Expression>(std::move(expression)));
}

Result<Value> evaluate(
    const Program& program, const Bindings& bindings, std::uint64_t budget, std::uint64_t* cost
) {
    Interpreter interpreter(bindings, budget);
    Value value = interpreter.evaluate(program.expression());
    if (cost != nullptr) {
        *cost = interpreter.cost();
    }
    if (interpreter.is_exhausted()) {
        return make_invalid(std::string(kBudgetExceeded));
    }
    if (value.is_failure()) {
        return make_invalid(*value.get<Failure>().text);
    }
    return value;
}

}  // namespace sluice::cel
