#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers in labels and annotations, read as Kueue reads them with Go's strconv.
namespace sluice::validation {

/// A number of base 10 with an optional sign; none for all else and out of range.
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

/// strconv.ParseBool: 1, t, true and so on; none for all else.
std::optional<bool> parse_boolean(std::string_view text);

/// What a function of strconv says of a text that parse_decimal cannot read.
std::string number_problem(std::string_view text, std::string_view function = "Atoi");
/// What strconv.ParseBool says of a text that parse_boolean cannot read.
std::string boolean_problem(std::string_view text);

}  // namespace sluice::validation
