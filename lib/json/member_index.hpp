// Finds many members of one large object without a linear search for each.
#pragma once

#include "json/value.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace sluice::json {

/// Finds members of one object many times. Cost: constant if the members are looked up in the order
/// of the object, else logarithmic; an object of at most 16 members is searched linearly. Requires:
/// the object outlives the index and does not change.
class MemberIndex {
  public:
    /// Indexes an object. If `value` is nullptr or not an object, no member is found.
    explicit MemberIndex(const Value* value);

    /// Returns the index of the member with that name; the number of members if the object lacks
    /// it.
    std::size_t place(std::string_view key);
    /// Returns the member with that name, or nullptr.
    const Value* find(std::string_view key);

  private:
    const Object& members_;
    std::size_t next_ = 0;             ///< index after the last member found
    std::vector<std::size_t> sorted_;  ///< indices by name, once they are needed
};

}  // namespace sluice::json
