#pragma once

#include "json/value.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace sluice::json {

/// Finds members of one object many times. Cost: constant when they are asked for in the order of
/// the object, else logarithmic; an object of few members is searched as it is. The object must
/// outlive the index and stay as it is.
class MemberIndex {
  public:
    /// nullptr or what is no object: nothing is found.
    explicit MemberIndex(const Value* value);

    /// The place of the member of that name among the members; their number: there is none.
    std::size_t place(std::string_view key);
    /// The member of that name, or nullptr.
    const Value* find(std::string_view key);

  private:
    const Object& members_;
    std::size_t next_ = 0;             ///< the place behind the last one found
    std::vector<std::size_t> sorted_;  ///< places by name, once they are needed
};

}  // namespace sluice::json
