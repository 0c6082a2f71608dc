#include "kube/client/http_client.hpp"

#include "base/deadline.hpp"
#include "base/prng.hpp"
#include "kube/client/credentials.hpp"
#include "kube/core/status_error.hpp"
#include "kube/runtime/backoff.hpp"
#include "kube/runtime/rate_limiter.hpp"
#include "net/http/http_client.hpp"
#include "net/loop/event_loop.hpp"
#include "net/transport/tls.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sluice::kube {
namespace {

/// Attempts of one call, including the first.
constexpr int kAttemptsMax = 8;
constexpr BackoffOptions kCallBackoff{std::chrono::milliseconds(100), std::chrono::seconds(5), 50};
/// An error response longer than this is cut.
constexpr std::size_t kErrorBodyMax = std::size_t{1024} * 1024;

Error canceled() {
    return Error{ErrorCode::Canceled, "canceled", {}};
}

class HttpWatchStream final : public WatchStream {
  public:
    explicit HttpWatchStream(std::unique_ptr<net::ResponseStream> stream)
        : stream_(std::move(stream)) {}
    Async<std::optional<std::string>> next_line(Duration idle_max) override {
        return stream_->next_line(idle_max);
    }

  private:
    std::unique_ptr<net::ResponseStream> stream_;
};

/// The outcome of one attempt.
struct Attempt {
    Result<std::string> answer;
    int http_status = 0;  ///< 0: no response
    bool may_repeat = false;
};

bool is_success(int status) {
    return status >= 200 && status < 300;
}

/// Returns true for the status of a temporary failure, after which a read may be repeated.
bool is_passing(int status) {
    return status == 502 || status == 503 || status == 504;
}

}  // namespace

namespace {

/// Returns the headers that ask to act as another user.
net::HttpHeaders impersonation_headers(const Impersonation& as) {
    net::HttpHeaders headers;
    if (as.user.empty()) {
        return headers;
    }
    headers.push_back({"Impersonate-User", as.user});
    if (!as.uid.empty()) {
        headers.push_back({"Impersonate-Uid", as.uid});
    }
    for (const std::string& group : as.groups) {
        headers.push_back({"Impersonate-Group", group});
    }
    for (const auto& [key, values] : as.extra) {
        for (const std::string& value : values) {
            headers.push_back({"Impersonate-Extra-" + percent_encode(key), value});
        }
    }
    return headers;
}

}  // namespace

class HttpClient::Impl {
  public:
    Impl(
        const ClientConfig& config,
        net::HttpClientOptions options,
        const Clock& clock,
        std::uint64_t seed
    )
        : http_(std::move(options)),
          credentials_(
              config,
              clock,
              [this, tls = config.tls](const ExecCredential& given) {
                  return use_certificate(tls, given);
              }
          ),
          impersonation_(impersonation_headers(config.impersonate)),
          base_path_(config.base_path),
          user_agent_(config.user_agent),
          limiter_(config.qps, config.burst),
          clock_(clock),
          prng_(seed) {}

    void on_answer(OnAnswer function) { on_answer_ = std::move(function); }

    Async<std::string> call(Request request, Duration timeout) {
        const auto deadline = Deadline::after(timeout);
        bool token_renewed = false;
        for (int failures = 0;;) {
            const auto let_go = co_await wait_for_turn(deadline);
            if (!let_go) {
                co_return let_go.error();
            }
            const auto prepared = co_await credentials_.prepare();
            if (!prepared) {
                co_return prepared.error();
            }
            auto attempt = co_await try_once(request, deadline);
            report_answer(request, attempt.http_status);
            if (attempt.http_status == 401 && !token_renewed) {
                token_renewed = co_await credentials_.renew();
                if (token_renewed) {
                    continue;
                }
            }
            ++failures;
            if (attempt.answer || !attempt.may_repeat || failures >= kAttemptsMax) {
                co_return std::move(attempt.answer);
            }
            const auto asked = std::chrono::seconds(attempt.answer.error().retry_after_seconds);
            const auto delay =
                std::max<Duration>(backoff_delay(kCallBackoff, failures - 1, prng_), asked);
            if (delay >= deadline.remaining()) {
                co_return std::move(attempt.answer);
            }
            const auto rested = co_await net::pause_for(delay);
            if (!rested) {
                co_return canceled();
            }
        }
    }

    Async<std::unique_ptr<WatchStream>> watch(Request request, Duration timeout) {
        const auto deadline = Deadline::after(timeout);
        const auto let_go = co_await wait_for_turn(deadline);
        if (!let_go) {
            co_return let_go.error();
        }
        const auto prepared = co_await credentials_.prepare();
        if (!prepared) {
            co_return prepared.error();
        }
        for (bool token_renewed = false;;) {
            auto http_request = make_http_request(request);
            auto stream = co_await http_.open(std::move(http_request), deadline.remaining());
            report_answer(request, stream ? (*stream)->status() : 0);
            if (!stream) {
                co_return with_context(stream.error(), request.method + " " + request.target);
            }
            const auto status = (*stream)->status();
            if (is_success(status)) {
                co_return std::make_unique<HttpWatchStream>(std::move(*stream));
            }
            if (status == 401 && !token_renewed) {
                token_renewed = co_await credentials_.renew();
                if (token_renewed) {
                    continue;
                }
            }
            const auto body = co_await (*stream)->read_rest(kErrorBodyMax, deadline.remaining());
            co_return make_status_error(
                status,
                body ? *body : std::string(),
                net::find_header((*stream)->headers(), "Retry-After")
            );
        }
    }

  private:
    Result<void> use_certificate(net::TlsClientOptions options, const ExecCredential& given) {
        options.certificate_pem = given.certificate_pem;
        options.private_key_pem = given.private_key_pem;
        auto tls = net::make_client_tls(options);
        if (!tls) {
            return tls.error();
        }
        http_.set_tls(std::move(*tls));
        return {};
    }

    void report_answer(const Request& request, int status) const {
        if (on_answer_) {
            on_answer_(request.method, status);
        }
    }

    /// Waits for the client-side rate limit.
    Async<void> wait_for_turn(Deadline deadline) {
        const auto now = clock_.instant();
        const auto turn = limiter_.reserve(now, deadline.remaining());
        if (!turn) {
            co_return Error{
                ErrorCode::Timeout, "the client's own rate limit leaves no room in time", {}
            };
        }
        const auto wait = *turn - now;
        if (wait <= Duration::zero()) {
            co_return Result<void>();
        }
        const auto rested = co_await net::pause_for(wait);
        if (!rested) {
            co_return canceled();
        }
        co_return Result<void>();
    }

    boost::asio::awaitable<Attempt> try_once(Request request, Deadline deadline) {
        auto http_request = make_http_request(request);
        auto outcome = co_await http_.send(std::move(http_request), deadline.remaining());
        if (!outcome.response) {
            auto error =
                with_context(outcome.response.error(), request.method + " " + request.target);
            const bool may_repeat =
                outcome.request_sent ? request.is_read && error.code == ErrorCode::Unavailable
                                     : !outcome.was_refused && error.code != ErrorCode::Canceled &&
                                           error.code != ErrorCode::Invalid;
            co_return Attempt{std::move(error), 0, may_repeat};
        }
        auto& response = *outcome.response;
        if (is_success(response.status)) {
            co_return Attempt{std::move(response.body), response.status, false};
        }
        auto error = make_status_error(
            response.status, response.body, net::find_header(response.headers, "Retry-After")
        );
        const bool may_repeat =
            is_refused_before_processing(error) || (request.is_read && is_passing(response.status));
        co_return Attempt{std::move(error), response.status, may_repeat};
    }

    net::ClientRequest make_http_request(const Request& request) {
        net::ClientRequest out{
            .method = request.method,
            .target = base_path_ + request.target,
            .headers = {},
            .body = request.body,
            .before_send = request.before_send,
        };
        out.headers.push_back({"User-Agent", user_agent_});
        out.headers.push_back({"Accept", "application/json"});
        if (!request.content_type.empty()) {
            out.headers.push_back({"Content-Type", request.content_type});
        }
        const auto& token = credentials_.token();
        if (!token.empty()) {
            out.headers.push_back({"Authorization", "Bearer " + token});
        }
        out.headers.insert(out.headers.end(), impersonation_.begin(), impersonation_.end());
        return out;
    }

    net::HttpClient http_;
    Credentials credentials_;
    net::HttpHeaders impersonation_;
    std::string base_path_;
    std::string user_agent_;
    RateLimiter limiter_;
    const Clock& clock_;
    Prng prng_;
    OnAnswer on_answer_;
};

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::~HttpClient() = default;

void HttpClient::on_answer(OnAnswer function) {
    impl_->on_answer(std::move(function));
}

Result<std::unique_ptr<HttpClient>> HttpClient::make(
    const ClientConfig& config, const Clock& clock, std::uint64_t seed
) {
    net::HttpClientOptions options;
    options.host = config.host;
    options.port = config.port;
    options.proxy = config.proxy;
    if (config.use_tls) {
        auto tls = net::make_client_tls(config.tls);
        if (!tls) {
            return with_context(tls.error(), "API server " + config.host);
        }
        options.tls = std::move(*tls);
    }
    auto impl = std::make_unique<Impl>(config, std::move(options), clock, seed);
    return std::unique_ptr<HttpClient>(new HttpClient(std::move(impl)));
}

Async<std::string> HttpClient::get(ResourcePath path, GetOptions options) {
    return impl_->call(make_get(path, options), options.timeout);
}

Async<std::string> HttpClient::list(ResourcePath path, ListOptions options) {
    return impl_->call(make_list(path, options), options.timeout);
}

Async<std::string> HttpClient::create(ResourcePath path, std::string body, WriteOptions options) {
    return impl_->call(make_create(path, std::move(body), options), options.timeout);
}

Async<std::string> HttpClient::update(ResourcePath path, std::string body, WriteOptions options) {
    return impl_->call(make_update(path, std::move(body), options), options.timeout);
}

Async<std::string> HttpClient::merge_patch(
    ResourcePath path, std::string body, WriteOptions options
) {
    return impl_->call(make_merge_patch(path, std::move(body), options), options.timeout);
}

Async<std::string> HttpClient::apply(ResourcePath path, std::string body, ApplyOptions options) {
    return impl_->call(make_apply(path, std::move(body), options), options.timeout);
}

Async<std::string> HttpClient::remove(ResourcePath path, DeleteOptions options) {
    return impl_->call(make_delete(path, options), options.timeout);
}

Async<std::unique_ptr<WatchStream>> HttpClient::watch(ResourcePath path, WatchOptions options) {
    return impl_->watch(make_watch(path, options), options.connect_timeout);
}

Async<std::string> HttpClient::get_raw(std::string target, GetOptions options) {
    return impl_->call(
        Request{.method = "GET", .target = std::move(target), .is_read = true}, options.timeout
    );
}

}  // namespace sluice::kube
