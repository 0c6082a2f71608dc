// The interface through which reconcilers and the scheduler write to the API server.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace sluice::controller {

/// How often a write is repeated if its outcome is unknown (a timeout, a broken connection).
enum class Attempts : std::uint8_t {
    AFew,
    UntilCertain,  ///< until it is known to be done or refused; after some failures the object is
                   ///< read to find out
};

/// Takes writes and reports their outcome later. Thread: that of the stores.
class WriteSink {
  public:
    /// Called when a row has ended, without an error if every write of it was accepted.
    using Done = std::function<void(const Result<void>&)>;

    WriteSink() = default;
    WriteSink(const WriteSink&) = delete;
    WriteSink& operator=(const WriteSink&) = delete;
    virtual ~WriteSink() = default;

    /// Makes the writes of the row in order up to the first refusal, then calls `done`.
    virtual void submit(std::vector<Write> row, Attempts attempts, Done done) = 0;
    /// Returns true if another row may be submitted now.
    virtual bool has_room() const = 0;
    /// Returns how long a row takes at present, as a measure of the API server's load. A single row
    /// that hangs hardly changes it.
    virtual Duration pace() const { return Duration::zero(); }
    /// Returns true if the store shows the object as the last write left it. A decision about an
    /// object that is not settled would rest on a state from before that write.
    virtual bool is_settled(const ObjectKey& key) const = 0;
};

}  // namespace sluice::controller
