// Counts successive failures of reconciles per object.
#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/stores.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace sluice::controller {

/// Counts successive failures of each object's reconciles.
class FailingObjects {
  public:
    /// Counts a failed reconcile. Returns the number of successive failures if they must be
    /// reported now: once they have lasted for a minute, and then once an hour.
    std::optional<int> note_failure(const ObjectKey& key, Instant now);
    /// Call after a successful reconcile, or if the object is no longer reconciled.
    void forget(const ObjectKey& key) { rows_.erase(key); }
    /// Returns, by kind, the number of objects whose failures were reported. Cost: linear in the
    /// number of failing objects.
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
