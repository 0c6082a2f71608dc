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

/// What an expression is for.
enum class Purpose : std::uint8_t {
    Question,  ///< whether something holds, or a text
    Change,    ///< it makes objects: `Object{...}` and `JSONPatch{...}`
};

/// The programs of the expressions in policies and webhook configurations: each is compiled when it
/// is first asked for, not at each write.
class AdmissionPrograms {
  public:
    /// The program of an expression, or why it is none. Lifetime: until forget().
    const Result<cel::Program>& get(
        std::string_view expression, Purpose purpose = Purpose::Question
    );
    /// Policies or webhooks have changed: what they said may be in use nowhere any more.
    void forget() {
        questions_.clear();
        changes_.clear();
    }
    /// How many expressions were compiled until now.
    std::size_t compilations() const { return compilations_; }

  private:
    std::map<std::string, Result<cel::Program>, std::less<>> questions_;
    std::map<std::string, Result<cel::Program>, std::less<>> changes_;
    std::size_t compilations_ = 0;
};

/// What expressions of admission may use, told without types: objects of all kinds come through the
/// same policy.
const cel::Declarations& admission_declarations(Purpose purpose = Purpose::Question);

}  // namespace sluice::apiserver
