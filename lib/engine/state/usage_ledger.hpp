#pragma once

#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"
#include "engine/types/time.hpp"

#include <map>
#include <optional>
#include <string>

namespace sluice::engine {

/// Amounts by resource name.
using ResourceAmounts = std::map<std::string, Billionths>;

/// The product, cut off to whole billionths; the factor counts as the shortest decimal number that
/// reads back as it. Requires: 0 <= factor <= 1.
Billionths scaled(Billionths amount, double factor);

/// What a LocalQueue has consumed, halved every so often, and what admissions that are not yet
/// Admitted will cost it: the account by which admission fair sharing orders LocalQueues
/// (KEP-4136). Amounts are rounded down, so that they decay to nothing.
class UsageLedger {
  public:
    /// Begins with what the LocalQueue's status reports; later calls do nothing. What was consumed
    /// before stays.
    void seed(const ConsumedResources& consumed, Time now);
    bool is_seeded() const { return is_seeded_; }
    /// Time passed: the past counts less, and what is admitted now more. A half-life of 0 forgets
    /// everything.
    void sample(const ResourceAmounts& admitted, Time now, Duration half_life);
    /// What the workload's admission will cost; replaces what was charged for it before.
    void charge(WorkloadIndex workload, ResourceAmounts penalty, Time now);
    /// The admission came to nothing.
    void drop(WorkloadIndex workload);
    /// The workload is Admitted: its charge becomes consumption.
    void consume(
        WorkloadIndex workload, const ResourceAmounts& admitted, Time now, Duration half_life
    );
    /// The wall clock was set forth by so much.
    void step_clock(Duration by);
    bool has_charges() const { return !penalties_.empty(); }
    /// As of last_update().
    const ResourceAmounts& consumed() const { return consumed_; }

    /// The weighted sum of all, divided by the LocalQueue's weight; infinite for a weight of 0 or
    /// less. Resources without a weight of their own count 1.
    double usage(const std::map<std::string, double>& resource_weights, double weight) const;
    /// When `consumed` was last worked out; none: never.
    std::optional<Time> last_update() const { return last_update_; }

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(self.consumed_, self.penalties_, self.charged_, self.last_update_, self.is_seeded_);
    }

  private:
    ResourceAmounts consumed_;
    std::map<WorkloadIndex, ResourceAmounts> penalties_;
    ResourceAmounts charged_;  // the sum of all penalties
    std::optional<Time> last_update_;
    bool is_seeded_ = false;
};

/// What an admission costs its LocalQueue at once: the share of its requests that one sampling
/// interval would add.
ResourceAmounts entry_penalty(
    const ResourceAmounts& requests, Duration sampling_interval, Duration half_life
);

}  // namespace sluice::engine
