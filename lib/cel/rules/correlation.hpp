// Finds the old value of a part of an object that is updated.
#pragma once

#include "cel/values/schema.hpp"
#include "json/value.hpp"

#include <map>
#include <optional>
#include <string>

namespace sluice::cel {

/// The items of an old list by their list map keys. Empty unless the list is of type map.
class OldItems {
  public:
    OldItems(const Schema& list, const json::Value* old_list);
    /// Returns the old item with the same keys, or nullptr.
    const json::Value* find(const json::Value& item) const;

  private:
    std::string key_of(const json::Value& item) const;

    const Schema& list_;
    std::map<std::string, const json::Value*> items_;
};

/// A part of an object, and its value before an update. `old` is nullptr if the part is new, or is
/// in a list whose items have no keys.
struct Correlation {
    const json::Value* value = nullptr;
    const json::Value* old = nullptr;
    const Schema* schema = nullptr;

    Correlation() = default;
    Correlation(const json::Value* now, const json::Value* before, const Schema* part)
        : value(now), old(before), schema(part) {}
    bool is_known() const { return old != nullptr; }
    /// Returns the member of this part with its old value.
    Correlation member(std::string_view name) const;
    /// Returns true if the part has not changed. Members that the schema does not know count as
    /// changes. Cost: that of comparing both values, once.
    bool is_unchanged() const;

  private:
    bool compare() const;

    mutable std::optional<bool> is_unchanged_{};
};

}  // namespace sluice::cel
