#include "cel/evaluation/program.hpp"

#include "cel/evaluation/interpreter.hpp"
#include "cel/syntax/parser.hpp"

#include <algorithm>
#include <array>

namespace sluice::cel {
namespace {

bool mentions(const Expression& e, std::string_view variable) {
    bool found = e.node == Expression::Node::Identifier && e.name == variable;
    for_each_part(e, [&](const Expression& part) { found = found || mentions(part, variable); });
    return found;
}

/// Returns true if the expression is a literal, or conversions of one.
bool is_converted_literal(const Expression& e) {
    constexpr std::array<std::string_view, 9> kConversions{
        "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "uint"
    };
    return e.node == Expression::Node::Literal ||
           (e.node == Expression::Node::Call && e.target == nullptr && e.arguments.size() == 1 &&
            std::ranges::find(kConversions, e.name) != kConversions.end() &&
            is_converted_literal(*e.arguments[0]));
}

std::optional<std::string> find_failure(const Expression& e) {
    if (is_converted_literal(e)) {
        const Bindings none;
        const Value value = Interpreter(none, kCallBudget).evaluate(e);
        return value.is_failure() ? std::optional(*value.get<Failure>().text) : std::nullopt;
    }
    std::optional<std::string> failure;
    for_each_part(e, [&](const Expression& part) {
        failure = failure ? failure : find_failure(part);
    });
    return failure;
}

}  // namespace

std::optional<std::string> find_failing_constant(const Program& program) {
    return find_failure(program.expression());
}

bool Program::uses(std::string_view variable) const {
    return mentions(*expression_, variable);
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
