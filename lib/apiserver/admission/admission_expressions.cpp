#include "apiserver/admission/admission_expressions.hpp"

#include "apiserver/objects/values.hpp"
#include "cel/evaluation/program.hpp"
#include "cel/values/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

constexpr std::string_view kVariables = "variables";
constexpr std::string_view kCompilation = "compilation failed";
constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// The variables of a policy that an expression reads; nullopt if it may read any of them.
using Names = std::optional<std::set<std::string, std::less<>>>;

void add_used_variables(const cel::Expression& part, Names& names) {
    using Node = cel::Expression::Node;
    const bool is_member = part.node == Node::Select && part.target != nullptr &&
                           part.target->node == Node::Identifier && part.target->name == kVariables;
    if (is_member && names) {
        names->insert(part.name);
    } else if (part.node == Node::Identifier && part.name == kVariables) {
        names.reset();
    }
    if (!is_member) {
        cel::for_each_part(part, [&names](const cel::Expression& inner) {
            add_used_variables(inner, names);
        });
    }
}

Names used_variables(const cel::Program& program) {
    Names names{std::in_place};
    add_used_variables(program.expression(), names);
    return names;
}

}  // namespace

struct AdmissionExpressions::Parts {
    struct Variable {
        std::string name;
        std::string expression;
        bool is_needed = false;  ///< it is or will be evaluated
        std::optional<cel::Value> value;
    };

    Parts(AdmissionPrograms& known, Purpose what_for) : programs(known), purpose(what_for) {}
    ~Parts();
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    Result<cel::Value> evaluate(std::string_view expression);
    Result<cel::Value> run(const cel::Program& program, std::size_t end);
    void spend(std::uint64_t cost);

    // Expressions see the variables before `end`.
    std::optional<std::size_t> find_variable(std::string_view name, std::size_t end) const;
    void note_needed(const cel::Program& program, std::size_t end, std::vector<std::size_t>& noted);
    void evaluate_needed(const cel::Program& program);
    void bind_variables(const cel::Program& program, std::size_t end);

    AdmissionPrograms& programs;
    Purpose purpose;
    cel::Bindings bindings;
    std::vector<Variable> variables;  ///< each may use the variables before it
    /// Indices into `variables`, by name.
    std::map<std::string, std::vector<std::size_t>, std::less<>> positions;
    std::size_t all_needed_end = 0;  ///< all variables before this index are needed
    std::uint64_t budget = 0;
    bool is_out_of_budget = false;
};

AdmissionExpressions::Parts::~Parts() {
    // Destroys the variables from the last to the first: a variable may contain the value of the
    // one before it, and so on. In the other order, the destructors would nest as deep as there are
    // variables.
    bindings.clear();
    while (!variables.empty()) {
        variables.pop_back();
    }
}

AdmissionExpressions::AdmissionExpressions(
    const AdmissionContext& context, AdmissionPrograms& programs, Purpose purpose
)
    : parts_(std::make_unique<Parts>(programs, purpose)) {
    const auto bind = [this](const char* name, const json::Value& value) {
        parts_->bindings.emplace(
            name, value.is_null() ? cel::Value() : cel::make_value(value, nullptr)
        );
    };
    bind("object", context.object);
    bind("oldObject", context.old_object);
    bind("request", context.request);
    bind("params", context.params);
    bind("namespaceObject", context.ns_object);
    parts_->bindings.emplace(kVariables, cel::make_map({}));
}

AdmissionExpressions::~AdmissionExpressions() = default;

void AdmissionExpressions::grant(std::uint64_t budget) {
    parts_->budget = budget;
    parts_->is_out_of_budget = false;
}

bool AdmissionExpressions::is_out_of_budget() const {
    return parts_->is_out_of_budget;
}

void AdmissionExpressions::add_variable(std::string_view name, std::string_view expression) {
    parts_->positions[std::string(name)].push_back(parts_->variables.size());
    parts_->variables.push_back(
        {.name = std::string(name), .expression = std::string(expression), .value = std::nullopt}
    );
}

void AdmissionExpressions::Parts::spend(std::uint64_t cost) {
    if (cost > budget) {
        is_out_of_budget = true;
    } else {
        budget -= cost;
    }
}

/// Subtracts the cost of the evaluation from the budget, even if it fails. Requires: the variables
/// that the program uses are evaluated.
Result<cel::Value> AdmissionExpressions::Parts::run(const cel::Program& program, std::size_t end) {
    bind_variables(program, end);
    if (is_out_of_budget) {
        return make_invalid(std::string(kOutOfBudget));
    }
    std::uint64_t cost = 0;
    auto value = cel::evaluate(program, bindings, cel::kCallBudget, &cost);
    spend(cost);
    return is_out_of_budget ? make_invalid(std::string(kOutOfBudget)) : value;
}

/// Returns the last variable of that name before `end`.
std::optional<std::size_t> AdmissionExpressions::Parts::find_variable(
    std::string_view name, std::size_t end
) const {
    const auto found = positions.find(name);
    if (found == positions.end()) {
        return std::nullopt;
    }
    const auto after = std::ranges::lower_bound(found->second, end);
    return after == found->second.begin() ? std::nullopt : std::optional(*std::prev(after));
}

/// Records the variables that a program uses and that were not needed before.
void AdmissionExpressions::Parts::note_needed(
    const cel::Program& program, std::size_t end, std::vector<std::size_t>& noted
) {
    const auto note = [&](std::size_t at) {
        if (!std::exchange(variables[at].is_needed, true)) {
            noted.push_back(at);
        }
    };
    const Names names = used_variables(program);
    if (!names) {
        for (; all_needed_end < end; ++all_needed_end) {
            note(all_needed_end);
        }
        return;
    }
    for (const std::string& name : *names) {
        if (const auto at = find_variable(name, end)) {
            note(*at);
        }
    }
}

/// Variables can use each other in chains of any length, so the evaluation of one must not nest in
/// the evaluation of another.
void AdmissionExpressions::Parts::evaluate_needed(const cel::Program& program) {
    std::vector<std::size_t> needed;
    note_needed(program, variables.size(), needed);
    for (std::size_t i = 0; i < needed.size(); ++i) {
        const std::size_t at = needed[i];
        if (const auto& used = programs.get(variables[at].expression, purpose)) {
            note_needed(*used, at, needed);
        }
    }
    std::ranges::sort(needed);
    for (const std::size_t at : needed) {
        Variable& variable = variables[at];
        const auto& used = programs.get(variable.expression, purpose);
        auto value =
            used ? run(*used, at) : Result<cel::Value>(with_context(used.error(), kCompilation));
        if (is_out_of_budget) {
            return;
        }
        variable.value = value ? std::move(*value) : cel::make_failure(value.error().detail);
    }
}

/// Binds the variables that a program uses.
void AdmissionExpressions::Parts::bind_variables(const cel::Program& program, std::size_t end) {
    std::vector<cel::Map::Entry> entries;
    const auto add = [&](const Variable& variable) {
        if (variable.value) {
            entries.emplace_back(cel::make_string(variable.name), *variable.value);
        }
    };
    if (const Names names = used_variables(program)) {
        for (const std::string& name : *names) {
            if (const auto at = find_variable(name, end)) {
                add(variables[*at]);
            }
        }
    } else {
        spend(end);  // each expression that may read any variable copies all of them
        if (is_out_of_budget) {
            return;
        }
        std::for_each_n(variables.begin(), end, add);
    }
    bindings.insert_or_assign(std::string(kVariables), cel::make_map(std::move(entries)));
}

Result<cel::Value> AdmissionExpressions::Parts::evaluate(std::string_view expression) {
    const Result<cel::Program>& program = programs.get(expression, purpose);
    if (!program) {
        return with_context(program.error(), kCompilation);
    }
    evaluate_needed(*program);
    return run(*program, variables.size());
}

Result<bool> AdmissionExpressions::is_true(std::string_view expression) {
    const auto value = parts_->evaluate(expression);
    if (!value) {
        return value.error();
    }
    if (!value->is<bool>()) {
        return make_invalid(
            fmt::format("expected evaluation type of bool, got {}", cel::type_name(*value))
        );
    }
    return value->is_true();
}

Result<std::string> AdmissionExpressions::text(std::string_view expression) {
    const auto value = parts_->evaluate(expression);
    if (!value) {
        return value.error();
    }
    if (!value->is<cel::Text>()) {
        return make_invalid(
            fmt::format("expected evaluation type of string, got {}", cel::type_name(*value))
        );
    }
    return std::string(value->text());
}

Result<json::Value> AdmissionExpressions::document(std::string_view expression) {
    const auto value = parts_->evaluate(expression);
    return value ? cel::to_json(*value) : Result<json::Value>(value.error());
}

std::optional<Cause> check_admission_expression(
    std::string path, std::string_view expression, Purpose purpose
) {
    if (expression.empty()) {
        return api::FieldError::required(std::move(path));
    }
    const auto program = cel::compile(expression, admission_declarations(purpose));
    if (program) {
        return std::nullopt;
    }
    return api::FieldError::invalid(
        std::move(path),
        json::Value(expression),
        fmt::format("compilation failed: {}", program.error().detail)
    );
}

Result<bool> match_conditions(AdmissionExpressions& expressions, const json::Value* conditions) {
    expressions.grant(kConditionsBudget);
    Result<bool> matches = true;
    for (const json::Value& condition : items_of(conditions)) {
        auto holds = expressions.is_true(condition.string_at("expression"));
        if (expressions.is_out_of_budget()) {
            return holds.error();
        }
        if (holds && !*holds) {
            return false;
        }
        if (!holds && matches) {
            matches = with_context(
                holds.error(),
                fmt::format("expression '{}' resulted in error", condition.string_at("expression"))
            );
        }
    }
    return matches;
}

}  // namespace sluice::apiserver
