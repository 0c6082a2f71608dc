#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <map>

namespace sluice::controller {

/// Slows down the creation of an object that is deleted as often as it is created. Such is the
/// Workload of a Job of whose deletion the watch does not tell yet: the garbage collector deletes
/// it, since its owner is gone.
class Recreations {
  public:
    /// The time from which on the object may be created. Its first two creations are not held up;
    /// those that follow wait for a second, twice as long each time, up to half a minute.
    Instant not_before(const ObjectKey& object) const;
    /// Takes note of a creation. One that is not followed by another is forgotten after ten
    /// seconds, a series of them a minute after its last one.
    void note(const ObjectKey& object, Instant now);

  private:
    struct Series {
        int length = 0;
        Instant last;
    };

    static bool is_over(const Series& series, Instant now);

    std::map<ObjectKey, Series> all_;
    Instant swept_{};
};

}  // namespace sluice::controller
