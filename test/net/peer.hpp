#pragma once

#include "base/clock.hpp"
#include "net/http/http_client.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/certificate.hpp"
#include "net/transport/stream.hpp"
#include "net/unnamed_files.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::net {

/// The time at which test certificates are made: the machine's, for OpenSSL checks against it.
inline Time certificate_time() {
    return SystemClock().now();
}

inline Validity a_day() {
    return Validity{certificate_time(), std::chrono::hours(24)};
}

/// What clients and servers of a test share.
struct Authority {
    CertificateAndKey authority = *make_authority("test authority", a_day());

    CertificateAndKey serve(const std::vector<std::string>& names) const {
        return *make_serving_certificate(authority, names, a_day());
    }
    std::shared_ptr<TlsContext> trusting() const {
        return *make_client_tls(TlsClientOptions{authority.certificate_pem, {}, true, {}, {}});
    }
};

/// Answers by path: /echo the body, /twice the same two times, /slow never, /held once it is let
/// go, /size the body's size and where it was kept, /who whom the client's certificate is for.
/// Refuses /refused, and bodies for /bodyless.
class TestHandler final : public HttpHandler {
  public:
    HeadVerdict judge_head(std::string_view, std::string_view path) const override {
        HeadVerdict verdict;
        if (path == "/refused") {
            verdict.refusal.emplace();
            verdict.refusal->status = 403;
        }
        verdict.body_bytes_max = path == "/bodyless" ? 0 : verdict.body_bytes_max;
        return verdict;
    }
    boost::asio::awaitable<ServerResponse> handle(ServerRequest request) override {
        ++requests;
        ServerResponse response;
        const auto path = std::string(request.path());
        if (path == "/slow") {
            co_await pause_for(std::chrono::hours(1));
            ++slow_ended;
        }
        while (path == "/held" && !is_let_go) {
            co_await pause_for(std::chrono::milliseconds(1));
        }
        const auto body = request.body.view();
        if (path == "/echo") {
            response.body = std::string(*body);
        } else if (path == "/twice") {
            response.body = std::string(*body) + std::string(*body);
        } else if (path == "/size") {
            response.body = std::to_string(body->size());
            unnamed_files = test::unnamed_files();
        } else if (path == "/query") {
            response.body = request.query("a");
        } else if (path == "/who") {
            response.body = request.client_certificates
                                ? parse_certificate(*request.client_certificates)->common_name
                                : "no one";
        }
        co_return response;
    }
    int requests = 0;
    int slow_ended = 0;
    std::size_t unnamed_files = 0;  ///< open while the body was read
    bool is_let_go = false;
};

inline ServerOptions plain_options() {
    ServerOptions options;
    options.address = "127.0.0.1";
    options.tls = false;
    return options;
}

inline ServerOptions tls_options(
    const CertificateAndKey& certificate, std::string address = "127.0.0.1"
) {
    ServerOptions options;
    options.address = std::move(address);
    options.certificate_pem = certificate.certificate_pem;
    options.private_key_pem = certificate.private_key_pem;
    return options;
}

inline HttpClientOptions to_server(
    std::string host, std::uint16_t port, std::shared_ptr<TlsContext> tls = {}
) {
    HttpClientOptions options;
    options.host = std::move(host);
    options.port = port;
    options.tls = std::move(tls);
    return options;
}

inline ClientRequest get(std::string target) {
    return ClientRequest{"GET", std::move(target), {}, {}};
}

inline ClientRequest post(std::string target, std::string body) {
    return ClientRequest{"POST", std::move(target), {}, std::move(body)};
}

/// A server that follows a script: for each connection in turn it reads a request's header, writes
/// the given bytes and closes, or holds the connection open.
struct ScriptedServer {
    struct Step {
        std::string bytes;
        bool hold = false;       ///< keep the connection open afterwards
        bool and_again = false;  ///< the next step is on the same connection
    };

    ScriptedServer(EventLoop& loop, std::vector<Step> script)
        : listener(*Listener::open(loop.executor(), "127.0.0.1", 0)),
          steps(std::move(script)),
          tasks(loop.executor(), "scripted") {
        tasks.spawn(run());
    }

    boost::asio::awaitable<void> run() {
        std::unique_ptr<Stream> stream;
        for (const auto& step : steps) {
            if (!stream) {
                auto accepted = co_await listener->accept(nullptr);
                if (!accepted) {
                    co_return;
                }
                stream = std::move(accepted->stream);
            }
            std::string input;
            while (input.find("\r\n\r\n") == std::string::npos) {
                char buffer[4096];
                const auto read = co_await stream->read_some(buffer, sizeof buffer);
                if (!read || *read == 0) {
                    break;
                }
                input.append(buffer, *read);
            }
            requests.push_back(input.substr(0, input.find("\r\n")));
            if (!step.bytes.empty()) {
                co_await stream->write(step.bytes);
            }
            if (step.hold) {
                held.push_back(std::move(stream));
            } else if (!step.and_again) {
                stream.reset();
                ++closed;
            }
        }
    }

    std::unique_ptr<Listener> listener;
    std::vector<Step> steps;
    std::vector<std::string> requests;
    std::vector<std::unique_ptr<Stream>> held;
    int closed = 0;
    TaskGroup tasks;
};

}  // namespace sluice::net
