#include "validation/go_numbers.hpp"

#include "json/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace sluice::validation {

std::optional<bool> parse_boolean(std::string_view text) {
    constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"};
    constexpr std::string_view kFalse[] = {"0", "f", "F", "FALSE", "false", "False"};
    if (std::ranges::find(kTrue, text) != std::end(kTrue)) {
        return true;
    }
    return std::ranges::find(kFalse, text) != std::end(kFalse) ? std::optional(false)
                                                               : std::nullopt;
}

std::string number_problem(std::string_view text, std::string_view function) {
    std::string_view digits = text;
    if (digits.starts_with('+') || digits.starts_with('-')) {
        digits.remove_prefix(1);
    }
    const bool is_number =
        !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    return fmt::format(
        "strconv.{}: parsing {}: {}",
        function,
        json::print(json::Value(text)),
        is_number ? "value out of range" : "invalid syntax"
    );
}

std::string boolean_problem(std::string_view text) {
    return fmt::format(
        "strconv.ParseBool: parsing {}: invalid syntax", json::print(json::Value(text))
    );
}

}  // namespace sluice::validation
