#include "cel/compiled_schema.hpp"
#include "cel/field_path.hpp"
#include "cel/printing.hpp"
#include "cel/schema_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice::cel {
namespace {

constexpr std::string_view kList = "x-kubernetes-validations";
constexpr std::array<std::string_view, 4> kReasons{
    "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"
};

/// JSON text as Go writes it: without raw angle brackets and ampersands.
std::string go_json(std::string_view text) {
    std::string result;
    for (const char c : json::print(json::Value(text))) {
        result += c == '<'   ? "\\u003c"
                  : c == '>' ? "\\u003e"
                  : c == '&' ? "\\u0026"
                             : std::string{c};
    }
    return result;
}

/// The rule as the API server prints it as a bad value.
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

/// Whether rules may stand there: those of `allOf` alone are never looked at.
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

    /// Where in the schema it is: what its faults are called, and where oldSelf has no meaning.
    struct Place {
        std::string path;
        std::string uncorrelated;
        bool is_reported = true;
    };

    /// `source`: the schema with the rules; `node`: the one that types the data.
    std::unique_ptr<CompiledSchema> compile_part(
        const Schema& source, const Schema& node, const Place& place
    ) {
        auto part = std::make_unique<CompiledSchema>();
        part->schema = &node;
        const auto faults_before = shape_faults_;
        compile_below(source, node, place, *part);
        for (std::size_t i = 0; i < source.rules.size(); ++i) {
            check_shape(source.rules[i], node, index_path(place, i), place.is_reported);
        }
        for (std::size_t i = 0; shape_faults_ == faults_before && i < source.rules.size(); ++i) {
            part->rules.push_back(compile_rule(source.rules[i], node, index_path(place, i), place));
        }
        const bool has_parts = part->items != nullptr || part->additional != nullptr ||
                               !part->properties.empty() || !part->all_of.empty();
        return part->rules.empty() && !has_parts ? nullptr : std::move(part);
    }

  private:
    static std::string index_path(const Place& place, std::size_t index) {
        return fmt::format("{}.{}[{}]", place.path, kList, index);
    }

    void compile_below(
        const Schema& source, const Schema& node, const Place& place, CompiledSchema& part
    ) {
        const auto below = [&](std::string_view step, bool correlates) {
            Place next = place;
            next.path = child_path(place.path, step);
            if (!correlates && next.uncorrelated.empty()) {
                next.uncorrelated = place.path;
            }
            return next;
        };
        if (source.additional != nullptr && node.additional != nullptr) {
            part.additional = compile_part(
                *source.additional, *node.additional, below("additionalProperties", true)
            );
        }
        for (const auto& [name, property] : source.properties) {
            const Schema* known = node.find(name);
            if (known == nullptr) {
                continue;
            }
            auto compiled =
                compile_part(*property, *known, below(fmt::format("properties[{}]", name), true));
            if (compiled != nullptr) {
                part.properties.emplace(name, std::move(compiled));
            }
        }
        for (const auto& each : source.all_of) {
            Place place_of_all = place;
            place_of_all.is_reported = false;
            if (auto compiled = compile_part(*each, node, place_of_all)) {
                part.all_of.push_back(std::move(compiled));
            }
        }
        if (source.items != nullptr && node.items != nullptr) {
            const bool correlates = node.list_type == Schema::ListType::Map;
            part.items = compile_part(*source.items, *node.items, below("items", correlates));
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

    /// What is wrong with a rule before its expression is read.
    void check_shape(
        const SchemaRule& rule, const Schema& node, const std::string& path, bool is_reported
    ) {
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
        if (!is_reported) {
            faults_.resize(before);
        }
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
            if (place.is_reported) {
                report(
                    child_path(place.path, kList),
                    "InternalError",
                    "",
                    "internal error: failed to retrieve type information for "
                    "x-kubernetes-validations"
                );
            }
            return compiled;
        }
        compiled.field_path = read_field_path(rule.field_path, node).value_or("");
        const auto declarations = declare(rule, node, node.scope);
        compile_condition(compiled, declarations);
        if (compiled.problem.empty()) {
            compile_message(compiled, declarations, path, place.is_reported);
        }
        if (place.is_reported) {
            report_rule(compiled, path, place);
        }
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
            compiled.program = std::move(*program);
        }
    }

    void compile_message(
        CompiledRule& compiled,
        const Declarations& declarations,
        const std::string& path,
        bool is_reported
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
        } else {
            compiled.message = CompiledMessage{source, std::move(*program)};
            return;
        }
        if (is_reported) {
            invalid(path + ".messageExpression", print_rule(compiled.source), problem);
        }
    }

    void report_rule(const CompiledRule& compiled, const std::string& path, const Place& place) {
        const SchemaRule& rule = compiled.source;
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
    if (has_rules(**schema)) {
        RuleCompiler compiler(found);
        root = compiler.compile_part(**schema, **schema, {std::string(path), "", true});
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
