#pragma once

#include "api/core/core.hpp"

#include <map>
#include <string>
#include <vector>

namespace sluice::workload {

/// The LimitRanges of one namespace taken together: by type (Container, Pod),
/// the lowest max, the highest min, and the defaults seen first. LimitRanges are to be taken by
/// name.
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
    /// The bounds and defaults of that type, or nullptr.
    const Item* find(std::string_view type) const;

  private:
    std::map<std::string, Item, std::less<>> items_;
};

}  // namespace sluice::workload
