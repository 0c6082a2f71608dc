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

/// Reads one HTTP/1.1 message from bytes as they come. Only net/*.cpp use it.
class HttpParser {
  public:
    enum class Kind : std::uint8_t { Request, Response };
    /// As `body_bytes_max`: no limit of the body as a whole.
    static constexpr auto kUnlimited = static_cast<std::size_t>(-1);
    /// Takes pieces of the body; an error ends the parsing.
    using BodySink = std::function<Result<void>(std::string_view)>;

    HttpParser(Kind kind, std::size_t header_bytes_max, std::size_t body_bytes_max, BodySink sink);
    ~HttpParser();
    HttpParser(const HttpParser&) = delete;
    HttpParser& operator=(const HttpParser&) = delete;

    /// Called once the header is whole, before any of the body is taken; an error ends the parsing.
    using HeadCheck = std::function<Result<void>()>;
    void set_head_check(HeadCheck check);

    /// Takes as many of the bytes as it can use, which may be none before the header is whole; how
    /// many. Errors: Invalid; what http_status() then says is the answer that a server gives.
    Result<std::size_t> feed(std::string_view bytes);
    /// The other side sent its last byte. Errors: Unavailable when the message is not whole.
    Result<void> finish();

    bool is_header_done() const;
    bool is_done() const;
    bool is_keep_alive() const;
    /// Of a response: it answers HEAD and so has no body. Call before the header is done.
    void expect_no_body();

    const std::string& method() const;
    const std::string& target() const;
    /// Of a response its status; of a request that failed the answer it deserves (400, 413 or 431).
    int http_status() const;
    HttpHeaders& headers();
    /// Of a request, once its header is there: how long its body is; none: it comes in chunks.
    std::optional<std::uint64_t> content_length() const;

  private:
    class Impl;
    template <bool IsRequest>
    class BeastParser;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::net
