#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::yaml {

/// What a plain (unquoted) scalar stands for, as YAML 1.1 and Kubernetes' tools have it: null, a
/// boolean, a number or else the text itself. Infinities and NaN, which JSON lacks, stay doubles.
json::Value resolve_plain(const std::string& text);

}  // namespace sluice::yaml
