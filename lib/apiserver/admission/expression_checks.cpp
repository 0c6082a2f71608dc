#include "apiserver/admission/expression_checks.hpp"

#include "apiserver/objects/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <utility>

namespace sluice::apiserver {
namespace {

using cel::Kind;
using cel::TypePtr;
using json::Value;

TypePtr object_type(
    std::string name, std::initializer_list<std::pair<const char*, TypePtr>> fields
) {
    auto type = std::make_shared<cel::Type>();
    type->kind = Kind::Object;
    type->name = std::move(name);
    for (const auto& [field, of] : fields) {
        type->fields.emplace(field, of);
    }
    return type;
}

/// Returns the type of core/v1 Namespace, with the fields that expressions can read.
TypePtr namespace_type() {
    const TypePtr& text = cel::simple_type(Kind::String);
    const TypePtr texts = cel::make_list_type(text);
    const TypePtr map = cel::make_map_type(text, text);
    const TypePtr& time = cel::simple_type(Kind::Timestamp);
    const TypePtr& number = cel::simple_type(Kind::Int);
    const TypePtr metadata = object_type(
        "kubernetes.NamespaceMetadata",
        {{"name", text},
         {"generateName", text},
         {"namespace", text},
         {"labels", map},
         {"annotations", map},
         {"UID", text},
         {"creationTimestamp", time},
         {"deletionGracePeriodSeconds", number},
         {"deletionTimestamp", time},
         {"generation", number},
         {"resourceVersion", text},
         {"finalizers", texts}}
    );
    return object_type(
        "kubernetes.Namespace",
        {{"metadata", metadata},
         {"spec", object_type("kubernetes.NamespaceSpec", {{"finalizers", texts}})},
         {"status", object_type("kubernetes.NamespaceStatus", {{"phase", text}})}}
    );
}

/// Returns the type of admission/v1 AdmissionRequest, without the objects.
TypePtr request_type() {
    const TypePtr& text = cel::simple_type(Kind::String);
    const TypePtr texts = cel::make_list_type(text);
    const TypePtr kind = object_type(
        "kubernetes.GroupVersionKind", {{"group", text}, {"version", text}, {"kind", text}}
    );
    const TypePtr resource = object_type(
        "kubernetes.GroupVersionResource", {{"group", text}, {"version", text}, {"resource", text}}
    );
    const TypePtr user = object_type(
        "kubernetes.UserInfo",
        {{"username", text},
         {"uid", text},
         {"groups", texts},
         {"extra", cel::make_map_type(text, texts)}}
    );
    return object_type(
        "kubernetes.AdmissionRequest",
        {{"kind", kind},
         {"resource", resource},
         {"subResource", text},
         {"requestKind", kind},
         {"requestResource", resource},
         {"requestSubResource", text},
         {"name", text},
         {"namespace", text},
         {"operation", text},
         {"userInfo", user},
         {"dryRun", cel::simple_type(Kind::Bool)},
         {"options", cel::simple_type(Kind::Dyn)}}
    );
}

/// Subtracts the number of parts of a type from `left`. Returns false if the type has more parts:
/// variables that are built from other variables can double the size of the type each time. The
/// type of all variables itself is also too large.
bool fits_in(const cel::Type& type, const cel::Type& variables, int& left) {
    --left;
    return left >= 0 && &type != &variables &&
           std::ranges::all_of(type.parameters, [&](const TypePtr& part) {
               return fits_in(*part, variables, left);
           });
}

/// Prints a type as the CEL library of the API server does.
std::string print_admission_type(const cel::Type& type) {
    return type.kind == Kind::Duration    ? "google.protobuf.Duration"
           : type.kind == Kind::Timestamp ? "google.protobuf.Timestamp"
           : type.kind == Kind::Null      ? "null_type"
                                          : cel::print_type(type, "");
}

std::string print_kind(Kind kind) {
    return print_admission_type(*cel::simple_type(kind));
}

}  // namespace

ExpressionChecks::ExpressionChecks(std::vector<Cause>& causes, bool has_parameters)
    : causes_(causes), variables_(std::make_shared<cel::Type>()) {
    variables_->kind = Kind::Object;
    variables_->name = "kubernetes.variables";
    static const TypePtr kRequest = request_type();
    static const TypePtr kNamespace = namespace_type();
    const TypePtr& dyn = cel::simple_type(Kind::Dyn);
    declarations_.variables = {
        {"object", dyn}, {"oldObject", dyn}, {"request", kRequest}, {"namespaceObject", kNamespace}
    };
    if (has_parameters) {
        declarations_.variables.emplace("params", dyn);
    }
}

const cel::Type* ExpressionChecks::compile(const std::string& path, std::string_view expression) {
    const auto program = cel::compile(expression, declarations_);
    if (!program) {
        causes_.push_back(api::FieldError::invalid(
            path, expression, fmt::format("compilation failed: {}", program.error().detail)
        ));
        return nullptr;
    }
    last_ = std::make_shared<cel::Type>(program->type());
    return last_.get();
}

void ExpressionChecks::expect(
    std::string path, std::string_view expression, std::vector<cel::Kind> kinds
) {
    const cel::Type* type = compile(path, expression);
    if (type == nullptr || std::ranges::find(kinds, type->kind) != kinds.end()) {
        return;
    }
    std::string wanted = print_kind(kinds.front());
    if (kinds.size() > 1) {
        wanted = "one of [" + wanted;
        for (std::size_t i = 1; i < kinds.size(); ++i) {
            wanted += " " + print_kind(kinds[i]);
        }
        wanted += "]";
    }
    causes_.push_back(api::FieldError::invalid(
        std::move(path),
        expression,
        fmt::format("must evaluate to {} but got {}", wanted, print_admission_type(*type))
    ));
}

void ExpressionChecks::check_question(
    std::string path, std::string_view expression, std::string_view missing
) {
    if (expression.empty()) {
        causes_.push_back(api::FieldError::required(std::move(path), missing));
    } else {
        expect(std::move(path), expression, {Kind::Bool});
    }
}

void ExpressionChecks::check_text(std::string path, std::string_view expression) {
    if (!expression.empty()) {
        expect(std::move(path), expression, {Kind::String});
    }
}

void ExpressionChecks::check_annotation(std::string path, std::string_view expression) {
    if (!expression.empty()) {
        expect(std::move(path), expression, {Kind::String, Kind::Null});
    }
}

void ExpressionChecks::add_variables(const std::string& path, const Value* list) {
    const auto& variables = items_of(list);
    if (!variables.empty()) {
        declarations_.variables.insert_or_assign("variables", variables_);
    }
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const std::string field = fmt::format("{}[{}].expression", path, i);
        const auto expression = variables[i].string_at("expression");
        const cel::Type* type = nullptr;
        if (expression.empty()) {
            causes_.push_back(api::FieldError::required(field, "expression is not specified"));
        } else {
            type = compile(field, expression);
        }
        constexpr int kPartsMax = 32;
        int left = kPartsMax;
        const bool is_known =
            type != nullptr && type->kind != Kind::Object && fits_in(*type, *variables_, left);
        variables_->fields.insert_or_assign(
            std::string(variables[i].string_at("name")),
            is_known ? last_ : cel::simple_type(Kind::Dyn)
        );
    }
}

void ExpressionChecks::check_conditions(const std::string& path, const Value* list) {
    const auto& conditions = items_of(list);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        check_question(
            fmt::format("{}[{}].expression", path, i), conditions[i].string_at("expression")
        );
    }
}

}  // namespace sluice::apiserver
