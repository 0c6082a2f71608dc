// The type and value of an unquoted YAML scalar.
#pragma once

#include "json/value.hpp"

#include <string_view>

namespace sluice::yaml {

/// Returns the value of a plain (unquoted) scalar, as YAML 1.1 and Kubernetes' tools define it:
/// null, a boolean, a number, or else the text itself. Infinities and NaN, which JSON lacks, stay
/// doubles.
json::Value resolve_plain(std::string_view text);

/// Returns true if the plain scalar is certainly a string. If false, call resolve_plain() to find
/// out.
bool is_surely_text(std::string_view text);

}  // namespace sluice::yaml
