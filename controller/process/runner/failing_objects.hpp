#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/stores.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace sluice::controller {

/// Remembers the objects whose reconciles fail one after the other.
class FailingObjects {
  public:
    /// Notes that a reconcile failed. Returns the number of failures in a row if they are to be
    /// reported now: when they have lasted for a minute, and once an hour from then on.
    std::optional<int> note_failure(const ObjectKey& key, Instant now);
    /// Notes that a reconcile did not fail, or that the object is not reconciled any more.
    void forget(const ObjectKey& key) { rows_.erase(key); }
    /// Returns the number of objects by kind whose failures were reported. Cost: in proportion to
    /// the objects that fail.
    std::map<Kind, std::uint64_t> count_by_kind() const;

  private:
    struct Row {
        Instant since;
        int failures = 0;
        std::optional<Instant> reported;
    };

    std::map<ObjectKey, Row> rows_;
};

}  // namespace sluice::controller
