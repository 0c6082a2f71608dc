#include "cel/rules/compiled_schema.hpp"
#include "cel/rules/correlation.hpp"
#include "cel/rules/printing.hpp"
#include "cel/rules/schema_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::cel {
namespace {

constexpr std::string_view kOutOfBudget =
    "failed due to running out of cost budget, no further validation rules will be run";

/// Returns the name of a rule in messages: its message, else its expression.
std::string rule_name(const SchemaRule& rule) {
    return std::string(trim(rule.message.empty() ? rule.rule : rule.message));
}

/// A part of the object that is being checked.
struct Part {
    const json::Value* value = nullptr;
    const json::Value* old = nullptr;  ///< the value of oldSelf
    std::string path;
    Correlation correlation;
    /// The nearest part above that has an old value.
    const Correlation* parent = nullptr;
    bool is_root = false;

    /// Returns true if violations of rules without oldSelf are ignored.
    bool is_ratcheted() const {
        return correlation.is_known() ? correlation.is_unchanged()
                                      : parent != nullptr && parent->is_unchanged();
    }
};

/// The part and the variables that a rule is evaluated on.
struct Subject {
    const Part& part;
    const Bindings& bindings;
    /// The variables of the message expression. `oldSelf` is never an optional there, even if the
    /// expression was checked with an optional one; the API server does the same.
    const Bindings& message_bindings;
};

class RuleChecker {
  public:
    explicit RuleChecker(std::vector<RuleViolation>& unchanged) : unchanged_(unchanged) {}

    std::vector<RuleViolation> run(const CompiledSchema& root, const Part& part) {
        check(root, part);
        return std::move(violations_);
    }

  private:
    void check(const CompiledSchema& compiled, const Part& part) {
        if (part.value->is_null() || is_over()) {
            return;
        }
        check_rules(compiled, part);
        if (part.value->is_array()) {
            check_items(compiled, part);
        } else if (part.value->is_object()) {
            check_members(compiled, part);
        }
    }

    bool is_over() const { return remaining_ < 0; }

    /// Returns a part below. Lifetime: the result refers to `part`.
    static Part below(const Part& part, const json::Value& value, const Correlation& next) {
        Part result;
        result.value = &value;
        result.correlation = next;
        result.parent = part.correlation.is_known() ? &part.correlation : part.parent;
        return result;
    }

    void check_members(const CompiledSchema& compiled, const Part& part) {
        for (const auto& [name, value] : part.value->as_object()) {
            const auto found = compiled.properties.find(name);
            const CompiledSchema* rules = found != compiled.properties.end()
                                              ? found->second.get()
                                              : compiled.additional.get();
            if (rules == nullptr || is_over()) {
                continue;
            }
            Part next = below(part, value, part.correlation.member(name));
            if (part.is_root && (name == "apiVersion" || name == "kind")) {
                next.correlation = {};
                next.parent = nullptr;
            }
            next.old = part.old != nullptr ? part.old->find(name) : nullptr;
            next.path = found != compiled.properties.end() ? child_path(part.path, name)
                                                           : fmt::format("{}[{}]", part.path, name);
            check(*rules, next);
        }
    }

    void check_items(const CompiledSchema& compiled, const Part& part) {
        if (compiled.items == nullptr) {
            return;
        }
        const auto& items = part.value->as_array();
        const OldItems old_items(*compiled.schema, part.old);
        for (std::size_t i = 0; i < items.size() && !is_over(); ++i) {
            const json::Value* old = old_items.find(items[i]);
            Part next = below(part, items[i], {});
            next.old = old;
            if (old != nullptr && part.correlation.is_known()) {
                next.correlation = {&items[i], old, compiled.schema->items.get()};
            }
            next.path = fmt::format("{}[{}]", part.path, i);
            check(*compiled.items, next);
        }
    }

    void check_rules(const CompiledSchema& compiled, const Part& part) {
        if (compiled.rules.empty()) {
            return;
        }
        if (remaining_ <= 0) {
            type_fault(compiled, part, "validation " + std::string(kOutOfBudget));
            remaining_ = -1;
            return;
        }
        const json::Value* old = part.old != nullptr && !part.old->is_null() ? part.old : nullptr;
        Bindings bindings;
        bindings["self"] = make_value(*part.value, compiled.schema);
        Bindings optional_bindings = bindings;
        optional_bindings["oldSelf"] = Optional{};
        if (old != nullptr) {
            bindings["oldSelf"] = make_value(*old, compiled.schema);
            optional_bindings["oldSelf"] = make_optional(bindings["oldSelf"]);
        }
        for (const CompiledRule& rule : compiled.rules) {
            if (!rule.problem.empty()) {
                type_fault(compiled, part, "rule compile error: " + rule.problem);
                continue;
            }
            const bool is_optional = rule.source.optional_old_self.value_or(false);
            const Program* program = rule.program ? &*rule.program : nullptr;
            const bool has_old = old != nullptr || is_optional;
            if (program == nullptr || (rule.uses_old_self && !has_old)) {
                continue;
            }
            check_rule(
                compiled,
                rule,
                *program,
                {part, is_optional ? optional_bindings : bindings, bindings}
            );
            if (is_over()) {
                return;
            }
        }
    }

    /// Adds a violation that shows the type in place of the value.
    void type_fault(const CompiledSchema& compiled, const Part& part, std::string message) {
        violations_.push_back(
            {part.path, "FieldValueInvalid", quote(compiled.schema->type), std::move(message)}
        );
    }

    void check_rule(
        const CompiledSchema& compiled,
        const CompiledRule& rule,
        const Program& program,
        const Subject& subject
    ) {
        const Part& part = subject.part;
        std::uint64_t cost = 0;
        const auto value = evaluate(program, subject.bindings, kCallBudget, &cost);
        if (static_cast<std::int64_t>(std::min(cost, kObjectBudget + 1)) > remaining_) {
            type_fault(compiled, part, "validation " + std::string(kOutOfBudget));
            remaining_ = -1;
            return;
        }
        remaining_ -= static_cast<std::int64_t>(cost);
        if (!value) {
            report_failure(compiled, rule, part, value.error().detail);
        } else if (!value->is_true()) {
            report_broken(compiled, rule, subject);
        }
    }

    void report_failure(
        const CompiledSchema& compiled,
        const CompiledRule& rule,
        const Part& part,
        const std::string& failure
    ) {
        const auto name = rule_name(rule.source);
        if (failure.starts_with("no such overload")) {
            type_fault(
                compiled,
                part,
                fmt::format(
                    "'{}': call arguments did not match a supported operator, function or macro "
                    "signature for rule: {}",
                    failure,
                    name
                )
            );
        } else if (failure == kBudgetExceeded) {
            type_fault(
                compiled,
                part,
                fmt::format(
                    "'{}': no further validation rules will be run due to call cost exceeds limit "
                    "for rule: {}",
                    failure,
                    name
                )
            );
            remaining_ = -1;
        } else {
            type_fault(compiled, part, fmt::format("{} evaluating rule: {}", failure, name));
        }
    }

    void report_broken(
        const CompiledSchema& compiled, const CompiledRule& rule, const Subject& subject
    ) {
        const Part& part = subject.part;
        RuleViolation violation;
        violation.path =
            rule.field_path.empty() ? part.path : child_path(part.path, rule.field_path);
        violation.reason = rule.source.reason.value_or("FieldValueInvalid");
        violation.message = rule.source.message.empty() ? "failed rule: " + rule_name(rule.source)
                                                        : rule_name(rule.source);
        if (rule.message) {
            add_message(compiled, *rule.message, subject, violation);
        }
        const bool is_scalar =
            compiled.schema->type != "object" && compiled.schema->type != "array";
        const bool shows_value =
            violation.reason == "FieldValueInvalid" || violation.reason == "FieldValueDuplicate";
        if (violation.reason == "FieldValueDuplicate") {
            violation.message.clear();
        }
        if (is_scalar && shows_value && violation.value.empty()) {
            violation.value = print_bad_value(*part.value);
        }
        const bool counts = rule.uses_old_self || !part.is_ratcheted();
        (counts ? violations_ : unchanged_).push_back(std::move(violation));
    }

    /// Sets the violation's message to that of the message expression, if its result may be shown.
    void add_message(
        const CompiledSchema& compiled,
        const CompiledMessage& message,
        const Subject& subject,
        RuleViolation& violation
    ) {
        std::uint64_t cost = 0;
        const auto value = evaluate(message.program, subject.message_bindings, kCallBudget, &cost);
        std::string problem;
        if (static_cast<std::int64_t>(std::min(cost, kObjectBudget + 1)) > remaining_) {
            problem = "messageExpression evaluation " + std::string(kOutOfBudget);
        } else if (!value && value.error().detail == kBudgetExceeded) {
            problem = fmt::format(
                "no further validation rules will be run due to call cost exceeds limit for "
                "messageExpression: {}",
                quote(message.source)
            );
        }
        if (!problem.empty()) {
            violation.reason = "FieldValueInvalid";
            violation.value = quote(compiled.schema->type);
            violation.message = std::move(problem);
            remaining_ = -1;
            return;
        }
        remaining_ -= static_cast<std::int64_t>(cost);
        constexpr std::size_t kMaxMessage = std::size_t{5} * 1024;
        if (value && value->is<Text>()) {
            const auto text = trim(value->text());
            if (!text.empty() && text.size() <= kMaxMessage &&
                text.find('\n') == std::string_view::npos) {
                violation.message = text;
            }
        }
    }

    std::vector<RuleViolation> violations_;
    std::vector<RuleViolation>& unchanged_;
    std::int64_t remaining_ = static_cast<std::int64_t>(kObjectBudget);
};

}  // namespace

std::vector<RuleViolation> check(
    const RuleSet& rules,
    const json::Value& object,
    const json::Value* old_object,
    std::vector<RuleViolation>* unchanged
) {
    if (rules.empty()) {
        return {};
    }
    Part part;
    part.value = &object;
    part.old = old_object;
    part.is_root = true;
    if (old_object != nullptr) {
        part.correlation = {&object, old_object, rules.root().schema};
    }
    std::vector<RuleViolation> ignored;
    return RuleChecker(unchanged != nullptr ? *unchanged : ignored).run(rules.root(), part);
}

}  // namespace sluice::cel
