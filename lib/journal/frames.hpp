// Files of compressed frames, each with a checksum of its own.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::journal {

/// Returns the text as a zstd frame with a checksum. A skippable frame before it has its length, so
/// that a frame that was cut off is not taken for a damaged one.
std::string compress_frame(std::string_view text);

/// Reads the frames of a file one after the other. `zstdcat` reads such files, too.
class FrameReader {
  public:
    /// Errors: NotFound, Invalid if the file cannot be opened.
    static Result<FrameReader> open(const std::string& file);

    /// Returns the text of the next frame; nullopt at the end of the file, also if the last frame
    /// was cut off (then is_torn() is true). Errors: Invalid if a frame is damaged.
    Result<std::optional<std::string>> next();
    bool is_torn() const { return is_torn_; }

  private:
    struct Close {
        void operator()(std::FILE* file) const;
    };
    explicit FrameReader(std::FILE* file) : file_(file) {}
    /// Reads more of the file. Returns false at its end.
    bool read_more();

    std::unique_ptr<std::FILE, Close> file_;
    std::string bytes_;  ///< read and not yet used
    bool is_torn_ = false;
};

}  // namespace sluice::journal
