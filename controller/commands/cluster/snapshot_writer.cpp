#include "controller/commands/cluster/snapshot_writer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::commands {

namespace {

constexpr Duration kPauseMin = std::chrono::seconds(1);
/// Saving takes at most one part in kShare of the time.
constexpr int kShare = 10;

}  // namespace

SnapshotWriter::SnapshotWriter(
    const DataFolder& folder, Take take, Report report, const Clock& clock
)
    : folder_(folder),
      take_(std::move(take)),
      report_(std::move(report)),
      clock_(clock),
      thread_([this] { run(); }) {}

SnapshotWriter::~SnapshotWriter() {
    end();
}

Result<void> SnapshotWriter::save() {
    const auto image = take_(saved_);
    if (!image) {
        return {};
    }
    auto done = folder_.save(apiserver::print_image(*image));
    if (done) {
        saved_ = image->version;
    }
    return done;
}

void SnapshotWriter::run() {
    bool has_failed = false;
    for (;;) {
        const Instant begun = clock_.instant();
        const auto done = save();
        if (!done && !has_failed) {
            report_(done.error());
        }
        has_failed = !done;
        const Duration pause = std::max(kPauseMin, (clock_.instant() - begun) * kShare);
        std::unique_lock lock(mutex_);
        if (stopped_.wait_for(lock, pause, [this] { return is_over_; })) {
            return;
        }
    }
}

void SnapshotWriter::end() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    stopped_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

Result<void> SnapshotWriter::finish() {
    end();
    return save();
}

}  // namespace sluice::commands
