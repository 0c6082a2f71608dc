// Splits JSON text into members or elements without reading their values.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::kube {

/// A member of an object with an undecoded value. Lifetime: points into the text it was found in.
struct RawMember {
    std::string_view key;  ///< without quotes; escapes are kept
    std::string_view value;
};

/// Splits the text of an object into its members without reading their values, so that each part
/// can be decoded directly into its type. Values are checked only for balanced brackets and closed
/// strings; the decoder of each part finds other errors. Cost: linear, no copies. Errors: Invalid
/// if the text is not an object.
Result<std::vector<RawMember>> split_object(std::string_view text);

/// Splits the text of an array into its elements, as split_object() does for objects.
Result<std::vector<std::string_view>> split_array(std::string_view text);

/// Returns the raw value at a path of member names; "" if it does not exist or the text is not an
/// object.
std::string_view find_raw(std::string_view text, std::initializer_list<std::string_view> path);

/// Returns the string at a path of member names, unescaped; "" if it does not exist.
std::string find_string(std::string_view text, std::initializer_list<std::string_view> path);

}  // namespace sluice::kube
