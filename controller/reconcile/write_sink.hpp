#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace sluice::controller {

/// How often a write is tried whose outcome is unknown (a timeout, a broken connection).
enum class Attempts : std::uint8_t {
    AFew,
    UntilCertain,  ///< until it is known to be done or refused; after some failures the object is
                   ///< read to find out
};

/// Takes writes and says later how they went. Thread: that of the stores.
class WriteSink {
  public:
    /// Called once a row has ended: without error when all of it was accepted.
    using Done = std::function<void(const Result<void>&)>;

    WriteSink() = default;
    WriteSink(const WriteSink&) = delete;
    WriteSink& operator=(const WriteSink&) = delete;
    virtual ~WriteSink() = default;

    /// Writes the row in order up to the first refusal; then calls `done`.
    virtual void submit(std::vector<Write> row, Attempts attempts, Done done) = 0;
    /// Whether another row may be submitted now.
    virtual bool has_room() const = 0;
    /// How long a row takes of late, which tells how busy the API server is; one row that hangs
    /// says little of it.
    virtual Duration pace() const { return Duration::zero(); }
    /// Whether the store shows the object as the last write left it, so that decisions about it are
    /// not made on an echo from before.
    virtual bool is_settled(const ObjectKey& key) const = 0;
};

}  // namespace sluice::controller
