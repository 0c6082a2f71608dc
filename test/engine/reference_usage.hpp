#pragma once

#include "engine/types/options.hpp"
#include "engine/types/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::reference {

using engine::Duration;
using engine::Time;

/// A number with nine decimal places that is not negative, kept as its digits: what upstream counts
/// LocalQueues' usage in (MulByFloat).
class Decimal {
  public:
    Decimal() = default;
    /// value / 10^places. Requires: value >= 0, places <= 9.
    static Decimal of(std::int64_t value, int places);

    Decimal plus(const Decimal& other) const;
    /// The product with the shortest decimal number that reads back as the factor, cut off after
    /// nine places.
    Decimal times(double factor) const;
    double to_double() const;

  private:
    std::vector<int> digits_;  // of billionths, the last first
};

using Decimals = std::map<std::string, Decimal>;

Decimals sum_of(Decimals a, const Decimals& b);
Decimals product_of(const Decimals& amounts, double factor);
/// How much of the present counts after that time: 1 - 0.5^(elapsed / halfLife).
double weight_of_present(Duration elapsed, Duration half_life);

/// What a LocalQueue has used (KEP-4136).
struct UsageAccount {
    Decimals consumed;
    std::map<std::string, Decimals> penalties;  ///< by workload, until it is Admitted
    std::optional<Time> last_update;
    bool is_seeded = false;
    std::optional<Time> sample_at;

    /// The past counts less and what is admitted now more.
    void decay(const Decimals& admitted, Time now, Duration half_life);
    double usage(const std::map<std::string, double>& resource_weights, double weight) const;
};

}  // namespace sluice::reference
