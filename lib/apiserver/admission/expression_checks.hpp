// Checks the CEL expressions of a policy or webhook when it is written.
#pragma once

#include "apiserver/objects/cause.hpp"
#include "cel/evaluation/program.hpp"
#include "json/value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// Compiles expressions of admission and checks the types of their results. The types of objects
/// are unknown. The request, its namespace and the added variables have types. The variable
/// `params` exists only if the policy has parameters.
class ExpressionChecks {
  public:
    ExpressionChecks(std::vector<Cause>& causes, bool has_parameters);

    /// Checks a condition or a validation, whose result must be a boolean. `missing`: the message
    /// for an empty expression.
    void check_question(
        std::string path, std::string_view expression, std::string_view missing = ""
    );
    /// Checks a message expression, whose result must be a string. Accepts an empty expression.
    void check_text(std::string path, std::string_view expression);
    /// Checks an expression of an annotation, whose result must be a string or null.
    void check_annotation(std::string path, std::string_view expression);
    /// Checks and adds variables. Each can use the variables before it; later checks can use all of
    /// them.
    void add_variables(const std::string& path, const json::Value* list);
    /// Checks the conditions of a list of matchConditions, which cannot use variables.
    void check_conditions(const std::string& path, const json::Value* list);

  private:
    const cel::Type* compile(const std::string& path, std::string_view expression);
    void expect(std::string path, std::string_view expression, std::vector<cel::Kind> kinds);

    std::vector<Cause>& causes_;
    cel::Declarations declarations_;
    /// Type of `variables`, with a field for each variable.
    std::shared_ptr<cel::Type> variables_;
    cel::TypePtr last_;
};

}  // namespace sluice::apiserver
