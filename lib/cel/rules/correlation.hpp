#pragma once

#include "cel/values/schema.hpp"
#include "json/value.hpp"

#include <map>
#include <optional>
#include <string>

namespace sluice::cel {

/// The items of an old list by the keys of its list type; none unless the list is one of type map.
class OldItems {
  public:
    OldItems(const Schema& list, const json::Value* old_list);
    /// The item with the same keys; nullptr when there is none.
    const json::Value* find(const json::Value& item) const;

  private:
    std::string key_of(const json::Value& item) const;

    const Schema& list_;
    std::map<std::string, const json::Value*> items_;
};

/// A part of an object and what it was before an update. Without `old` there is no such part: it
/// is new, or of a list whose items cannot be told apart.
struct Correlation {
    const json::Value* value = nullptr;
    const json::Value* old = nullptr;
    const Schema* schema = nullptr;

    Correlation() = default;
    Correlation(const json::Value* now, const json::Value* before, const Schema* part)
        : value(now), old(before), schema(part) {}
    bool is_known() const { return old != nullptr; }
    Correlation member(std::string_view name) const;
    /// Whether the part is what it was. Members that the schema does not know make a difference.
    /// Cost: that of comparing both, once.
    bool is_unchanged() const;

  private:
    bool compare() const;

    mutable std::optional<bool> is_unchanged_{};
};

}  // namespace sluice::cel
