// Splits the text of an expression into tokens.
#pragma once

#include "cel/syntax/expression.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

struct Token {
    enum class Kind : std::uint8_t {
        End,
        Identifier,
        Quoted,  ///< an identifier in backticks
        Int,
        Uint,
        Double,
        String,
        Bytes,
        Symbol,  ///< an operator, bracket, `in`, `true`, `false` or `null`
    };
    Kind kind = Kind::End;
    std::size_t offset = 0;
    std::string_view source;  ///< as written
    std::string text;         ///< for a string: without quotes, unescaped
};

/// Splits an expression into tokens; the last one is End. Adds a fault for text that is not a
/// token. Lifetime: the tokens refer to the source.
std::vector<Token> read_tokens(std::string_view source, std::vector<Fault>& faults);

}  // namespace sluice::cel
