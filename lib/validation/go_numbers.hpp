// Numbers and booleans in labels and annotations, parsed as Go's strconv parses them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Parses numbers in labels and annotations as Kueue does, with the rules of Go's strconv.
namespace sluice::validation {

/// Returns a decimal number with an optional sign; nullopt for any other text, or if it is out of
/// range.
template <class Number>
std::optional<Number> parse_decimal(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) {
        text.remove_prefix(1);
    }
    Number number = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc() && at == text.data() + text.size();
    return is_whole ? std::optional(number) : std::nullopt;
}

/// Returns a boolean like strconv.ParseBool: 1, t, true and so on; nullopt for any other text.
std::optional<bool> parse_boolean(std::string_view text);

/// Returns the error of a strconv function for a text that parse_decimal() cannot parse.
std::string number_problem(std::string_view text, std::string_view function = "Atoi");
/// Returns the error of strconv.ParseBool for a text that parse_boolean() cannot parse.
std::string boolean_problem(std::string_view text);

}  // namespace sluice::validation
