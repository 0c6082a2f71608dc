#include "net/http/http_server.hpp"

#include "base/deadline.hpp"
#include "base/log.hpp"
#include "net/http/connection_table.hpp"
#include "net/http/http_parser.hpp"
#include "net/http/incoming_request.hpp"
#include "net/http/next_piece.hpp"
#include "net/http/server_limits.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/loop/with_timeout.hpp"
#include "net/transport/listening_socket.hpp"
#include "net/transport/stream.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace sluice::net {
namespace asio = boost::asio;
namespace {

/// Most requests are little more than a header; a TLS record has 16 KiB.
constexpr std::size_t kHeadReadBytes = std::size_t{4} * 1024;
constexpr std::size_t kBodyReadBytes = std::size_t{16} * 1024;
/// A response up to this size is written in one piece with its head, a longer one in such pieces.
constexpr std::size_t kWriteBytes = std::size_t{64} * 1024;
/// The remaining bytes of a refused request are read up to this number, so that the client sees the
/// response instead of a reset.
constexpr std::size_t kDrainBytesMax = std::size_t{1024} * 1024;
constexpr Duration kDrainTimeMax = std::chrono::seconds(5);

constexpr int kRetryAfterSeconds = 1;

/// The fate of the connection after a response.
enum class AfterAnswer : std::uint8_t { Close, KeepAlive };

std::string print_head(const ServerResponse& response, AfterAnswer after) {
    auto head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
    if (!response.content_type.empty() && response.status != 204) {
        head += "Content-Type: " + response.content_type + "\r\n";
    }
    for (const auto& header : response.headers) {
        head += header.name + ": " + header.value + "\r\n";
    }
    if (response.stream) {
        head += "Transfer-Encoding: chunked\r\n";
    } else if (response.status != 204) {
        head += fmt::format("Content-Length: {}\r\n", response.size());
    }
    head += after == AfterAnswer::KeepAlive ? "\r\n" : "Connection: close\r\n\r\n";
    return head;
}

ServerResponse make_busy_response() {
    auto response = make_plain_response(503);
    response.headers.push_back({"Retry-After", std::to_string(kRetryAfterSeconds)});
    return response;
}

}  // namespace

class HttpServer::Impl : public std::enable_shared_from_this<HttpServer::Impl> {
  public:
    Impl(EventLoop& loop, HttpHandler& handler, ServerOptions options)
        : loop_(loop),
          handler_(handler),
          options_(std::move(options)),
          in_flight_(options_.bytes_in_flight_max),
          connections_(options_.connections_max, options_.connections_per_peer_max),
          tasks_(loop.executor(), "http server") {}

    Result<void> open() {
        const int socket = options_.socket ? options_.socket->release() : -1;
        auto listener = socket >= 0
                            ? Listener::adopt(loop_.executor(), socket)
                            : Listener::open(loop_.executor(), options_.address, options_.port);
        if (!listener) {
            return listener.error();
        }
        listener_ = std::move(*listener);
        port_ = listener_->port();
        if (!options_.tls) {
            return {};
        }
        auto tls = make_tls(options_.certificate_pem, options_.private_key_pem);
        options_.private_key_pem.clear();
        if (!tls) {
            return tls.error();
        }
        tls_ = std::move(*tls);
        return {};
    }

    Result<std::shared_ptr<TlsContext>> make_tls(
        const std::string& certificate, const std::string& key
    ) const {
        return make_server_tls(
            {.certificate_pem = certificate,
             .private_key_pem = key,
             .minimum_version = options_.minimum_tls_version,
             .cipher_suites = options_.tls_cipher_suites,
             .curves = options_.tls_curves,
             .ask_client_certificate = options_.ask_client_certificate}
        );
    }

    void begin() {
        loop_.post([self = shared_from_this()] {
            self->tasks_.spawn(accept_connections(self), "accept");
        });
    }

    void set_tls(std::shared_ptr<TlsContext> tls) {
        loop_.post([self = shared_from_this(), tls = std::move(tls)] { self->tls_ = tls; });
    }

    asio::awaitable<void> stop(Duration grace) {
        begin_stop();
        co_await tasks_.stop(grace);
    }

    /// Closes idle connections, and ends the others after their current response.
    void begin_stop() {
        stopping_ = true;
        if (listener_) {
            listener_->close();
        }
        connections_.close_idle();
    }

    void abort() {
        begin_stop();
        connections_.close_all();
        tasks_.cancel();
    }

    std::uint16_t port() const { return port_; }
    std::size_t connections() const { return connections_.size(); }

  private:
    using Self = std::shared_ptr<Impl>;

    static asio::awaitable<void> accept_connections(Self self) {
        while (!self->stopping_) {
            auto accepted = co_await self->listener_->accept(&self->tls_);
            if (self->stopping_) {
                break;
            }
            if (!accepted) {
                log::warning(
                    "connection not accepted",
                    {{"port", self->port_}, {"error", accepted.error().detail}}
                );
                // The most likely cause is a lack of file descriptors.
                if (self->connections_.close_one()) {
                    continue;
                }
                const auto rested = co_await pause_for(std::chrono::milliseconds(100));
                if (!rested) {
                    break;
                }
                continue;
            }
            if (!self->make_room(accepted->address)) {
                accepted->stream->close();
                continue;
            }
            auto connection = std::make_unique<Connection>();
            connection->stream = std::move(accepted->stream);
            connection->peer = std::move(accepted->peer);
            connection->address = std::move(accepted->address);
            self->connections_.add(connection.get());
            self->tasks_.spawn(run_connection(self, std::move(connection)), "connection");
        }
    }

    static asio::awaitable<void> run_connection(Self self, std::unique_ptr<Connection> connection) {
        connection->stream->expires_after(self->options_.header_timeout);
        const auto shaken = co_await shake_hands_as_server(connection->stream.get());
        if (!shaken) {
            log::debug(
                "TLS handshake failed",
                {{"peer", connection->peer}, {"error", shaken.error().detail}}
            );
        }
        connection->certificates = connection->stream->peer_certificates();
        bool alive = shaken.has_value();
        while (alive && !self->stopping_) {
            alive = co_await self->wait_for_request(connection.get());
            if (alive) {
                alive = co_await self->serve_one(connection.get());
            }
        }
        if (shaken) {
            connection->stream->expires_after(std::chrono::seconds(2));
            co_await connection->stream->shutdown();
        }
        connection->stream->close();
        self->connections_.remove(connection.get());
    }

    /// Returns true if one more connection of that address may be open.
    bool make_room(const std::string& address) {
        const bool is_full = connections_.is_full();
        if (is_full && !was_full_) {
            log::warning(
                "as many connections as allowed are open",
                {{"port", port_}, {"max", options_.connections_max}}
            );
        }
        was_full_ = is_full;
        return connections_.make_room(address);
    }

    /// Waits until a request begins, and holds as little memory as possible meanwhile. Returns
    /// false if the connection ended.
    asio::awaitable<bool> wait_for_request(Connection* connection) {
        if (!connection->input.empty()) {
            co_return true;
        }
        connection->input = std::string();
        connection->stream->expires_after(options_.idle_timeout);
        connections_.enter(connection, ConnectionPhase::Idle);
        const auto waited = co_await connection->stream->wait_readable();
        co_return waited.has_value();
    }

    /// Reads a request and answers it. Returns true if another request may follow.
    asio::awaitable<bool> serve_one(Connection* connection) {
        connections_.enter(connection, ConnectionPhase::Reading);
        IncomingRequest incoming(handler_, options_, in_flight_);
        const auto read = co_await read_request(connection, &incoming.parser());
        if (!read) {
            // The part of the body that was received is not needed any more.
            incoming.drop_body();
            co_await refuse(connection, &incoming, read.error());
            co_return false;
        }
        if (!*read) {
            co_return false;
        }
        connections_.enter(connection, ConnectionPhase::Answering);
        auto answer = answer_for(connection, &incoming);
        auto answered = co_await with_timeout(std::move(answer), options_.handle_timeout);
        // The handler has taken the body.
        incoming.drop_body();
        auto response = answered ? std::move(*answered) : make_plain_response(504);
        if (!incoming.share().take(response.size())) {
            log_busy(*connection);
            response = make_busy_response();
        }
        if (response.stream && !incoming.is_head()) {
            co_await write_stream(connection, &response);
            co_return false;
        }
        const bool keep_alive = incoming.parser().is_keep_alive() && !stopping_;
        connection->stream->expires_after(options_.write_timeout);
        const auto written = co_await write_response(
            connection,
            &response,
            keep_alive ? AfterAnswer::KeepAlive : AfterAnswer::Close,
            incoming.is_head()
        );
        co_return written&& keep_alive;
    }

    void log_busy(const Connection& connection) const {
        log::warning(
            "request refused, too many bytes in flight",
            {{"peer", connection.peer}, {"port", port_}, {"max", options_.bytes_in_flight_max}}
        );
    }

    asio::awaitable<Result<ServerResponse>> answer_for(
        Connection* connection, IncomingRequest* incoming
    ) {
        if (incoming->is_refused()) {
            co_return incoming->take_refusal();
        }
        auto request = incoming->take(connection->peer);
        request.client_certificates = connection->certificates;
        auto response = co_await handler_.handle(std::move(request));
        co_return response;
    }

    /// Reads a whole request. Returns false if the client disconnected before its end.
    asio::awaitable<Result<bool>> read_request(Connection* connection, HttpParser* parser) {
        auto& input = connection->input;
        bool saw_header = false;
        connection->stream->expires_after(options_.header_timeout);
        std::vector<char> buffer(kHeadReadBytes);
        for (;;) {
            const auto used = parser->feed(input);
            if (!used) {
                co_return used.error();
            }
            input.erase(0, *used);
            if (parser->is_done()) {
                co_return true;
            }
            if (parser->is_header_done() && !saw_header) {
                saw_header = true;
                buffer.resize(kBodyReadBytes);
                connection->stream->expires_after(options_.body_timeout);
                const auto expect = find_header(parser->headers(), "Expect");
                if (expect == "100-continue") {
                    const auto sent =
                        co_await connection->stream->write("HTTP/1.1 100 Continue\r\n\r\n");
                    if (!sent) {
                        co_return sent.error();
                    }
                }
            }
            const auto read = co_await connection->stream->read_some(buffer.data(), buffer.size());
            if (!read) {
                co_return read.error();
            }
            if (*read == 0) {
                co_return false;
            }
            input.append(buffer.data(), *read);
        }
    }

    /// Returns the response to a request that could not be read; nullopt if the client does not
    /// wait for one.
    std::optional<ServerResponse> make_refusal(
        const Connection& connection, IncomingRequest& incoming, const Error& error
    ) const {
        if (error.code == ErrorCode::TooManyRequests) {
            log_busy(connection);
            return make_busy_response();
        }
        if (error.code == ErrorCode::Internal) {
            log::error(
                "request body not stored", {{"peer", connection.peer}, {"error", error.detail}}
            );
            return make_plain_response(500);
        }
        if (error.code != ErrorCode::Invalid) {
            return std::nullopt;
        }
        const int status = incoming.parser().http_status();
        auto response = incoming.is_refused() ? incoming.take_refusal()
                        : status == 413       ? make_too_large_response(options_.body_bytes_max)
                                              : make_plain_response(status);
        if (response.status == 413) {
            log::warning(
                "request refused, its body is too large",
                {{"peer", connection.peer}, {"port", port_}, {"max", options_.body_bytes_max}}
            );
        }
        return response;
    }

    /// Answers a request that could not be read.
    asio::awaitable<void> refuse(Connection* connection, IncomingRequest* incoming, Error error) {
        const auto response = make_refusal(*connection, *incoming, error);
        if (!response) {
            co_return;
        }
        connection->stream->expires_after(std::chrono::seconds(5));
        const auto written = co_await write_response(
            connection, &*response, AfterAnswer::Close, incoming->is_head()
        );
        if (!written) {
            co_return;
        }
        // A client that sends everything before it reads must still see that its request was too
        // large.
        const bool is_too_much = response->status == 503 || response->status == 413;
        const auto drain_max =
            is_too_much ? std::max(2 * options_.body_bytes_max, kDrainBytesMax) : kDrainBytesMax;
        const auto until = Deadline::after(kDrainTimeMax);
        std::vector<char> buffer(kBodyReadBytes);
        for (std::size_t drained = 0; drained < drain_max;) {
            connection->stream->expires_at(
                Deadline::earlier(until, Deadline::after(std::chrono::seconds(1)))
            );
            const auto read = co_await connection->stream->read_some(buffer.data(), buffer.size());
            if (!read || *read == 0) {
                break;
            }
            drained += *read;
        }
    }

    asio::awaitable<void> write_stream(Connection* connection, const ServerResponse* response) {
        std::string out = print_head(*response, AfterAnswer::Close);
        for (;;) {
            connection->stream->expires_after(options_.write_timeout);
            const auto sent = co_await connection->stream->write(out);
            if (!sent) {
                co_return;
            }
            const auto next = co_await next_piece(connection->stream.get(), response->stream.get());
            if (next.is_client_gone) {
                co_return;
            }
            if (!next.piece) {
                break;
            }
            out = fmt::format("{:x}\r\n{}\r\n", next.piece->size(), *next.piece);
        }
        connection->stream->expires_after(options_.write_timeout);
        const auto ended = co_await connection->stream->write("0\r\n\r\n");
        (void)ended;
    }

    asio::awaitable<bool> write_response(
        Connection* connection, const ServerResponse* response, AfterAnswer after, bool is_head
    ) {
        auto out = print_head(*response, after);
        const auto size = is_head ? std::size_t{0} : response->size();
        for (std::size_t done = 0;;) {
            // The first write holds the head and the beginning of the body, or all of it.
            const auto head = out.size();
            out.resize(head + std::min(size - done, kWriteBytes));
            const auto copied = copy_body(*response, done, out.data() + head, out.size() - head);
            if (!copied) {
                log::error("answer not read", {{"error", copied.error().detail}});
                co_return false;
            }
            const auto sent = co_await connection->stream->write(out);
            if (!sent) {
                co_return false;
            }
            done += *copied;
            if (done == size) {
                co_return true;
            }
            out.clear();
        }
    }

    /// Fills the buffer with bytes of the response's body from `offset` on. Returns their number.
    static Result<std::size_t> copy_body(
        const ServerResponse& response, std::size_t offset, char* buffer, std::size_t size
    ) {
        if (response.spooled.size() == 0) {
            return response.body.copy(buffer, size, offset);
        }
        auto copied = response.spooled.copy(offset, buffer, size);
        if (copied && *copied != size) {
            return Error{ErrorCode::Internal, "the file of a large answer has become shorter", {}};
        }
        return copied;
    }

    EventLoop& loop_;
    HttpHandler& handler_;
    ServerOptions options_;
    // Must outlive the tasks, whose connections and requests give their bytes back to it.
    Budget in_flight_;
    ConnectionTable connections_;
    TaskGroup tasks_;
    std::unique_ptr<Listener> listener_;
    std::shared_ptr<TlsContext> tls_;
    std::uint16_t port_ = 0;
    bool stopping_ = false;
    bool was_full_ = false;
};

HttpServer::HttpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() {
    impl_->abort();
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(
    EventLoop& loop, HttpHandler& handler, ServerOptions options
) {
    auto impl = std::make_shared<Impl>(loop, handler, std::move(options));
    const auto opened = impl->open();
    if (!opened) {
        return opened.error();
    }
    impl->begin();
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const {
    return impl_->port();
}

Result<void> HttpServer::set_certificate(
    const std::string& certificate_pem, const std::string& private_key_pem
) {
    auto tls = impl_->make_tls(certificate_pem, private_key_pem);
    if (!tls) {
        return tls.error();
    }
    impl_->set_tls(std::move(*tls));
    return {};
}

asio::awaitable<void> HttpServer::stop(Duration grace) {
    return impl_->stop(grace);
}

std::size_t HttpServer::connections() const {
    return impl_->connections();
}

}  // namespace sluice::net
