#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// The paths of members that stand more than once in their object, each once, in the order of the
/// text; as in data.a or spec.items[0].name. Requires: the text is JSON.
std::vector<std::string> find_duplicate_members(std::string_view text);

}  // namespace sluice::apiserver
