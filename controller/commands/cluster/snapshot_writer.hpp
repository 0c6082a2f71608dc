// Thread that saves snapshots of a changing cluster to its folder.
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

/// Saves a cluster to its folder after changes, at most once a second, in its own thread. It
/// reports only the first of successive failures; the folder keeps the last snapshot until a save
/// succeeds.
class SnapshotWriter {
  public:
    /// Returns an image if the cluster has changed since that version, otherwise nullopt. Thread:
    /// the writer's.
    using Take = std::function<std::optional<apiserver::StoreImage>(std::int64_t version)>;

    /// Reports the reason of a failure. Thread: the writer's.
    using Report = std::function<void(const Error&)>;

    /// Starts the thread. Lifetime: `folder` and `clock` must outlive this object.
    SnapshotWriter(const DataFolder& folder, Take take, Report report, const Clock& clock);
    /// Stops the thread without saving: changes since the last save are lost unless finish() was
    /// called.
    ~SnapshotWriter();
    SnapshotWriter(const SnapshotWriter&) = delete;
    SnapshotWriter& operator=(const SnapshotWriter&) = delete;

    /// Stops the thread and saves the present state. Errors: those of DataFolder::save().
    Result<void> finish();

  private:
    void run();
    void end();
    Result<void> save();

    const DataFolder& folder_;
    Take take_;
    Report report_;
    const Clock& clock_;
    std::int64_t saved_ = -1;
    std::mutex mutex_;
    std::condition_variable stopped_;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace sluice::commands
