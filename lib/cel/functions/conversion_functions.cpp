#include "base/printable.hpp"
#include "cel/syntax/overload.hpp"
#include "cel/values/operations.hpp"
#include "cel/values/temporal.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace sluice::cel {
namespace {

using A = const Arguments&;

Value conversion_error(const Value& from, std::string_view to) {
    return make_failure(fmt::format("type conversion error from '{}' to '{}'", type_name(from), to)
    );
}

Value identity(A a) {
    return a[0];
}

Value get_type(A a) {
    return make_type_value(type_name(a[0]));
}

/// Reads a number with an optional sign. Returns nullopt if the text is not just a number.
template <class T>
std::optional<T> read_number(std::string_view text) {
    const bool has_plus = text.starts_with('+');
    text.remove_prefix(has_plus ? 1 : 0);
    T number{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
        (has_plus && text.starts_with('-'))) {
        return std::nullopt;
    }
    return number;
}

std::optional<double> read_double(std::string_view text) {
    if (text == "NaN" || text == "nan") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return read_number<double>(text);
}

Value to_int(A a) {
    if (const auto* number = a[0].get_if<double>()) {
        constexpr double kLimit = 9223372036854775808.0;
        return !(*number > -kLimit && *number < kLimit) ? make_failure("integer overflow")
                                                        : Value(static_cast<std::int64_t>(*number));
    }
    if (const auto* number = a[0].get_if<std::uint64_t>()) {
        constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return *number > kMax ? make_failure("integer overflow")
                              : Value(static_cast<std::int64_t>(*number));
    }
    if (a[0].is<Duration>()) {
        return a[0].get<Duration>().nanoseconds;
    }
    if (a[0].is<Timestamp>()) {
        return a[0].get<Timestamp>().seconds;
    }
    if (a[0].is<Text>()) {
        const auto number = read_number<std::int64_t>(a[0].text());
        return number ? Value(*number) : conversion_error(a[0], "int");
    }
    return a[0];
}

Value to_uint(A a) {
    if (const auto* number = a[0].get_if<double>()) {
        constexpr double kLimit = 18446744073709551616.0;
        return !(*number >= 0 && *number < kLimit) ? make_failure("unsigned integer overflow")
                                                   : Value(static_cast<std::uint64_t>(*number));
    }
    if (const auto* number = a[0].get_if<std::int64_t>()) {
        return *number < 0 ? make_failure("unsigned integer overflow")
                           : Value(static_cast<std::uint64_t>(*number));
    }
    if (a[0].is<Text>()) {
        const bool is_signed = a[0].text().starts_with('+');
        const auto number = is_signed ? std::nullopt : read_number<std::uint64_t>(a[0].text());
        return number ? Value(*number) : conversion_error(a[0], "uint");
    }
    return a[0];
}

Value to_double(A a) {
    if (const auto* number = a[0].get_if<std::int64_t>()) {
        return static_cast<double>(*number);
    }
    if (const auto* number = a[0].get_if<std::uint64_t>()) {
        return static_cast<double>(*number);
    }
    if (a[0].is<Text>()) {
        const auto number = read_double(a[0].text());
        return number ? Value(*number) : conversion_error(a[0], "double");
    }
    return a[0];
}

Value to_text(A a) {
    if (a[0].is<Bytes>() && !is_utf8(a[0].get<Bytes>().text.view())) {
        return make_failure("invalid UTF-8 in bytes, cannot convert to string");
    }
    return a[0].is<Text>() ? a[0] : make_string(show(a[0]));
}

Value to_bytes(A a) {
    return a[0].is<Text>() ? Value(Bytes{a[0].get<Text>()}) : a[0];
}

Value to_bool(A a) {
    if (!a[0].is<Text>()) {
        return a[0];
    }
    for (const auto word : {"1", "t", "T", "TRUE", "true", "True"}) {
        if (a[0].text() == word) {
            return true;
        }
    }
    for (const auto word : {"0", "f", "F", "FALSE", "false", "False"}) {
        if (a[0].text() == word) {
            return false;
        }
    }
    return conversion_error(a[0], "bool");
}

Value to_duration(A a) {
    if (const auto* number = a[0].get_if<std::int64_t>()) {
        return Duration{*number};
    }
    if (a[0].is<Text>()) {
        const auto duration = parse_duration(a[0].text());
        return duration ? Value(*duration) : conversion_error(a[0], "google.protobuf.Duration");
    }
    return a[0];
}

Value to_timestamp(A a) {
    if (const auto* number = a[0].get_if<std::int64_t>()) {
        return *number < kMinTime || *number > kMaxTime ? make_failure("timestamp overflow")
                                                        : Value(Timestamp{*number, 0, 0});
    }
    if (a[0].is<Text>()) {
        const auto time = parse_timestamp(a[0].text());
        if (!time) {
            return conversion_error(a[0], "google.protobuf.Timestamp");
        }
        return time->seconds < kMinTime || time->seconds > kMaxTime
                   ? make_failure("timestamp overflow")
                   : Value(*time);
    }
    return a[0];
}

constexpr auto kTyped = Guard::Signature;
constexpr auto kUnit = CostRule::Unit;

constexpr auto kRows = std::to_array<FunctionRow>({
    {"type", "type", "(A) type(A)", get_type},
    {"dyn", "to_dyn", "(A) dyn", identity},
    {"bool", "bool_to_bool", "(bool) bool", identity, kUnit, kTyped},
    {"bool", "string_to_bool", "(string) bool", to_bool, kUnit, kTyped},
    {"bytes", "bytes_to_bytes", "(bytes) bytes", identity, kUnit, kTyped},
    {"bytes", "string_to_bytes", "(string) bytes", to_bytes, CostRule::StandardScan, kTyped},
    {"double", "double_to_double", "(double) double", identity, kUnit, kTyped},
    {"double", "int64_to_double", "(int) double", to_double, kUnit, kTyped},
    {"double", "string_to_double", "(string) double", to_double, kUnit, kTyped},
    {"double", "uint64_to_double", "(uint) double", to_double, kUnit, kTyped},
    {"duration", "duration_to_duration", "(duration) duration", identity, kUnit, kTyped},
    {"duration", "int64_to_duration", "(int) duration", to_duration, kUnit, kTyped},
    {"duration", "string_to_duration", "(string) duration", to_duration, kUnit, kTyped},
    {"int", "int64_to_int64", "(int) int", identity, kUnit, kTyped},
    {"int", "double_to_int64", "(double) int", to_int, kUnit, kTyped},
    {"int", "duration_to_int64", "(duration) int", to_int, kUnit, kTyped},
    {"int", "string_to_int64", "(string) int", to_int, kUnit, kTyped},
    {"int", "timestamp_to_int64", "(timestamp) int", to_int, kUnit, kTyped},
    {"int", "uint64_to_int64", "(uint) int", to_int, kUnit, kTyped},
    {"string", "string_to_string", "(string) string", identity, kUnit, kTyped},
    {"string", "bool_to_string", "(bool) string", to_text, kUnit, kTyped},
    {"string", "bytes_to_string", "(bytes) string", to_text, CostRule::StandardScan, kTyped},
    {"string", "double_to_string", "(double) string", to_text, kUnit, kTyped},
    {"string", "duration_to_string", "(duration) string", to_text, kUnit, kTyped},
    {"string", "int64_to_string", "(int) string", to_text, kUnit, kTyped},
    {"string", "timestamp_to_string", "(timestamp) string", to_text, kUnit, kTyped},
    {"string", "uint64_to_string", "(uint) string", to_text, kUnit, kTyped},
    {"timestamp", "timestamp_to_timestamp", "(timestamp) timestamp", identity, kUnit, kTyped},
    {"timestamp", "int64_to_timestamp", "(int) timestamp", to_timestamp, kUnit, kTyped},
    {"timestamp", "string_to_timestamp", "(string) timestamp", to_timestamp, kUnit, kTyped},
    {"uint", "uint64_to_uint64", "(uint) uint", identity, kUnit, kTyped},
    {"uint", "double_to_uint64", "(double) uint", to_uint, kUnit, kTyped},
    {"uint", "int64_to_uint64", "(int) uint", to_uint, kUnit, kTyped},
    {"uint", "string_to_uint64", "(string) uint", to_uint, kUnit, kTyped},
});

}  // namespace

std::span<const FunctionRow> conversion_rows() {
    return kRows;
}

}  // namespace sluice::cel
