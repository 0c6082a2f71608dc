#include "json/writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace sluice::json {

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
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
                if (static_cast<unsigned char>(c) < 0x20) {
                    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
                } else {
                    out += c;
                }
        }
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
    fmt::format_to(std::back_inserter(out_), "{}", value);
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

}  // namespace sluice::json
