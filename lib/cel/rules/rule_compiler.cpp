#include "cel/evaluation/cost_estimate.hpp"
#include "cel/rules/compiled_schema.hpp"
#include "cel/rules/field_path.hpp"
#include "cel/rules/printing.hpp"
#include "cel/rules/rule_costs.hpp"
#include "cel/rules/schema_rules.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice::cel {
namespace {

constexpr std::string_view kList = "x-kubernetes-validations";
constexpr std::array<std::string_view, 4> kReasons{
    "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"
};

std::string go_json(std::string_view text) {
    return json::escape_as_go(json::print(json::Value(text)));
}

/// Prints the rule as the API server prints it as a bad value.
std::string print_rule(const SchemaRule& rule) {
    const auto flag = [](const std::optional<bool>& value) {
        return !value ? "null" : *value ? "true" : "false";
    };
    return fmt::format(
        R"({{"Rule":{},"Message":{},"MessageExpression":{},"Reason":{},"FieldPath":{},)"
        R"("OptionalOldSelf":{}}})",
        go_json(rule.rule),
        go_json(rule.message),
        go_json(rule.message_expression),
        rule.reason ? go_json(*rule.reason) : "null",
        go_json(rule.field_path),
        flag(rule.optional_old_self)
    );
}

bool has_line_break(std::string_view text) {
    return text.find_first_of("\n\r") != std::string_view::npos;
}

/// Reports rules at places where they are not allowed.
void report_misplaced(
    const Schema& schema, const std::string& path, std::vector<RuleViolation>& faults
) {
    for (const std::string& place : schema.misplaced_rules) {
        faults.push_back(
            {fmt::format("{}{}.{}", path, place, kList),
             "FieldValueForbidden",
             "",
             "must be empty to be structural"}
        );
    }
    for (const auto& [name, property] : schema.properties) {
        report_misplaced(*property, fmt::format("{}.properties[{}]", path, name), faults);
    }
    if (schema.items != nullptr) {
        report_misplaced(*schema.items, path + ".items", faults);
    }
    if (schema.additional != nullptr) {
        report_misplaced(*schema.additional, path + ".additionalProperties", faults);
    }
}

/// Returns true if the part or a part below it has rules.
bool has_rules(const Schema& schema) {
    return !schema.rules.empty() || (schema.items != nullptr && has_rules(*schema.items)) ||
           (schema.additional != nullptr && has_rules(*schema.additional)) ||
           std::ranges::any_of(schema.properties, [](const auto& each) {
               return has_rules(*each.second);
           });
}

class RuleCompiler {
  public:
    explicit RuleCompiler(std::vector<RuleViolation>& faults) : faults_(faults) {}

    void report_total(std::string_view path) const { costs_.report_total(path, faults_); }

    /// A place in the schema: its path for messages, and the path of the outermost list above
    /// whose items have no old value (oldSelf is not allowed below it).
    struct Place {
        std::string path;
        std::string uncorrelated;
        Occurrences occurrences = 1;
    };

    std::unique_ptr<CompiledSchema> compile_part(const Schema& node, const Place& place) {
        auto part = std::make_unique<CompiledSchema>();
        part->schema = &node;
        const auto faults_before = shape_faults_;
        compile_below(node, place, *part);
        for (std::size_t i = 0; i < node.rules.size(); ++i) {
            check_shape(node.rules[i], node, index_path(place, i));
        }
        for (std::size_t i = 0; shape_faults_ == faults_before && i < node.rules.size(); ++i) {
            part->rules.push_back(compile_rule(node.rules[i], node, index_path(place, i), place));
        }
        const bool has_parts =
            part->items != nullptr || part->additional != nullptr || !part->properties.empty();
        return part->rules.empty() && !has_parts ? nullptr : std::move(part);
    }

  private:
    static std::string index_path(const Place& place, std::size_t index) {
        return fmt::format("{}.{}[{}]", place.path, kList, index);
    }

    void compile_below(const Schema& node, const Place& place, CompiledSchema& part) {
        const auto below = [&](std::string_view step, bool correlates, Occurrences occurrences) {
            Place next = place;
            next.path = child_path(place.path, step);
            next.occurrences = occurrences;
            if (!correlates && next.uncorrelated.empty()) {
                next.uncorrelated = place.path;
            }
            return next;
        };
        if (node.additional != nullptr) {
            part.additional = compile_part(
                *node.additional,
                below("additionalProperties", true, occurrences_of_items(place.occurrences, node))
            );
        }
        for (const auto& [name, property] : node.properties) {
            const auto step = fmt::format("properties[{}]", name);
            auto compiled = compile_part(*property, below(step, true, place.occurrences));
            if (compiled != nullptr) {
                part.properties.emplace(name, std::move(compiled));
            }
        }
        if (node.items != nullptr) {
            const bool correlates = node.list_type == Schema::ListType::Map;
            part.items = compile_part(
                *node.items,
                below("items", correlates, occurrences_of_items(place.occurrences, node))
            );
        }
    }

    void report(
        const std::string& path, std::string reason, std::string value, std::string message
    ) {
        faults_.push_back({path, std::move(reason), std::move(value), std::move(message)});
    }
    void invalid(const std::string& path, std::string value, std::string message) {
        report(path, "FieldValueInvalid", std::move(value), std::move(message));
    }

    /// Checks a rule before its expression is parsed.
    void check_shape(const SchemaRule& rule, const Schema& node, const std::string& path) {
        const auto before = faults_.size();
        const auto text = trim(rule.rule);
        const auto message = trim(rule.message);
        const auto empty = std::string_view("must be non-empty if specified");
        if (text.empty()) {
            report(path + ".rule", "FieldValueRequired", "", "rule is not specified");
        } else if (!rule.message.empty() && message.empty()) {
            invalid(path + ".message", quote(rule.message), std::string(empty));
        } else if (has_line_break(message)) {
            invalid(path + ".message", quote(rule.message), "must not contain line breaks");
        } else if (has_line_break(text) && message.empty()) {
            report(
                path + ".message",
                "FieldValueRequired",
                "",
                "message must be specified if rule contains line breaks"
            );
        }
        if (!rule.message_expression.empty() && trim(rule.message_expression).empty()) {
            report(
                path + ".messageExpression",
                "FieldValueRequired",
                "",
                "messageExpression must be non-empty if specified"
            );
        }
        if (rule.reason && std::ranges::find(kReasons, *rule.reason) == kReasons.end()) {
            report(
                path + ".reason",
                "FieldValueNotSupported",
                quote(*rule.reason),
                fmt::format("supported values: \"{}\"", fmt::join(kReasons, "\", \""))
            );
        }
        check_field_path(rule, node, path + ".fieldPath");
        shape_faults_ += faults_.size() - before;
    }

    void check_field_path(const SchemaRule& rule, const Schema& node, const std::string& path) {
        if (rule.field_path.empty()) {
            return;
        }
        if (trim(rule.field_path).empty()) {
            invalid(path, quote(rule.field_path), "must be non-empty if specified");
        }
        if (has_line_break(rule.field_path)) {
            invalid(path, quote(rule.field_path), "must not contain line breaks");
        }
        if (!read_field_path(rule.field_path, node)) {
            invalid(path, quote(rule.field_path), "must be a valid path");
        }
    }

    static Declarations declare(const SchemaRule& rule, const Schema& node, std::string scope) {
        Declarations declarations;
        declarations.scope = std::move(scope);
        declarations.variables["self"] = node.declared;
        declarations.variables["oldSelf"] = rule.optional_old_self.value_or(false)
                                                ? make_optional_type(node.declared)
                                                : node.declared;
        return declarations;
    }

    CompiledRule compile_rule(
        const SchemaRule& rule, const Schema& node, const std::string& path, const Place& place
    ) {
        CompiledRule compiled;
        compiled.source = rule;
        if (trim(rule.rule).empty()) {
            return compiled;
        }
        if (node.declared == nullptr) {
            compiled.problem = "failed to convert to declType for CEL validation rules";
            report(
                child_path(place.path, kList),
                "InternalError",
                "",
                "internal error: failed to retrieve type information for x-kubernetes-validations"
            );
            return compiled;
        }
        compiled.field_path = read_field_path(rule.field_path, node).value_or("");
        const auto declarations = declare(rule, node, node.scope);
        compile_condition(compiled, declarations);
        if (compiled.problem.empty()) {
            compile_message(compiled, declarations, path);
        }
        report_rule(compiled, node, path, place);
        return compiled;
    }

    static void compile_condition(CompiledRule& compiled, const Declarations& declarations) {
        auto program = compile(compiled.source.rule, declarations);
        if (!program) {
            compiled.problem = "compilation failed: " + program.error().detail;
        } else if (program->type().kind != Kind::Bool) {
            compiled.problem = "cel expression must evaluate to a bool";
        } else {
            compiled.uses_old_self = program->uses("oldSelf");
            if (const auto failure = find_failing_constant(*program)) {
                compiled.problem = "program instantiation failed: " + *failure;
                return;
            }
            compiled.cost =
                estimate_cost(program->expression(), *declarations.variables.at("self"));
            compiled.program = std::move(*program);
        }
    }

    void compile_message(
        CompiledRule& compiled, const Declarations& declarations, const std::string& path
    ) {
        const std::string& source = compiled.source.message_expression;
        if (source.empty()) {
            return;
        }
        auto program = compile(source, declarations);
        std::string problem;
        if (!program) {
            problem = "messageExpression compilation failed: " + program.error().detail;
        } else if (program->type().kind != Kind::String) {
            problem = "messageExpression must evaluate to a string";
        } else if (const auto failure = find_failing_constant(*program)) {
            problem = "messageExpression instantiation failed: " + *failure;
        } else {
            compiled.message_cost =
                estimate_cost(program->expression(), *declarations.variables.at("self"));
            compiled.message = CompiledMessage{source, std::move(*program)};
            return;
        }
        invalid(path + ".messageExpression", print_rule(compiled.source), problem);
    }

    void report_cost(const std::string& path, std::string_view name, std::uint64_t cost) {
        if (auto excess = costs_.add(path + "." + std::string(name), name, cost)) {
            report(path + "." + std::string(name), "FieldValueForbidden", "", std::move(*excess));
        }
    }

    void report_rule(
        const CompiledRule& compiled,
        const Schema& node,
        const std::string& path,
        const Place& place
    ) {
        const SchemaRule& rule = compiled.source;
        report_cost(path, "rule", total_cost(compiled.cost, place.occurrences, node));
        if (compiled.message) {
            report_cost(path, "messageExpression", compiled.message_cost);
        }
        if (!compiled.problem.empty()) {
            invalid(path + ".rule", print_rule(rule), compiled.problem);
        }
        if (compiled.uses_old_self && !place.uncorrelated.empty()) {
            invalid(
                path + ".rule",
                quote(rule.rule),
                "oldSelf cannot be used on the uncorrelatable portion of the schema within " +
                    place.uncorrelated
            );
        } else if (!compiled.uses_old_self && rule.optional_old_self) {
            invalid(
                path + ".optionalOldSelf",
                *rule.optional_old_self ? "true" : "false",
                "may not be set if oldSelf is not used in rule"
            );
        }
    }

    std::vector<RuleViolation>& faults_;
    RuleCosts costs_;
    std::size_t shape_faults_ = 0;
};

}  // namespace

bool RuleSet::empty() const {
    return root_ == nullptr;
}

Result<RuleSet> compile_rules(
    const json::Value& open_api_v3_schema, std::string_view path, std::vector<RuleViolation>* faults
) {
    auto schema = read_schema(open_api_v3_schema, true);
    if (!schema) {
        return schema.error();
    }
    std::vector<RuleViolation> found;
    std::shared_ptr<CompiledSchema> root;
    report_misplaced(**schema, std::string(path), found);
    if (found.empty() && has_rules(**schema)) {
        RuleCompiler compiler(found);
        root = compiler.compile_part(**schema, {std::string(path), "", 1});
        compiler.report_total(path);
    }
    if (!found.empty()) {
        std::string detail;
        for (const RuleViolation& each : found) {
            detail += (detail.empty() ? "" : ", ") + print_violation(each);
        }
        if (faults != nullptr) {
            *faults = std::move(found);
        }
        return make_invalid(std::move(detail));
    }
    if (root != nullptr) {
        root->owned = std::move(*schema);
    }
    return RuleSet(std::move(root));
}

}  // namespace sluice::cel
