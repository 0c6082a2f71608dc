#include "journal/segment_writer.hpp"

#include "base/log.hpp"
#include "engine/state/snapshot.hpp"
#include "journal/frames.hpp"
#include "journal/segments.hpp"
#include "json/value.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace sluice::journal {
namespace {

/// Lines are gathered for so long or so many bytes into a frame.
constexpr std::chrono::seconds kGather{1};
constexpr std::size_t kFrameBytes = std::size_t{1} << 20;

}  // namespace

void SegmentWriter::Close::operator()(std::FILE* file) const {
    std::fclose(file);
}

SegmentWriter::SegmentWriter(const SegmentOptions& options)
    : options_(options), segment_limit_(options.segment_bytes), thread_([this] { run(); }) {}

SegmentWriter::~SegmentWriter() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

bool SegmentWriter::begin(Time now, engine::State state) {
    const std::lock_guard lock(mutex_);
    if (has_failed_ && (!queue_.empty() || !is_idle_)) {
        return false;
    }
    has_failed_ = false;
    segment_bytes_ = 0;
    queue_.push_back({.state = std::move(state), .begin = now, .lines = {}});
    changed_.notify_all();
    return true;
}

bool SegmentWriter::append(std::string_view line) {
    const std::lock_guard lock(mutex_);
    if (queued_bytes_ + line.size() > options_.queue_bytes) {
        has_failed_ = true;
        return false;
    }
    if (queue_.empty() || queue_.back().state) {
        queue_.emplace_back();
    }
    queue_.back().lines.append(line).append(1, '\n');
    queued_bytes_ += line.size() + 1;
    if (queue_.back().lines.size() >= kFrameBytes) {
        changed_.notify_all();
    }
    return true;
}

void SegmentWriter::flush() {
    std::unique_lock lock(mutex_);
    hurries_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return queue_.empty() && is_idle_; });
    hurries_ = false;
}

void SegmentWriter::run() {
    for (;;) {
        std::deque<Item> items;
        {
            std::unique_lock lock(mutex_);
            is_idle_ = true;
            changed_.notify_all();
            if (queue_.empty() && ends_) {
                return;
            }
            changed_.wait_for(lock, kGather, [this] {
                return ends_ || hurries_ || queue_.size() > 1 || queued_bytes_ >= kFrameBytes;
            });
            items.swap(queue_);
            queued_bytes_ = 0;
            is_idle_ = items.empty();
        }
        for (Item& item : items) {
            write(std::move(item));
        }
    }
}

void SegmentWriter::write(Item item) {
    if (item.state) {
        if (!open(item.begin)) {
            return;
        }
        json::Value header = json::Object{{"v", 1}, {"build", options_.build}};
        json::Value state = json::Object{
            {"t", item.begin.time_since_epoch().count()},
            {"state", kube::encode_base64(engine::save(*item.state))},
        };
        write_frame(json::print(header) + "\n" + json::print(state) + "\n");
        segment_limit_ = std::max(options_.segment_bytes, 2 * segment_bytes_);
        return;
    }
    write_frame(item.lines);
}

bool SegmentWriter::open(Time begin) {
    delete_oldest();
    const std::string name = options_.folder + "/" + segment_name(begin, ++segments_);
    file_.reset(std::fopen(name.c_str(), "wb"));
    if (file_ == nullptr) {
        log::error(
            "journal segment cannot be made", {{"file", name}, {"error", std::strerror(errno)}}
        );
        has_failed_ = true;
    }
    return file_ != nullptr;
}

void SegmentWriter::write_frame(std::string_view text) {
    if (file_ == nullptr || text.empty()) {
        return;
    }
    const std::string frame = compress_frame(text);
    const std::size_t written = std::fwrite(frame.data(), 1, frame.size(), file_.get());
    if (frame.empty() || written != frame.size() || std::fflush(file_.get()) != 0) {
        log::error("journal cannot be written", {{"error", std::strerror(errno)}});
        has_failed_ = true;
        file_.reset();
        return;
    }
    segment_bytes_ += frame.size();
    bytes_ += frame.size();
}

void SegmentWriter::delete_oldest() const {
    const auto segments = find_segments(options_.folder);
    std::uint64_t total = 0;
    std::error_code error;
    for (auto at = segments.rbegin(); at != segments.rend(); ++at) {
        total += std::filesystem::file_size(*at, error);
        if (total + segment_limit_ > options_.folder_bytes) {
            std::filesystem::remove(*at, error);
        }
    }
}

}  // namespace sluice::journal
