#include "net/http/http_client.hpp"

#include "base/deadline.hpp"
#include "net/http/connection_pool.hpp"
#include "net/http/http_parser.hpp"
#include "net/transport/stream.hpp"

#include <boost/asio/this_coro.hpp>

#include <utility>
#include <vector>

namespace sluice::net {
namespace asio = boost::asio;
namespace {

/// The size of a TLS record, which a read cannot exceed.
constexpr std::size_t kReadBytes = std::size_t{16} * 1024;

struct Connected {
    std::unique_ptr<Stream> stream;
    bool was_idle = false;
};

/// One response in progress: the bytes read but not parsed, and the body so far.
class Exchange {
  public:
    Exchange(
        std::unique_ptr<Stream> stream,
        std::size_t header_bytes_max,
        std::size_t body_bytes_max,
        bool is_head
    )
        : stream_(std::move(stream)),
          header_bytes_max_(header_bytes_max),
          body_bytes_max_(body_bytes_max),
          is_head_(is_head) {}

    /// Writes the request and reads the whole header of the response.
    asio::awaitable<Result<void>> begin(std::string head, std::string body) {
        auto written = co_await stream_->write(head);
        if (written && !body.empty()) {
            written = co_await stream_->write(body);
        }
        if (!written && written.error().code != ErrorCode::Unavailable) {
            co_return written.error();
        }
        // A server may refuse early and stop reading; its response says more than the broken pipe.
        const auto header = co_await read_header();
        if (!header) {
            co_return written ? header.error() : written.error();
        }
        co_return Result<void>();
    }

    /// Reads more of the body. Returns false at its end.
    asio::awaitable<Result<bool>> read_more() {
        if (parser_->is_done()) {
            co_return false;
        }
        const auto read = co_await read_some();
        if (!read) {
            co_return read.error();
        }
        if (*read == 0) {
            ended_ = true;
            const auto finished = parser_->finish();
            if (!finished) {
                co_return finished.error();
            }
            co_return false;
        }
        const auto fed = feed();
        if (!fed) {
            co_return fed.error();
        }
        co_return true;
    }

    Stream& stream() { return *stream_; }
    HttpParser& parser() { return *parser_; }
    std::string& body() { return body_; }
    bool has_received() const { return received_; }
    bool is_reusable() const {
        return parser_->is_done() && parser_->is_keep_alive() && input_.empty() && !ended_;
    }
    std::unique_ptr<Stream> take_stream() { return std::move(stream_); }

  private:
    asio::awaitable<Result<void>> read_header() {
        make_parser();
        while (!parser_->is_header_done() || parser_->http_status() / 100 == 1) {
            if (parser_->is_header_done()) {
                // An interim response (100 Continue) precedes the real one.
                make_parser();
            }
            if (!input_.empty()) {
                const auto fed = feed();
                if (!fed) {
                    co_return fed.error();
                }
                if (parser_->is_header_done()) {
                    continue;
                }
            }
            const auto read = co_await read_some();
            if (!read) {
                co_return read.error();
            }
            if (*read == 0) {
                co_return Error{
                    ErrorCode::Unavailable, "server closed the connection without an answer", {}
                };
            }
            const auto fed = feed();
            if (!fed) {
                co_return fed.error();
            }
        }
        co_return Result<void>();
    }

    void make_parser() {
        parser_ = std::make_unique<HttpParser>(
            HttpParser::Kind::Response,
            header_bytes_max_,
            body_bytes_max_,
            [this](std::string_view bytes) -> Result<void> {
                body_ += bytes;
                return {};
            }
        );
        if (is_head_) {
            parser_->expect_no_body();
        }
    }

    asio::awaitable<Result<std::size_t>> read_some() {
        // Very many exchanges and watches wait at the same time, so do not hold a buffer while
        // waiting.
        const auto waited = co_await stream_->wait_readable();
        if (!waited) {
            co_return waited.error();
        }
        const auto before = input_.size();
        input_.resize(before + kReadBytes);
        const auto read = co_await stream_->read_some(input_.data() + before, kReadBytes);
        input_.resize(before + (read ? *read : 0));
        received_ = received_ || (read && *read > 0);
        co_return read;
    }

    Result<void> feed() {
        const auto used = parser_->feed(input_);
        if (!used) {
            return used.error();
        }
        input_.erase(0, *used);
        return {};
    }

    std::unique_ptr<Stream> stream_;
    std::size_t header_bytes_max_;
    std::size_t body_bytes_max_;
    std::unique_ptr<HttpParser> parser_;
    std::string input_;
    std::string body_;
    bool is_head_;
    bool received_ = false;
    bool ended_ = false;
};

class LineStream final : public ResponseStream {
  public:
    /// The options are shared, so that a stream may outlive its client.
    LineStream(std::shared_ptr<const HttpClientOptions> options, std::unique_ptr<Exchange> exchange)
        : options_(std::move(options)), exchange_(std::move(exchange)) {}
    int status() const override { return exchange_->parser().http_status(); }
    const HttpHeaders& headers() const override { return exchange_->parser().headers(); }

    asio::awaitable<Result<std::optional<std::string>>> next_line(Duration idle_max) override {
        auto& body = exchange_->body();
        std::size_t searched = at_;
        for (;;) {
            const auto end = body.find('\n', searched);
            if (end != std::string::npos) {
                auto line = body.substr(at_, end - at_);
                at_ = end + 1;
                co_return std::optional<std::string>(std::move(line));
            }
            if (body.size() - at_ > options_->line_bytes_max) {
                co_return make_invalid("a line of the stream is longer than allowed");
            }
            body.erase(0, at_);
            at_ = 0;
            searched = body.size();
            exchange_->stream().expires_after(idle_max);
            const auto more = co_await exchange_->read_more();
            if (!more) {
                co_return more.error();
            }
            if (!*more && body.size() == searched) {
                co_return take_last_line();
            }
        }
    }

    asio::awaitable<Result<std::string>> read_rest(std::size_t bytes_max, Duration limit) override {
        exchange_->stream().expires_after(limit);
        for (;;) {
            const auto more = co_await exchange_->read_more();
            if (!more) {
                co_return more.error();
            }
            if (exchange_->body().size() - at_ > bytes_max) {
                co_return make_invalid("HTTP body is larger than allowed");
            }
            if (!*more) {
                co_return exchange_->body().substr(at_);
            }
        }
    }

  private:
    Result<std::optional<std::string>> take_last_line() {
        auto& body = exchange_->body();
        if (body.empty()) {
            return std::optional<std::string>();
        }
        return std::optional<std::string>(std::exchange(body, {}));
    }

    std::shared_ptr<const HttpClientOptions> options_;
    std::unique_ptr<Exchange> exchange_;
    std::size_t at_ = 0;  // position in the body at which the next line begins
};

bool is_reading(const ClientRequest& request) {
    return request.method == "GET" || request.method == "HEAD";
}

}  // namespace

class HttpClient::Impl {
  public:
    explicit Impl(HttpClientOptions options)
        : options_(std::make_shared<HttpClientOptions>(std::move(options))),
          host_(
              options_->host.find(':') == std::string::npos ? options_->host
                                                            : "[" + options_->host + "]"
          ),
          idle_(options_->idle_connections_max, options_->idle_max) {
        host_ += ":" + std::to_string(options_->port);
    }

    asio::awaitable<HttpOutcome> send(ClientRequest request, Duration limit) {
        co_await asio::this_coro::throw_if_cancelled(false);
        const auto deadline = Deadline::after(limit);
        HttpOutcome outcome{.response = Error{}};
        for (bool may_repeat = is_reading(request);; may_repeat = false) {
            auto connected = co_await take_connection(deadline);
            if (!connected) {
                outcome.response = connected.error();
                co_return outcome;
            }
            const auto allowed = request.before_send ? request.before_send() : Result<void>();
            if (!allowed) {
                const auto executor = co_await asio::this_coro::executor;
                idle_.give_back(std::move(connected->stream), executor);
                outcome.response = allowed.error();
                outcome.was_refused = true;
                co_return outcome;
            }
            outcome.request_sent = true;
            Exchange exchange(
                std::move(connected->stream),
                options_->header_bytes_max,
                options_->body_bytes_max,
                request.method == "HEAD"
            );
            exchange.stream().expires_at(deadline);
            outcome.response = co_await run(&exchange, request);
            const bool was_stale = !outcome.response && connected->was_idle &&
                                   !exchange.has_received() &&
                                   outcome.response.error().code == ErrorCode::Unavailable;
            if (!was_stale || !may_repeat) {
                co_return outcome;
            }
            idle_.clear();
        }
    }

    asio::awaitable<Result<std::unique_ptr<ResponseStream>>> open(
        ClientRequest request, Duration limit
    ) {
        co_await asio::this_coro::throw_if_cancelled(false);
        const auto deadline = Deadline::after(limit);
        // A stream lives long, so it gets a separate connection.
        auto stream = co_await connect(endpoint(), deadline);
        if (!stream) {
            co_return stream.error();
        }
        const auto options = std::make_shared<const HttpClientOptions>(*options_);
        // The total size is unlimited; the reader of the stream limits the size held at a time.
        auto exchange = std::make_unique<Exchange>(
            std::move(*stream), options->header_bytes_max, HttpParser::kUnlimited, false
        );
        exchange->stream().expires_at(deadline);
        const auto begun = co_await exchange->begin(print_head(request), request.body);
        if (!begun) {
            co_return begun.error();
        }
        co_return std::make_unique<LineStream>(options, std::move(exchange));
    }

    void set_tls(std::shared_ptr<TlsContext> tls) {
        options_->tls = std::move(tls);
        idle_.clear();
    }

    std::size_t idle_connections() const { return idle_.size(); }

  private:
    Endpoint endpoint() const {
        return {
            .host = options_->host,
            .port = options_->port,
            .tls = options_->tls,
            .proxy = options_->proxy
        };
    }

    asio::awaitable<Result<Connected>> take_connection(Deadline deadline) {
        if (auto idle = idle_.take()) {
            co_return Connected{std::move(idle), true};
        }
        const auto until = Deadline::earlier(deadline, Deadline::after(options_->connect_timeout));
        auto stream = co_await connect(endpoint(), until);
        if (!stream) {
            co_return stream.error();
        }
        co_return Connected{std::move(*stream), false};
    }

    asio::awaitable<Result<ClientResponse>> run(Exchange* exchange, ClientRequest request) {
        const auto begun = co_await exchange->begin(print_head(request), std::move(request.body));
        if (!begun) {
            co_return begun.error();
        }
        for (;;) {
            const auto more = co_await exchange->read_more();
            if (!more) {
                co_return more.error();
            }
            if (!*more) {
                break;
            }
        }
        ClientResponse response;
        response.status = exchange->parser().http_status();
        response.headers = std::move(exchange->parser().headers());
        response.body = std::move(exchange->body());
        if (exchange->is_reusable()) {
            const auto executor = co_await asio::this_coro::executor;
            idle_.give_back(exchange->take_stream(), executor);
        }
        co_return response;
    }

    std::string print_head(const ClientRequest& request) const {
        std::string head =
            request.method + " " + request.target + " HTTP/1.1\r\nHost: " + host_ + "\r\n";
        for (const auto& header : request.headers) {
            head += header.name + ": " + header.value + "\r\n";
        }
        if (!request.body.empty() || !is_reading(request)) {
            head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
        }
        return head + "\r\n";
    }

    std::shared_ptr<HttpClientOptions> options_;
    std::string host_;
    ConnectionPool idle_;
};

HttpClient::HttpClient(HttpClientOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
HttpClient::~HttpClient() = default;

asio::awaitable<HttpOutcome> HttpClient::send(ClientRequest request, Duration limit) {
    return impl_->send(std::move(request), limit);
}

asio::awaitable<Result<std::unique_ptr<ResponseStream>>> HttpClient::open(
    ClientRequest request, Duration limit
) {
    return impl_->open(std::move(request), limit);
}

void HttpClient::set_tls(std::shared_ptr<TlsContext> tls) {
    impl_->set_tls(std::move(tls));
}

std::size_t HttpClient::idle_connections() const {
    return impl_->idle_connections();
}

}  // namespace sluice::net
