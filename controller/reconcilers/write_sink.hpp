#pragma once

#include "base/error.hpp"
#include "controller/reconcilers/reconcile.hpp"

#include <functional>
#include <vector>

namespace sluice::controller {

/// Takes writes and says later how they went. Thread: that of the stores.
class WriteSink {
  public:
    /// Called once a row has ended: without error when all of it was accepted.
    using Done = std::function<void(const Result<void>&)>;

    WriteSink() = default;
    WriteSink(const WriteSink&) = delete;
    WriteSink& operator=(const WriteSink&) = delete;
    virtual ~WriteSink() = default;

    /// Writes the row in order up to the first refusal; then calls `done`. With `until_certain` a
    /// write whose outcome is unknown (a timeout, a broken connection) is repeated until it is
    /// known to be done or refused; after some failures the object is looked at for it.
    virtual void submit(std::vector<Write> row, bool until_certain, Done done) = 0;
    /// Whether another row may be submitted now.
    virtual bool has_room() const = 0;
    /// Whether the store shows the object as the last write left it, so that decisions about it are
    /// not made on an echo from before.
    virtual bool is_settled(const ObjectKey& key) const = 0;
};

}  // namespace sluice::controller
