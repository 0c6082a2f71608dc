#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::kube {

/// A member of an object, its value not yet read. Lifetime: views into the text it was found in.
struct RawMember {
    std::string_view key;  ///< without quotes, escapes as written
    std::string_view value;
};

/// Splits the text of an object into its members without reading their values, so that the parts
/// can be decoded straight into their types. Values are checked only for balanced brackets and
/// closed strings; the decoder of each part finds the rest. Cost: linear, no copies. Errors:
/// Invalid when the text is no object.
Result<std::vector<RawMember>> split_object(std::string_view text);

/// Splits the text of an array into its elements, as split_object does for objects.
Result<std::vector<std::string_view>> split_array(std::string_view text);

/// The raw value at a path of member names, or "" when there is none or the text is no object.
std::string_view find_raw(std::string_view text, std::initializer_list<std::string_view> path);

/// The string at a path of member names, unescaped; "" when there is none.
std::string find_string(std::string_view text, std::initializer_list<std::string_view> path);

}  // namespace sluice::kube
