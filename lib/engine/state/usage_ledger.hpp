// The past usage of a LocalQueue, for admission fair sharing (KEP-4136).
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

/// Returns the product, truncated to whole billionths. The factor counts as the shortest decimal
/// number that parses as the same double. Requires: 0 <= factor <= 1.
Billionths scaled(Billionths amount, double factor);

/// The account by which admission fair sharing orders LocalQueues (KEP-4136): the resources that a
/// LocalQueue has consumed, which decay with a half-life, and the charges for its workloads that
/// are not Admitted yet. Amounts are rounded down, so that they decay to 0.
class UsageLedger {
  public:
    /// Adds the consumption that the LocalQueue's status reports. Later calls do nothing.
    void seed(const ConsumedResources& consumed, Time now);
    bool is_seeded() const { return is_seeded_; }
    /// Advances the consumption to `now`: past consumption decays, and `admitted`, the usage of the
    /// Admitted workloads, is added in proportion to the time that has passed. A half-life of 0
    /// clears the consumption.
    void sample(const ResourceAmounts& admitted, Time now, Duration half_life);
    /// Charges `penalty` for the workload's admission, in place of an earlier charge for it.
    void charge(WorkloadIndex workload, ResourceAmounts penalty, Time now);
    /// Removes the charge for the workload: its admission failed or ended.
    void drop(WorkloadIndex workload);
    /// Advances the consumption to `now` and adds the workload's charge to it: the workload is
    /// Admitted.
    void consume(
        WorkloadIndex workload, const ResourceAmounts& admitted, Time now, Duration half_life
    );
    /// Moves last_update() by the step of the wall clock; a negative step goes back.
    void step_clock(Duration by);
    bool has_charges() const { return !penalties_.empty(); }
    /// Returns the consumption at last_update().
    const ResourceAmounts& consumed() const { return consumed_; }

    /// Returns the weighted sum of consumption and charges, divided by the LocalQueue's weight.
    /// Resources that `resource_weights` does not list count with 1. Infinity if the LocalQueue's
    /// weight is 0 or less.
    double usage(const std::map<std::string, double>& resource_weights, double weight) const;
    /// Returns when the consumption was last updated; nullopt if it never was.
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

/// Returns the penalty for an admission: the part of its requests that one sampling interval would
/// add to the consumption.
ResourceAmounts entry_penalty(
    const ResourceAmounts& requests, Duration sampling_interval, Duration half_life
);

}  // namespace sluice::engine
