#include "cel/syntax/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace sluice::cel {
namespace {

constexpr std::array<std::string_view, 24> kSymbols{"==", "!=", "<=", ">=", "&&", "||", "<", ">",
                                                    "[",  "]",  "{",  "}",  "(",  ")",  ".", ",",
                                                    "-",  "!",  "?",  ":",  "+",  "*",  "/", "%"};

bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}
bool is_hex(char c) {
    return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_word_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_word(char c) {
    return is_word_start(c) || is_decimal(c);
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80U) {
        add(code);
    } else if (code < 0x800U) {
        add(0xC0U | (code >> 6U));
        add(0x80U | (code & 0x3FU));
    } else if (code < 0x10000U) {
        add(0xE0U | (code >> 12U));
        add(0x80U | ((code >> 6U) & 0x3FU));
        add(0x80U | (code & 0x3FU));
    } else {
        add(0xF0U | (code >> 18U));
        add(0x80U | ((code >> 12U) & 0x3FU));
        add(0x80U | ((code >> 6U) & 0x3FU));
        add(0x80U | (code & 0x3FU));
    }
}

/// Reads an escape, whose backslash has been read. Returns false if it is not an escape. The escape
/// may name an invalid code point (`has_wrong_code`).
bool take_escape(std::string_view& rest, bool is_bytes, std::string& out, bool& has_wrong_code) {
    constexpr std::string_view kNames = "abfnrtv\"'\\?`";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\"'\\?`";
    if (rest.empty()) {
        return false;
    }
    const char name = rest.front();
    if (const auto at = kNames.find(name); at != std::string_view::npos) {
        out += kMeanings[at];
        rest.remove_prefix(1);
        return true;
    }
    const bool is_octal = name >= '0' && name <= '3';
    const std::size_t skip = is_octal ? 0 : 1;
    const std::size_t digits = is_octal                     ? 3
                               : name == 'x' || name == 'X' ? 2
                               : name == 'u' && !is_bytes   ? 4
                               : name == 'U' && !is_bytes   ? 8
                                                            : 0;
    if (digits == 0 || rest.size() < skip + digits) {
        return false;
    }
    std::uint32_t code = 0;
    const char* const begin = rest.data() + skip;
    const auto read = std::from_chars(begin, begin + digits, code, is_octal ? 8 : 16);
    if (read.ec != std::errc() || read.ptr != begin + digits) {
        return false;
    }
    const bool is_surrogate = code >= 0xD800U && code < 0xE000U;
    has_wrong_code = has_wrong_code || code > 0x10FFFFU || is_surrogate;
    if (is_bytes) {
        out += static_cast<char>(code);
    } else {
        append_utf8(out, code);
    }
    rest.remove_prefix(skip + digits);
    return true;
}

class Lexer {
  public:
    Lexer(std::string_view source, std::vector<Fault>& faults)
        : source_(source), rest_(source), faults_(faults) {}

    std::vector<Token> read() {
        for (skip_space(); !rest_.empty(); skip_space()) {
            if (!read_string() && !read_number() && !read_word() && !read_symbol()) {
                refuse(character_length(rest_));
            }
        }
        add(Token::Kind::End, 0);
        return std::move(tokens_);
    }

  private:
    std::size_t offset() const { return source_.size() - rest_.size(); }

    Token& add(Token::Kind kind, std::size_t length) {
        Token& token = tokens_.emplace_back();
        token.kind = kind;
        token.offset = offset();
        token.source = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return token;
    }

    void refuse(std::size_t length) {
        faults_.push_back(
            {offset(),
             "Syntax error: token recognition error at: '" + std::string(rest_.substr(0, length)) +
                 "'"}
        );
        rest_.remove_prefix(std::min(length, rest_.size()));
    }

    void skip_space() {
        while (!rest_.empty()) {
            if (rest_.starts_with("//")) {
                rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
            } else if (std::string_view("\t \r\n\f").find(rest_.front()) !=
                       std::string_view::npos) {
                rest_.remove_prefix(1);
            } else {
                return;
            }
        }
    }

    /// Returns the length of the prefix of a quote: `r`, `b`, `br` or none.
    static std::size_t prefix_length(std::string_view text, bool& is_raw, bool& is_bytes) {
        std::size_t length = 0;
        if (length < text.size() && (text[length] | 0x20) == 'b') {
            is_bytes = true;
            ++length;
        }
        if (length < text.size() && (text[length] | 0x20) == 'r') {
            is_raw = true;
            ++length;
        }
        return length;
    }

    bool read_string() {
        bool is_raw = false;
        bool is_bytes = false;
        const auto prefix = prefix_length(rest_, is_raw, is_bytes);
        auto body = rest_.substr(prefix);
        if (body.empty() || (body.front() != '"' && body.front() != '\'')) {
            return false;
        }
        const char quote = body.front();
        const bool is_triple = body.size() >= 3 && body[1] == quote && body[2] == quote;
        const std::size_t marks = is_triple ? 3 : 1;
        const std::string end(marks, quote);
        std::string text;
        bool has_wrong_code = false;
        body.remove_prefix(marks);
        while (!body.starts_with(end)) {
            if (body.empty() || (!is_triple && (body.front() == '\n' || body.front() == '\r'))) {
                refuse(rest_.size() - body.size());
                return true;
            }
            const char c = body.front();
            body.remove_prefix(1);
            if (c != '\\' || is_raw) {
                text += c;
            } else if (!take_escape(body, is_bytes, text, has_wrong_code)) {
                refuse(rest_.size() - body.size());
                return true;
            }
        }
        body.remove_prefix(marks);
        if (has_wrong_code) {
            faults_.push_back({offset(), "invalid unicode code point"});
        }
        add(is_bytes ? Token::Kind::Bytes : Token::Kind::String, rest_.size() - body.size()).text =
            std::move(text);
        return true;
    }

    std::size_t count_digits(std::size_t from, bool (*accept)(char)) const {
        std::size_t end = from;
        while (end < rest_.size() && accept(rest_[end])) {
            ++end;
        }
        return end - from;
    }

    /// Returns the length of an exponent such as `e+10` at this position; 0 if the text is not one.
    std::size_t exponent_length(std::size_t at) const {
        if (at >= rest_.size() || (rest_[at] | 0x20) != 'e') {
            return 0;
        }
        const std::size_t sign =
            at + 1 < rest_.size() && (rest_[at + 1] == '+' || rest_[at + 1] == '-') ? 1 : 0;
        const auto digits = count_digits(at + 1 + sign, is_decimal);
        return digits == 0 ? 0 : 1 + sign + digits;
    }

    bool read_number() {
        if (rest_.starts_with("0x") && count_digits(2, is_hex) > 0) {
            add_integer(2 + count_digits(2, is_hex));
            return true;
        }
        const auto whole = count_digits(0, is_decimal);
        const bool has_point = whole < rest_.size() && rest_[whole] == '.';
        const auto fraction = has_point ? count_digits(whole + 1, is_decimal) : 0;
        if (whole == 0 && fraction == 0) {
            return false;
        }
        const auto mantissa = fraction > 0 ? whole + 1 + fraction : whole;
        const auto exponent = exponent_length(mantissa);
        if (fraction > 0 || exponent > 0) {
            add(Token::Kind::Double, mantissa + exponent);
        } else {
            add_integer(whole);
        }
        return true;
    }

    void add_integer(std::size_t length) {
        const bool is_uint = length < rest_.size() && (rest_[length] | 0x20) == 'u';
        add(is_uint ? Token::Kind::Uint : Token::Kind::Int, length + (is_uint ? 1 : 0));
    }

    bool read_word() {
        if (rest_.front() == '`') {
            const auto end = rest_.find('`', 1);
            if (end == std::string_view::npos || end == 1) {
                return false;
            }
            Token& token = add(Token::Kind::Quoted, end + 1);
            token.text = token.source.substr(1, end - 1);
            return true;
        }
        if (!is_word_start(rest_.front())) {
            return false;
        }
        const auto word = rest_.substr(0, count_digits(0, continues_word));
        const bool is_symbol = word == "in" || word == "true" || word == "false" || word == "null";
        Token& token = add(is_symbol ? Token::Kind::Symbol : Token::Kind::Identifier, word.size());
        token.text = word;
        return true;
    }

    bool read_symbol() {
        for (const auto symbol : kSymbols) {
            if (rest_.starts_with(symbol)) {
                add(Token::Kind::Symbol, symbol.size());
                return true;
            }
        }
        return false;
    }

    std::string_view source_;
    std::string_view rest_;
    std::vector<Fault>& faults_;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> read_tokens(std::string_view source, std::vector<Fault>& faults) {
    return Lexer(source, faults).read();
}

}  // namespace sluice::cel
