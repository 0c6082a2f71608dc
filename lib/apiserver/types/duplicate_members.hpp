#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// What stands twice in an object that a request brought.
struct Duplicates {
    std::vector<std::string> texts{};  ///< as warnings tell them, such as duplicate field "data.a"
    bool is_yaml = false;              ///< whose decoder refuses them all by one error
};

/// How the decoder of YAML refuses duplicates; "" where there are none.
std::string yaml_refusal(const Duplicates& duplicates);

/// The paths of members that stand more than once in their object, each once, in the order of the
/// text; as in data.a or spec.items[0].name. Requires: the text is JSON.
std::vector<std::string> find_duplicate_members(std::string_view text);

}  // namespace sluice::apiserver
