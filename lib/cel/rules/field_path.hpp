// Parses the `fieldPath` of a rule.
#pragma once

#include "cel/values/schema.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sluice::cel {

/// Returns the path of a rule's `fieldPath` (`.spec.x`, `['a.b'].c`) below the schema in its
/// printed form: `spec.x`. nullopt if the schema has no such field or the text is not a path.
std::optional<std::string> read_field_path(std::string_view text, const Schema& schema);

}  // namespace sluice::cel
