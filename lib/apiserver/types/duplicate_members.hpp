// Finds fields that a request's body contains more than once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// The fields that the body of a request contains more than once.
struct Duplicates {
    /// The duplicates in the words of warnings, such as duplicate field "data.a".
    std::vector<std::string> texts{};
    /// True for a YAML body, whose decoder refuses all duplicates in one error.
    bool is_yaml = false;
};

/// Returns the error with which the YAML decoder refuses duplicates; "" if the body is not YAML or
/// has no duplicates.
std::string yaml_refusal(const Duplicates& duplicates);

/// Returns the paths of members that occur more than once in their object, each path once, in the
/// order of the text; as in data.a or spec.items[0].name. Requires: the text is JSON.
std::vector<std::string> find_duplicate_members(std::string_view text);

}  // namespace sluice::apiserver
