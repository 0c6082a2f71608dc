#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::test {

/// A ConversionReview of v1beta1 Workloads that is as long as asked for, to the byte, and the
/// answer it must get. Both come in pieces, so that neither has to be in memory whole.
class ReviewLoad {
  public:
    /// Requires: room for one object, which is two KiB.
    explicit ReviewLoad(std::size_t bytes);

    /// A review of one object.
    static ReviewLoad small() { return ReviewLoad(std::size_t{4} * 1024); }

    std::size_t bytes() const { return bytes_; }
    std::size_t objects() const { return objects_; }
    std::size_t answer_bytes() const;

    /// Piece `at` of the request or its answer; "" after the last.
    std::string request_piece(std::size_t at) const { return piece(at, true); }
    std::string answer_piece(std::size_t at) const { return piece(at, false); }

    /// All pieces in one.
    std::string request() const { return whole(true); }
    std::string answer() const { return whole(false); }

  private:
    std::string piece(std::size_t at, bool of_request) const;
    std::string whole(bool of_request) const;

    std::size_t bytes_;
    std::size_t objects_;
};

}  // namespace sluice::test
