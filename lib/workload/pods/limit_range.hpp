// Combines the LimitRanges of one namespace into bounds and defaults.
#pragma once

#include "api/core/core.hpp"

#include <map>
#include <string>
#include <vector>

namespace sluice::workload {

/// The combined LimitRanges of one namespace: for each type (Container, Pod) the lowest max, the
/// highest min, and the defaults added first. Requires: LimitRanges are added in the order of their
/// names.
class LimitRangeSummary {
  public:
    struct Item {
        api::ResourceList min;
        api::ResourceList max;
        api::ResourceList default_limits;
        api::ResourceList default_requests;
    };

    void add(const api::LimitRange& range);
    bool is_empty() const { return items_.empty(); }
    /// Returns the bounds and defaults of the type; nullptr if no LimitRange has that type.
    const Item* find(std::string_view type) const;

  private:
    std::map<std::string, Item, std::less<>> items_;
};

}  // namespace sluice::workload
