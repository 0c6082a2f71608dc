// Quantities of the API (resource.Quantity): exact decimal numbers with a suffix.
#pragma once

#include "base/error.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sluice::api {

/// A resource.Quantity: an exact decimal number with the suffix style in which it was written.
///
/// Stored in billionths, so that every Kubernetes quantity up to 1.7e29 is exact. Smaller fractions
/// are rounded up (away from zero); larger numbers saturate.
class Quantity {
  public:
    enum class Format : std::uint8_t { DecimalSI, BinarySI, DecimalExponent };

    constexpr Quantity() = default;
    /// Makes a whole number, printed in decimal style.
    explicit Quantity(std::int64_t value, Format format = Format::DecimalSI);

    /// Parses `1`, `100m`, `1.5Gi`, `2e3`, `.5`, `+1` and so on. Errors: Invalid.
    static Result<Quantity> parse(std::string_view text);
    static Quantity from_milli(std::int64_t milli, Format format = Format::DecimalSI);
    /// Makes a number of billionths, printed in decimal style: the reverse of billionths().
    __extension__ static Quantity from_billionths(__int128 billionths);

    /// Returns the canonical form, as the API server prints it.
    std::string to_string() const;

    /// Return whole units or thousandths, rounded up (away from zero), saturating at the ends of
    /// int64.
    std::int64_t value() const;
    std::int64_t milli_value() const;
    /// Returns the nearest double, which Kueue uses for the fair-sharing weights of ClusterQueues
    /// and Cohorts.
    double as_double() const;
    /// Returns the digits as written, times a power of ten, computed in doubles. The result may be
    /// next to the nearest double ("0.7" is not "0.70"). This is Kubernetes' AsApproximateFloat64,
    /// which Kueue uses for the weights of LocalQueues.
    double as_approximate_double() const;
    /// Returns the exact number of billionths.
    __extension__ __int128 billionths() const { return nano_; }

    bool is_zero() const { return nano_ == 0; }
    int sign() const { return nano_ > 0 ? 1 : nano_ < 0 ? -1 : 0; }
    Format format() const { return format_; }

    /// Adds or subtracts, saturating. The result keeps the format of the left side unless the left
    /// side is zero.
    Quantity& operator+=(const Quantity& other);
    Quantity& operator-=(const Quantity& other);
    friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
    friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
    Quantity operator-() const;

    /// Compares the numbers; the format does not matter.
    friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
        return a.nano_ <=> b.nano_;
    }
    friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }

  private:
    __extension__ using Int128 = __int128;
    Int128 nano_ = 0;
    Format format_ = Format::DecimalSI;
    std::int8_t exponent_ = 0;  ///< power of ten of the last digit as written
};

/// Amounts by resource name (core/v1 ResourceList).
using ResourceList = std::map<std::string, Quantity>;

}  // namespace sluice::api
