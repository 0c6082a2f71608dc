// Parses one HTTP/1.1 message from bytes as they arrive.
#pragma once

#include "base/error.hpp"
#include "net/http/http_message.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::net {

/// Parses one HTTP/1.1 message from bytes as they arrive. Only net/*.cpp use it.
class HttpParser {
  public:
    enum class Kind : std::uint8_t { Request, Response };
    /// A value of `body_bytes_max`: the body's total size is not limited.
    static constexpr auto kUnlimited = static_cast<std::size_t>(-1);
    /// Receives pieces of the body. An error ends the parsing.
    using BodySink = std::function<Result<void>(std::string_view)>;

    HttpParser(Kind kind, std::size_t header_bytes_max, std::size_t body_bytes_max, BodySink sink);
    ~HttpParser();
    HttpParser(const HttpParser&) = delete;
    HttpParser& operator=(const HttpParser&) = delete;

    /// Called when the header is complete, before any part of the body is passed on. An error ends
    /// the parsing.
    using HeadCheck = std::function<Result<void>()>;
    void set_head_check(HeadCheck check);

    /// Parses as many bytes as it can use and returns their number, which may be 0 before the
    /// header is complete. Errors: Invalid; the server then answers with http_status().
    Result<std::size_t> feed(std::string_view bytes);
    /// Call it when the peer has sent its last byte. Errors: Unavailable if the message is
    /// incomplete.
    Result<void> finish();

    bool is_header_done() const;
    bool is_done() const;
    bool is_keep_alive() const;
    /// Expects a response without a body, as HEAD has. Call it before the header is complete.
    void expect_no_body();

    /// The method and target of a request.
    const std::string& method() const;
    const std::string& target() const;
    /// Returns the status of a response. For a request that failed to parse, returns the status to
    /// answer with (400, 413, 431 or 501).
    int http_status() const;
    HttpHeaders& headers();
    /// Returns the length of a request's body, once the header is complete; nullopt if it is
    /// chunked.
    std::optional<std::uint64_t> content_length() const;

  private:
    class Impl;
    template <bool IsRequest>
    class BeastParser;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::net
