#pragma once

#include "apiserver/objects/cause.hpp"
#include "cel/evaluation/program.hpp"
#include "json/value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// Checks expressions of admission as they are written: what they use must be declared, and what
/// they come to must be of the type that is wanted. Objects may be of any kind; the request, its
/// namespace, and the variables that were added have types. Parameters are there where the policy
/// has them.
class ExpressionChecks {
  public:
    ExpressionChecks(std::vector<Cause>& causes, bool has_parameters);

    /// Of a condition, or of a validation. An empty one is told as `missing`.
    void check_question(
        std::string path, std::string_view expression, std::string_view missing = ""
    );
    /// Of a message. An empty one is none.
    void check_text(std::string path, std::string_view expression);
    /// Of an annotation, which may be null.
    void check_annotation(std::string path, std::string_view expression);
    /// Of variables, which see those before them and are seen by what is checked later.
    void add_variables(const std::string& path, const json::Value* list);
    /// The conditions of a list of matchConditions, which see no variables.
    void check_conditions(const std::string& path, const json::Value* list);

  private:
    const cel::Type* compile(const std::string& path, std::string_view expression);
    void expect(std::string path, std::string_view expression, std::vector<cel::Kind> kinds);

    std::vector<Cause>& causes_;
    cel::Declarations declarations_;
    std::shared_ptr<cel::Type> variables_;  ///< gets a field with each variable
    cel::TypePtr last_;
};

}  // namespace sluice::apiserver
