#pragma once

#include "json/value.hpp"

#include <string_view>

namespace sluice::yaml {

/// What a plain (unquoted) scalar stands for, as YAML 1.1 and Kubernetes' tools have it: null, a
/// boolean, a number or else the text itself. Infinities and NaN, which JSON lacks, stay doubles.
json::Value resolve_plain(std::string_view text);

/// Whether the plain scalar stands for itself; false where only resolve_plain knows.
bool is_surely_text(std::string_view text);

}  // namespace sluice::yaml
