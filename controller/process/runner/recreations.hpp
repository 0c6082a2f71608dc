// Slows down the creation of objects that are deleted again and again.
#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <map>

namespace sluice::controller {

/// Slows down the creation of an object that is deleted each time. An example is the Workload of a
/// deleted Job whose deletion the watch has not shown yet: the garbage collector deletes the
/// Workload, because its owner is gone.
class Recreations {
  public:
    /// Returns the time from which the object may be created. The first two creations are not
    /// delayed; later ones wait for a second, doubled each time, up to half a minute.
    Instant not_before(const ObjectKey& object) const;
    /// Records a creation. A single creation is forgotten after ten seconds, a series a minute
    /// after its last one.
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
