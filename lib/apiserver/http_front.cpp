#include "apiserver/http_front.hpp"

#include "apiserver/failures.hpp"
#include "apiserver/watch.hpp"
#include "apiserver/webhook_client.hpp"
#include "net/event_loop.hpp"

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
    : server_(server), clock_(clock), options_(std::move(options)), transport_(call_webhook) {}

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
    Response response =
        co_await apiserver::answer(&server_, &clock_, std::move(request), &transport_);
    co_return response;
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
