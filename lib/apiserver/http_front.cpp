#include "apiserver/http_front.hpp"

#include "apiserver/failures.hpp"
#include "apiserver/watch.hpp"
#include "kube/core/base64.hpp"
#include "net/event_loop.hpp"
#include "net/http_client.hpp"
#include "net/tls.hpp"
#include "net/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace sluice::apiserver {

namespace {

namespace asio = boost::asio;

constexpr Duration kBookmarkEvery = std::chrono::seconds(60);

/// The lines of a watch as the body of an answer.
class WatchBody final : public net::BodyStream {
  public:
    WatchBody(
        std::shared_ptr<Watch> watch, const Clock& clock, const asio::any_io_executor& executor
    )
        : watch_(std::move(watch)),
          clock_(clock),
          changed_(std::make_shared<net::Notifier>(executor)) {
        watch_->on_change([changed = changed_] { changed->notify(); });
    }

    asio::awaitable<std::optional<std::string>> next() override {
        for (;;) {
            std::string lines = watch_->take();
            if (!lines.empty()) {
                co_return lines;
            }
            const Time now = clock_.now();
            if (watch_->is_over(now)) {
                co_return std::nullopt;
            }
            Duration wait = kBookmarkEvery;
            if (const auto until = watch_->until()) {
                wait = std::min<Duration>(wait, *until - now);
            }
            const bool notified = co_await changed_->wait(wait);
            if (notified) {
                continue;
            }
            const bool cancelled = co_await net::is_cancelled();
            if (cancelled || watch_->is_over(clock_.now())) {
                co_return std::nullopt;
            }
            std::string bookmark = watch_->bookmark();
            if (!bookmark.empty()) {
                co_return bookmark;
            }
        }
    }

  private:
    std::shared_ptr<Watch> watch_;
    const Clock& clock_;
    std::shared_ptr<net::Notifier> changed_;
};

Error unauthorized() {
    return make_failure(401, "Unauthorized", "Unauthorized", {});
}

}  // namespace

HttpFront::HttpFront(ApiServer& server, const Clock& clock, Options options)
    : server_(server), clock_(clock), options_(std::move(options)) {}

asio::awaitable<net::ServerResponse> HttpFront::handle(net::ServerRequest incoming) {
    Request request = make_request(incoming.method, incoming.target);
    const bool is_open = request.path == "/healthz" || request.path == "/livez" ||
                         request.path == "/readyz" || request.path == "/version";
    const std::string_view authorization = net::find_header(incoming.headers, "Authorization");
    if (!is_open && authorization != "Bearer " + options_.token) {
        co_return make_response(apiserver::make_response(unauthorized()));
    }
    request.content_type = net::find_header(incoming.headers, "Content-Type");
    request.accept = net::find_header(incoming.headers, "Accept");
    request.user_agent = net::find_header(incoming.headers, "User-Agent");
    const auto body = incoming.body.view();
    if (!body) {
        co_return make_response(apiserver::make_response(bad_request(body.error().detail)));
    }
    request.body = *body;
    Response response = co_await answer(std::move(request));
    co_return make_response(std::move(response));
}

asio::awaitable<Response> HttpFront::answer(Request request) {
    ApiServer::Answer begun = server_.begin(std::move(request), clock_.now());
    if (auto* response = std::get_if<Response>(&begun)) {
        co_return std::move(*response);
    }
    auto operation = std::move(std::get<std::unique_ptr<WriteOperation>>(begun));
    Response response = co_await write(std::move(operation));
    co_return response;
}

asio::awaitable<Response> HttpFront::write(std::unique_ptr<WriteOperation> operation) {
    for (;;) {
        auto next = operation->advance(clock_.now());
        if (!next) {
            break;
        }
        const auto review = co_await call(std::move(*next));
        operation->take_answer(review);
    }
    co_return std::move(operation->response());
}

asio::awaitable<Result<json::Value>> HttpFront::call(WebhookCall call) const {
    const std::string url(call.client_config.string_at("url"));
    if (url.empty()) {
        co_return make_invalid("no Service can be reached from here: give the webhook a url");
    }
    const std::size_t query = url.find('?');
    const auto server = net::parse_server_url(std::string_view(url).substr(0, query));
    const auto authority = kube::decode_base64(call.client_config.string_at("caBundle"));
    if (!server || !authority) {
        co_return server ? authority.error() : server.error();
    }
    net::TlsClientOptions trust;
    trust.ca_pem = *authority;
    const auto tls = net::make_client_tls(trust);
    if (!tls) {
        co_return tls.error();
    }
    net::HttpClientOptions to;
    to.host = server->host;
    to.port = server->port;
    to.tls = *tls;
    net::HttpClient client(std::move(to));
    net::ClientRequest request;
    request.method = "POST";
    request.target = fmt::format(
        "{}?timeout={}s", server->path.empty() ? "/" : server->path, call.timeout_seconds
    );
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = json::print(call.review);
    const Duration limit = std::chrono::seconds(call.timeout_seconds);
    net::HttpOutcome outcome = co_await client.send(std::move(request), limit);
    if (!outcome.response) {
        co_return with_context(outcome.response.error(), fmt::format("Post \"{}\"", url));
    }
    if (outcome.response->status != 200) {
        co_return make_invalid(
            fmt::format("the server answered with status {}", outcome.response->status)
        );
    }
    co_return json::parse(outcome.response->body);
}

net::ServerResponse HttpFront::make_response(Response response) const {
    net::ServerResponse made;
    made.status = response.status;
    made.content_type = response.content_type;
    made.body = std::move(response.body);
    for (const std::string& warning : response.warnings) {
        made.headers.push_back({"Warning", "299 - " + json::print(json::Value(warning))});
    }
    if (response.watch) {
        made.stream =
            std::make_shared<WatchBody>(std::move(response.watch), clock_, options_.executor);
    }
    return made;
}

}  // namespace sluice::apiserver
