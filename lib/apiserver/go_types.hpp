#pragma once

#include "apiserver/schema.hpp"
#include "json/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sluice::apiserver {

/// Why Go's decoder refuses an object of a built-in kind whose values have other types than its
/// fields, in its words; none: it takes it.
std::optional<std::string> find_type_fault(
    const Schema& schema, std::string_view kind, const json::Value& object
);

}  // namespace sluice::apiserver
