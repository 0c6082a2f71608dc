#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::net {

/// The bytes of a message body: in memory while they are few, else in a file without a name in the
/// temporary folder, so that many large bodies on their way do not fill the memory.
class SpooledBody {
  public:
    SpooledBody() = default;
    /// A body that is kept in memory up to `memory_max` bytes.
    explicit SpooledBody(std::size_t memory_max) : memory_max_(memory_max) {}
    /// A body in memory.
    explicit SpooledBody(std::string bytes) : memory_(std::move(bytes)) {}
    SpooledBody(SpooledBody&& other) noexcept;
    SpooledBody& operator=(SpooledBody&& other) noexcept;
    SpooledBody(const SpooledBody&) = delete;
    SpooledBody& operator=(const SpooledBody&) = delete;
    ~SpooledBody();

    /// Adds bytes at the end. Requires: view() was not called yet. Errors: Internal when the file
    /// cannot be written.
    Result<void> append(std::string_view bytes);
    /// All bytes, from the file through the page cache. Lifetime: that of this object.
    /// Errors: Internal when the file cannot be mapped.
    Result<std::string_view> view();
    /// Copies bytes from `offset` on into the buffer; how many, 0 at the end. Unlike view() it
    /// holds no more of a file in memory than that. Errors: Internal when the file cannot be read.
    Result<std::size_t> copy(std::size_t offset, char* buffer, std::size_t size) const;
    std::size_t size() const { return file_ >= 0 ? file_bytes_ : memory_.size(); }
    bool is_in_file() const { return file_ >= 0; }

  private:
    void reset() noexcept;
    std::string memory_;
    std::size_t memory_max_ = static_cast<std::size_t>(-1);
    int file_ = -1;
    std::size_t file_bytes_ = 0;
    void* mapping_ = nullptr;
};

}  // namespace sluice::net
