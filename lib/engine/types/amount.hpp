// Amounts of resources: 64-bit integers that saturate.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace sluice::engine {

/// A quantity of a resource in base units (cpu in thousandths), as the scheduler counts it.
/// Arithmetic saturates. The largest value means "unlimited" and stays so under addition.
class Amount {
  public:
    constexpr Amount() = default;
    constexpr explicit Amount(std::int64_t value) : value_(value) {}

    static constexpr Amount unlimited() { return Amount(std::numeric_limits<std::int64_t>::max()); }
    static constexpr Amount lowest() { return Amount(std::numeric_limits<std::int64_t>::min()); }

    constexpr std::int64_t value() const { return value_; }
    constexpr bool is_unlimited() const { return *this == unlimited(); }
    /// Returns true if a sum or difference may have been cut off at this value, so that it cannot
    /// be undone.
    constexpr bool is_saturated() const { return is_unlimited() || *this == lowest(); }

    friend constexpr auto operator<=>(Amount, Amount) = default;

    /// Saturates; unlimited plus any amount is unlimited.
    friend constexpr Amount operator+(Amount a, Amount b) {
        if (a.is_unlimited() || b.is_unlimited()) {
            return unlimited();
        }
        std::int64_t sum = 0;
        if (__builtin_add_overflow(a.value_, b.value_, &sum)) {
            return a.value_ > 0 ? unlimited() : lowest();
        }
        return Amount(sum);
    }

    /// Saturates; unlimited minus bounded is unlimited, unlimited minus unlimited is 0, and bounded
    /// minus unlimited is the lowest amount, which never fits.
    friend constexpr Amount operator-(Amount a, Amount b) {
        if (a.is_unlimited()) {
            return b.is_unlimited() ? Amount() : unlimited();
        }
        if (b.is_unlimited()) {
            return lowest();
        }
        std::int64_t difference = 0;
        if (__builtin_sub_overflow(a.value_, b.value_, &difference)) {
            return a.value_ < 0 ? lowest() : unlimited();
        }
        return Amount(difference);
    }

    /// Saturates. Requires: the factor is a number of pods and not negative.
    friend constexpr Amount operator*(Amount a, std::int64_t factor) {
        std::int64_t product = 0;
        if (__builtin_mul_overflow(a.value_, factor, &product)) {
            return (a.value_ < 0) == (factor < 0) ? unlimited() : lowest();
        }
        return Amount(product);
    }

    Amount& operator+=(Amount b) { return *this = *this + b; }
    Amount& operator-=(Amount b) { return *this = *this - b; }

  private:
    std::int64_t value_ = 0;
};

constexpr Amount max(Amount a, Amount b) {
    return a < b ? b : a;
}
constexpr Amount min(Amount a, Amount b) {
    return b < a ? b : a;
}

}  // namespace sluice::engine
