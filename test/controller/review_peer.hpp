#pragma once

#include "net/transport/stream.hpp"
#include "webhook/review_load.hpp"

#include <boost/asio/awaitable.hpp>

#include <charconv>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::test {

/// What came back for a review.
struct ReviewReply {
    int status = 0;  ///< 0: no answer
    bool is_right = false;
    std::string body;  ///< where the status is not 200; else only compared
};

/// One connection that sends reviews and holds no more of them and of their answers than a piece.
class ReviewPeer {
  public:
    explicit ReviewPeer(std::unique_ptr<net::Stream> stream) : stream_(std::move(stream)) {}

    net::Stream& stream() { return *stream_; }

    /// Writes the request; whether all of it went out.
    boost::asio::awaitable<bool> send(const ReviewLoad* load) {
        std::string out =
            "POST /convert HTTP/1.1\r\nHost: sluice\r\nContent-Type: application/json\r\n"
            "Content-Length: " +
            std::to_string(load->bytes()) + "\r\n\r\n";
        for (std::size_t at = 0;; ++at) {
            const auto piece = load->request_piece(at);
            out += piece;
            if (out.size() < kPieceBytes && !piece.empty()) {
                continue;
            }
            const auto written = co_await stream_->write(out);
            if (!written || piece.empty()) {
                co_return written.has_value();
            }
            out.clear();
        }
    }

    /// Reads the answer and compares it with the one that the load must get.
    boost::asio::awaitable<ReviewReply> receive(const ReviewLoad* load) {
        ReviewReply reply;
        input_.clear();
        while (input_.find("\r\n\r\n") == std::string::npos) {
            const bool more = co_await read_more();
            if (!more) {
                co_return reply;
            }
        }
        const auto head_size = input_.find("\r\n\r\n") + 4;
        const auto length = number_after("Content-Length: ");
        reply.status = static_cast<int>(number_after("HTTP/1.1 "));
        input_.erase(0, head_size);
        reply.is_right = reply.status == 200 && length == load->answer_bytes();
        std::string wanted;
        std::size_t next_piece = 0;
        for (std::size_t taken = 0;;) {
            taken += input_.size();
            if (reply.status != 200) {
                reply.body += input_;
            }
            while (reply.status == 200 && wanted.size() < input_.size()) {
                const auto piece = load->answer_piece(next_piece++);
                if (piece.empty()) {
                    break;
                }
                wanted += piece;
            }
            reply.is_right = reply.is_right && wanted.starts_with(input_);
            wanted.erase(0, input_.size());
            input_.clear();
            if (taken >= length) {
                input_ = std::string();  // it waits for its next turn as small as it can be
                co_return reply;
            }
            const bool more = co_await read_more();
            if (!more) {
                co_return ReviewReply{};
            }
        }
    }

    /// Sends and receives.
    boost::asio::awaitable<ReviewReply> ask(const ReviewLoad* load) {
        const bool sent = co_await send(load);
        if (!sent) {
            co_return ReviewReply{};
        }
        const auto reply = co_await receive(load);
        co_return reply;
    }

  private:
    static constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

    boost::asio::awaitable<bool> read_more() {
        std::vector<char> buffer(kPieceBytes);
        const auto read = co_await stream_->read_some(buffer.data(), buffer.size());
        if (!read || *read == 0) {
            co_return false;
        }
        input_.append(buffer.data(), *read);
        co_return true;
    }

    std::size_t number_after(std::string_view text) const {
        const auto at = input_.find(text);
        std::size_t value = 0;
        if (at != std::string::npos) {
            const char* begin = input_.data() + at + text.size();
            std::from_chars(begin, input_.data() + input_.size(), value);
        }
        return value;
    }

    std::unique_ptr<net::Stream> stream_;
    std::string input_;
};

}  // namespace sluice::test
