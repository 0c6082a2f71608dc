#pragma once

#include "cel/values/schema.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sluice::cel {

/// The path of a rule's `fieldPath` (`.spec.x`, `['a.b'].c`) below the schema, as it is printed:
/// `spec.x`. None: the schema has no such field, or the text is no path.
std::optional<std::string> read_field_path(std::string_view text, const Schema& schema);

}  // namespace sluice::cel
