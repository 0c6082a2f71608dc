#pragma once

#include "apiserver/state/snapshot.hpp"
#include "base/clock.hpp"
#include "controller/commands/cluster/data_folder.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace sluice::commands {

/// Saves a cluster to its folder when it has changed, once a second at most, from a thread of its
/// own. A failure is told once, and what is there stays until it works again.
class SnapshotWriter {
  public:
    /// Takes an image if there is something newer than that version. Thread: the writer's.
    using Take = std::function<std::optional<apiserver::StoreImage>(std::int64_t version)>;

    /// Takes the reason of a failure. Thread: the writer's.
    using Tell = std::function<void(const Error&)>;

    /// Lifetime: folder and clock must outlive it.
    SnapshotWriter(const DataFolder& folder, Take take, Tell tell, const Clock& clock);
    /// Ends without saving what finish() was not called for.
    ~SnapshotWriter();
    SnapshotWriter(const SnapshotWriter&) = delete;
    SnapshotWriter& operator=(const SnapshotWriter&) = delete;

    /// Saves what is there now and ends. Errors: those of DataFolder::save().
    Result<void> finish();

  private:
    void run();
    void end();
    Result<void> save();

    const DataFolder& folder_;
    Take take_;
    Tell tell_;
    const Clock& clock_;
    std::int64_t saved_ = -1;
    std::mutex mutex_;
    std::condition_variable stopped_;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace sluice::commands
