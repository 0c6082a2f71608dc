#pragma once

#include "base/error.hpp"

#include <memory>
#include <string_view>

namespace sluice::apiserver {

/// A regular expression of the syntax that the API server reads (RE2), matched in linear time.
class Pattern {
  public:
    /// Errors: Invalid with the fault of the expression.
    static Result<std::shared_ptr<const Pattern>> make(std::string_view expression);
    virtual ~Pattern() = default;
    /// Whether any part of the text matches.
    virtual bool is_found_in(std::string_view text) const = 0;
};

}  // namespace sluice::apiserver
