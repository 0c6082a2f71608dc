#include "cel/rules/printing.hpp"

#include "cel/rules/schema_rules.hpp"
#include "cel/values/temporal.hpp"

#include <fmt/format.h>

namespace sluice::cel {
namespace {

std::string_view print_reason(std::string_view reason) {
    return reason == "FieldValueForbidden"      ? "Forbidden"
           : reason == "FieldValueRequired"     ? "Required value"
           : reason == "FieldValueDuplicate"    ? "Duplicate value"
           : reason == "FieldValueNotSupported" ? "Unsupported value"
           : reason == "InternalError"          ? "Internal error"
                                                : "Invalid value";
}

}  // namespace

std::string quote(std::string_view text) {
    constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
    constexpr std::string_view kNames = "abfnrtv\\\"";
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (const auto at = kEscaped.find(c); at != std::string_view::npos) {
            result += '\\';
            result += kNames[at];
        } else if (byte < 0x20U || byte == 0x7FU) {
            result += fmt::format("\\x{:02x}", byte);
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string print_bad_value(const json::Value& value) {
    if (value.is_string()) {
        return quote(value.as_string());
    }
    return value.is_double() ? print_double(value.as_double()) : json::print_sorted(value);
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view kSpace = " \t\n\r\f\v";
    const auto first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string child_path(std::string_view path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string print_message(const RuleViolation& violation) {
    std::string text(print_reason(violation.reason));
    for (const std::string& part : {violation.value, violation.message}) {
        text += part.empty() ? "" : ": " + part;
    }
    return text;
}

std::string print_violation(const RuleViolation& violation) {
    return (violation.path.empty() ? "<nil>" : violation.path) + ": " + print_message(violation);
}

}  // namespace sluice::cel
