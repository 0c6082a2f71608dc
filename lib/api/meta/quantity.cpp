#include "api/meta/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace sluice::api {
namespace {

__extension__ using Int128 = __int128;
using Format = Quantity::Format;

constexpr Int128 kNano = 1'000'000'000;
constexpr std::int8_t kNanoExponent = -9;
constexpr Int128 kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr Int128 kInt128Max = (((static_cast<Int128>(1) << 126) - 1) << 1) + 1;

struct Suffix {
    std::string_view text;
    Format format;
    int exponent;  ///< power of 2 for BinarySI, of 10 otherwise
};

constexpr std::array<Suffix, 16> kSuffixes{{
    {"", Format::DecimalSI, 0},
    {"n", Format::DecimalSI, -9},
    {"u", Format::DecimalSI, -6},
    {"m", Format::DecimalSI, -3},
    {"k", Format::DecimalSI, 3},
    {"M", Format::DecimalSI, 6},
    {"G", Format::DecimalSI, 9},
    {"T", Format::DecimalSI, 12},
    {"P", Format::DecimalSI, 15},
    {"E", Format::DecimalSI, 18},
    {"Ki", Format::BinarySI, 10},
    {"Mi", Format::BinarySI, 20},
    {"Gi", Format::BinarySI, 30},
    {"Ti", Format::BinarySI, 40},
    {"Pi", Format::BinarySI, 50},
    {"Ei", Format::BinarySI, 60},
}};

std::optional<Suffix> find_suffix(std::string_view text) {
    for (const Suffix& suffix : kSuffixes) {
        if (suffix.text == text) {
            return suffix;
        }
    }
    if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) {
        return std::nullopt;
    }
    text.remove_prefix(text[1] == '+' ? 2 : 1);
    int exponent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
        return std::nullopt;
    }
    if (error == std::errc::result_out_of_range) {
        exponent = text[0] == '-' ? -1000 : 1000;
    }
    // Beyond these bounds the number is rounded up to 1n or saturates, whatever its digits.
    return Suffix{"e", Format::DecimalExponent, std::clamp(exponent, -1000, 1000)};
}

std::size_t count_digits(std::string_view text) {
    const auto end = text.find_first_not_of("0123456789");
    return end == std::string_view::npos ? text.size() : end;
}

/// Multiplies a number in decimal digits. Requires: `factor` is at most 2^60.
std::string multiply(std::string_view digits, std::uint64_t factor) {
    std::string reversed;
    std::uint64_t carry = 0;
    for (std::size_t i = digits.size(); i > 0; --i) {
        const std::uint64_t sum = static_cast<std::uint64_t>(digits[i - 1] - '0') * factor + carry;
        reversed += static_cast<char>('0' + sum % 10);
        carry = sum / 10;
    }
    for (; carry > 0; carry /= 10) {
        reversed += static_cast<char>('0' + carry % 10);
    }
    return {reversed.rbegin(), reversed.rend()};
}

/// Returns digits * 10^shift, rounded up to a whole number; saturates.
Int128 scale_digits(std::string digits, int shift) {
    bool has_rest = false;
    for (; shift < 0 && !digits.empty(); ++shift) {
        has_rest = has_rest || digits.back() != '0';
        digits.pop_back();
    }
    digits.erase(0, digits.find_first_not_of('0'));
    if (!digits.empty() && shift > 0) {
        digits.append(static_cast<std::size_t>(shift), '0');
    }
    if (digits.size() > 38) {
        return kInt128Max;
    }
    Int128 value = has_rest ? 1 : 0;
    Int128 place = 1;
    for (std::size_t i = digits.size(); i > 0; --i) {
        value += place * (digits[i - 1] - '0');
        place = i > 1 ? place * 10 : place;
    }
    return value;
}

Int128 divide_rounding_up(Int128 value, Int128 divisor) {
    const Int128 quotient = value / divisor;
    const Int128 rest = value % divisor;
    return rest == 0 ? quotient : quotient + (value > 0 ? 1 : -1);
}

std::int64_t saturate(Int128 value) {
    return static_cast<std::int64_t>(std::clamp(value, -kInt64Max - 1, kInt64Max));
}

std::string print(Int128 value) {
    std::string out;
    const bool negative = value < 0;
    do {
        const int digit = static_cast<int>(value % 10);
        out += static_cast<char>('0' + (negative ? -digit : digit));
        value /= 10;
    } while (value != 0);
    if (negative) {
        out += '-';
    }
    return {out.rbegin(), out.rend()};
}

std::string print_decimal(Int128 nano, Format format) {
    int exponent = -9;
    // Suffixes end at E; only the exponent style prints larger exponents.
    const int exponent_max = format == Format::DecimalSI ? 18 : 1000;
    while (nano % 1000 == 0 && exponent < exponent_max) {
        nano /= 1000;
        exponent += 3;
    }
    if (format == Format::DecimalExponent) {
        return exponent == 0 ? print(nano) : fmt::format("{}e{}", print(nano), exponent);
    }
    for (const Suffix& suffix : kSuffixes) {
        if (suffix.format == Format::DecimalSI && suffix.exponent == exponent) {
            return print(nano) + std::string(suffix.text);
        }
    }
    return print(nano);
}

std::string print_binary(Int128 value) {
    int exponent = 0;
    while (value % 1024 == 0 && exponent < 60) {
        value /= 1024;
        exponent += 10;
    }
    for (const Suffix& suffix : kSuffixes) {
        if (suffix.format == Format::BinarySI && suffix.exponent == exponent) {
            return print(value) + std::string(suffix.text);
        }
    }
    return print(value);
}

/// Returns 10^exponent, exact up to 10^22. Requires: 0 <= exponent <= 38.
double power_of_ten(int exponent) {
    double power = 1.0;
    for (; exponent > 22; --exponent) {
        power *= 10.0;
    }
    constexpr std::array<double, 23> kExact{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return power * kExact[static_cast<std::size_t>(exponent)];
}

/// Returns the power of ten of the last digit as Kubernetes stores the number: as it is written, or
/// nine places after the point if the number does not fit 64 bits or is a fraction of a binary
/// unit.
std::int8_t written_exponent(
    std::string_view digits, std::size_t fraction_digits, const Suffix& suffix
) {
    const std::size_t whole_digits = digits.size() - fraction_digits;
    const auto zeros = std::min(digits.find_first_not_of('0'), whole_digits);
    const auto length =
        static_cast<int>(std::max<std::size_t>(1, whole_digits - zeros) + fraction_digits);
    if (suffix.format == Quantity::Format::BinarySI) {
        const bool fits = fraction_digits == 0 && 14 - length - suffix.exponent * 3 / 10 >= 0;
        return fits ? 0 : kNanoExponent;
    }
    const int exponent = suffix.exponent - static_cast<int>(fraction_digits);
    const bool fits = length <= 18 && exponent >= kNanoExponent && exponent <= 28;
    return fits ? static_cast<std::int8_t>(exponent) : kNanoExponent;
}

}  // namespace

Quantity::Quantity(std::int64_t value, Format format) : nano_(value * kNano), format_(format) {}

Quantity Quantity::from_milli(std::int64_t milli, Format format) {
    Quantity quantity;
    quantity.nano_ = static_cast<Int128>(milli) * 1'000'000;
    quantity.format_ = format;
    quantity.exponent_ = -3;
    return quantity;
}

Quantity Quantity::from_billionths(Int128 billionths) {
    Quantity quantity;
    quantity.nano_ = billionths;
    quantity.exponent_ = -9;
    return quantity;
}

Result<Quantity> Quantity::parse(std::string_view text) {
    std::string_view rest = text;
    const bool negative = rest.starts_with('-');
    if (negative || rest.starts_with('+')) {
        rest.remove_prefix(1);
    }
    std::string digits(rest.substr(0, count_digits(rest)));
    rest.remove_prefix(digits.size());
    std::size_t fraction_digits = 0;
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        fraction_digits = count_digits(rest);
        digits += rest.substr(0, fraction_digits);
        rest.remove_prefix(fraction_digits);
    }
    const auto suffix = find_suffix(rest);
    if (digits.empty() || !suffix || text.size() > 1024) {
        return make_invalid(
            fmt::format("'{}' is not a quantity (such as 500m, 4 or 1.5Gi)", text.substr(0, 64))
        );
    }
    Quantity quantity;
    quantity.format_ = suffix->format;
    quantity.exponent_ = written_exponent(digits, fraction_digits, *suffix);
    int shift = 9 - static_cast<int>(fraction_digits);
    if (suffix->format == Format::BinarySI) {
        digits = multiply(digits, std::uint64_t{1} << suffix->exponent);
    } else {
        shift += suffix->exponent;
    }
    quantity.nano_ = scale_digits(std::move(digits), shift);
    if (suffix->format == Format::BinarySI) {
        quantity.nano_ = std::min(quantity.nano_, kInt64Max * kNano);
        if (quantity.nano_ > 0 && quantity.nano_ < kNano) {
            quantity.format_ = Format::DecimalSI;
        }
    }
    quantity.nano_ = negative ? -quantity.nano_ : quantity.nano_;
    return quantity;
}

std::string Quantity::to_string() const {
    if (nano_ == 0) {
        return "0";
    }
    const bool is_small = nano_ > -1024 * kNano && nano_ < 1024 * kNano;
    if (format_ == Format::BinarySI) {
        // Binary printing would lose a fraction, and numbers below 1Ki are printed the same in both
        // styles.
        return is_small || nano_ % kNano != 0 ? print_decimal(nano_, Format::DecimalSI)
                                              : print_binary(nano_ / kNano);
    }
    return print_decimal(nano_, format_);
}

std::int64_t Quantity::value() const {
    return saturate(divide_rounding_up(nano_, kNano));
}

std::int64_t Quantity::milli_value() const {
    return saturate(divide_rounding_up(nano_, kNano / 1000));
}

double Quantity::as_double() const {
    if (nano_ == kInt128Max || nano_ == -kInt128Max) {
        return static_cast<double>(nano_) / static_cast<double>(kNano);
    }
    const std::string text = fmt::format("{}e-9", print(nano_));
    double number = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

double Quantity::as_approximate_double() const {
    const int above_nano = exponent_ - kNanoExponent;
    Int128 digits = nano_;
    for (int i = 0; i < above_nano; ++i) {
        digits /= 10;
    }
    const auto number = static_cast<double>(digits);
    return exponent_ < 0 ? number * (1.0 / power_of_ten(-exponent_))
                         : number * power_of_ten(exponent_);
}

Quantity& Quantity::operator+=(const Quantity& other) {
    if (nano_ == 0) {
        format_ = other.format_;
    }
    Int128 sum = 0;
    if (__builtin_add_overflow(nano_, other.nano_, &sum)) {
        sum = nano_ > 0 ? kInt128Max : -kInt128Max;
    }
    nano_ = sum;
    exponent_ = std::min(exponent_, other.exponent_);
    return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
    return *this += -other;
}

Quantity Quantity::operator-() const {
    Quantity negated = *this;
    negated.nano_ = -nano_;
    return negated;
}

}  // namespace sluice::api
