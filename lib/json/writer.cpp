#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace sluice::json {

namespace {

bool needs_escape(char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

void append_escaped(std::string& out, char c) {
    switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        case '\b':
            out += "\\b";
            break;
        case '\f':
            out += "\\f";
            break;
        default:
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    }
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    while (true) {
        const auto special = std::ranges::find_if(text, needs_escape);
        const auto plain = static_cast<std::size_t>(special - text.begin());
        out += text.substr(0, plain);
        if (special == text.end()) {
            break;
        }
        append_escaped(out, *special);
        text.remove_prefix(plain + 1);
    }
    out += '"';
}

void Writer::before_value() {
    if (need_comma_) {
        out_ += ',';
    }
    need_comma_ = true;
}

void Writer::null() {
    before_value();
    out_ += "null";
}

void Writer::boolean(bool value) {
    before_value();
    out_ += value ? "true" : "false";
}

void Writer::integer(std::int64_t value) {
    before_value();
    const fmt::format_int digits(value);
    out_.append(digits.data(), digits.size());
}

void Writer::number(double value) {
    before_value();
    if (!std::isfinite(value)) {
        out_ += "null";
        return;
    }
    fmt::format_to(std::back_inserter(out_), "{}", value);
}

void Writer::string(std::string_view value) {
    before_value();
    append_quoted(out_, value);
}

void Writer::start_object() {
    before_value();
    out_ += '{';
    need_comma_ = false;
}

void Writer::key(std::string_view value) {
    before_value();
    append_quoted(out_, value);
    out_ += ':';
    need_comma_ = false;
}

void Writer::end_object() {
    out_ += '}';
    need_comma_ = true;
}

void Writer::start_array() {
    before_value();
    out_ += '[';
    need_comma_ = false;
}

void Writer::end_array() {
    out_ += ']';
    need_comma_ = true;
}

void Writer::raw(std::string_view json) {
    before_value();
    out_ += json;
}

std::string escape_as_go(std::string_view document) {
    std::string escaped;
    escaped.reserve(document.size());
    while (!document.empty()) {
        const bool is_separator = document.starts_with("\u2028") || document.starts_with("\u2029");
        if (is_separator) {
            escaped += document.starts_with("\u2028") ? "\\u2028" : "\\u2029";
        } else if (document.front() == '<') {
            escaped += "\\u003c";
        } else if (document.front() == '>') {
            escaped += "\\u003e";
        } else if (document.front() == '&') {
            escaped += "\\u0026";
        } else {
            escaped += document.front();
        }
        document.remove_prefix(is_separator ? std::string_view("\u2028").size() : 1);
    }
    return escaped;
}

}  // namespace sluice::json
