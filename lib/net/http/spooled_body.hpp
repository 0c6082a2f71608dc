// A message body in memory, or in a nameless temporary file if it is large.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::net {

/// The bytes of a message body. A small body is in memory, a larger one in a nameless file in the
/// temporary folder, so that many large bodies at the same time do not fill the memory.
class SpooledBody {
  public:
    SpooledBody() = default;
    /// A body that is in memory up to `memory_max` bytes.
    explicit SpooledBody(std::size_t memory_max) : memory_max_(memory_max) {}
    /// A body in memory.
    explicit SpooledBody(std::string bytes) : memory_(std::move(bytes)) {}
    SpooledBody(SpooledBody&& other) noexcept;
    SpooledBody& operator=(SpooledBody&& other) noexcept;
    SpooledBody(const SpooledBody&) = delete;
    SpooledBody& operator=(const SpooledBody&) = delete;
    ~SpooledBody();

    /// Appends bytes. Requires: view() was not called yet. Errors: Internal if the file cannot be
    /// written.
    Result<void> append(std::string_view bytes);
    /// Returns all bytes; those of a file through the page cache. Lifetime: that of this object.
    /// Errors: Internal if the file cannot be mapped.
    Result<std::string_view> view();
    /// Copies bytes from `offset` on into the buffer. Returns their number, 0 at the end. Unlike
    /// view(), it does not map the whole file. Errors: Internal if the file cannot be read.
    Result<std::size_t> copy(std::size_t offset, char* buffer, std::size_t size) const;
    std::size_t size() const { return file_ >= 0 ? file_bytes_ : memory_.size(); }

  private:
    void reset() noexcept;
    std::string memory_;
    std::size_t memory_max_ = static_cast<std::size_t>(-1);
    int file_ = -1;
    std::size_t file_bytes_ = 0;
    void* mapping_ = nullptr;
};

}  // namespace sluice::net
