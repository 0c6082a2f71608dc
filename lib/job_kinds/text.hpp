// Converts ASCII text to lower case.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace sluice::job_kinds {

/// Returns the text with its ASCII letters in lower case.
inline std::string lower_case(std::string_view text) {
    std::string made(text);
    std::ranges::transform(made, made.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return made;
}

}  // namespace sluice::job_kinds
