// Compiled CEL expressions of policies and webhook configurations.
#pragma once

#include "base/error.hpp"
#include "cel/evaluation/program.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace sluice::apiserver {

/// The use of an expression.
enum class Purpose : std::uint8_t {
    Question,  ///< it returns a boolean or a text
    Change,    ///< it returns objects: `Object{...}` and `JSONPatch{...}`
};

/// The compiled expressions of policies and webhook configurations. Each is compiled when it is
/// first needed, not at each write.
class AdmissionPrograms {
  public:
    /// Returns the program of an expression; an error if the expression does not compile. Lifetime:
    /// until forget().
    const Result<cel::Program>& get(
        std::string_view expression, Purpose purpose = Purpose::Question
    );
    /// Drops all programs: after a change of policies or webhooks, some may not be used any more.
    void forget() {
        questions_.clear();
        changes_.clear();
    }
    /// Returns the number of expressions that were compiled so far.
    std::size_t compilations() const { return compilations_; }

  private:
    std::map<std::string, Result<cel::Program>, std::less<>> questions_;
    std::map<std::string, Result<cel::Program>, std::less<>> changes_;
    std::size_t compilations_ = 0;
};

/// Returns the variables and functions that expressions of admission may use. The variables have no
/// types: objects of all kinds are evaluated by the same policy.
const cel::Declarations& admission_declarations(Purpose purpose = Purpose::Question);

}  // namespace sluice::apiserver
