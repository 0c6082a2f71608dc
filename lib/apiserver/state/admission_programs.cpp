#include "apiserver/state/admission_programs.hpp"

#include <memory>

namespace sluice::apiserver {

namespace {

cel::Declarations declare_variables() {
    const cel::TypePtr& dyn = cel::simple_type(cel::Kind::Dyn);
    cel::Declarations declarations;
    for (const char* name : {"object", "oldObject", "request", "params", "namespaceObject"}) {
        declarations.variables.emplace(name, dyn);
    }
    declarations.variables.emplace(
        "variables", cel::make_map_type(cel::simple_type(cel::Kind::String), dyn)
    );
    return declarations;
}

/// Returns the type of `Object` or one of its fields, as in `Object.spec`: its members are unknown.
cel::TypePtr find_object_type(std::string_view name) {
    auto type = std::make_shared<cel::Type>();
    type->name = name;
    if (name == "Object" || name.starts_with("Object.")) {
        type->kind = cel::Kind::Dyn;
        return type;
    }
    if (name != "JSONPatch") {
        return nullptr;
    }
    type->kind = cel::Kind::Object;
    for (const char* field : {"op", "path", "from"}) {
        type->fields.emplace(field, cel::simple_type(cel::Kind::String));
    }
    type->fields.emplace("value", cel::simple_type(cel::Kind::Dyn));
    return type;
}

}  // namespace

const cel::Declarations& admission_declarations(Purpose purpose) {
    static const cel::Declarations kQuestions = declare_variables();
    static const cel::Declarations kChanges = [] {
        cel::Declarations declarations = declare_variables();
        declarations.find_object_type = find_object_type;
        return declarations;
    }();
    return purpose == Purpose::Change ? kChanges : kQuestions;
}

const Result<cel::Program>& AdmissionPrograms::get(std::string_view expression, Purpose purpose) {
    auto& programs = purpose == Purpose::Change ? changes_ : questions_;
    const auto found = programs.find(expression);
    if (found != programs.end()) {
        return found->second;
    }
    ++compilations_;
    return programs
        .emplace(std::string(expression), cel::compile(expression, admission_declarations(purpose)))
        .first->second;
}

}  // namespace sluice::apiserver
