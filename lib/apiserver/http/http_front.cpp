#include "apiserver/http/http_front.hpp"

#include "apiserver/http/request_identity.hpp"
#include "apiserver/http/webhook_client.hpp"
#include "apiserver/operations/watch.hpp"
#include "apiserver/types/failures.hpp"
#include "apiserver/types/negotiation.hpp"
#include "apiserver/types/protobuf_answer.hpp"
#include "base/printable.hpp"
#include "net/loop/event_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

namespace asio = boost::asio;

constexpr Duration kBookmarkEvery = std::chrono::seconds(60);

/// The lines of a watch as the body of a response.
class WatchBody final : public net::BodyStream {
  public:
    WatchBody(
        std::shared_ptr<Watch> watch,
        bool is_protobuf,
        const Clock& clock,
        WebhookTransport transport,
        const asio::any_io_executor& executor
    )
        : watch_(std::move(watch)),
          is_protobuf_(is_protobuf),
          clock_(clock),
          transport_(std::move(transport)),
          changed_(std::make_shared<net::Notifier>(executor)) {
        watch_->on_change([changed = changed_] { changed->notify(); });
    }

    asio::awaitable<std::optional<std::string>> next() override {
        for (;;) {
            std::string lines = co_await read_watch(watch_, &transport_);
            if (!lines.empty()) {
                co_return in_form(std::move(lines));
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
                co_return in_form(std::move(bookmark));
            }
        }
    }

  private:
    /// Returns the lines in the form of the watch; nullopt if the events cannot be encoded in
    /// protobuf, which ends the watch.
    std::optional<std::string> in_form(std::string lines) const {
        if (!is_protobuf_) {
            return lines;
        }
        auto frames = encode_watch_lines(lines);
        return frames ? std::optional(std::move(*frames)) : std::nullopt;
    }

    std::shared_ptr<Watch> watch_;
    bool is_protobuf_;
    const Clock& clock_;
    WebhookTransport transport_;
    std::shared_ptr<net::Notifier> changed_;
};

/// Returns true if the answer to the request must be in protobuf. All answers are made in JSON
/// first.
bool is_answered_in_protobuf(const ResourceTable& types, const Request& request) {
    // Writes are answered with whole objects.
    const bool is_metadata =
        request.method == "GET" && prefers_metadata_in_protobuf(request.accept);
    if (!is_metadata && !takes_only_protobuf(request.accept)) {
        return false;
    }
    const auto route = find_route(types, request.path);
    return route && (is_metadata || has_protobuf(*route->type));
}

/// Encodes the response in protobuf. Tables and texts stay unchanged.
void turn_to_protobuf(Response& response) {
    if (response.watch != nullptr) {
        response.content_type = std::string(kProtobufType) + ";stream=watch";
        return;
    }
    const auto object = json::parse(response.body);
    auto body = object ? encode_protobuf(*object) : Result<std::string>(object.error());
    if (body) {
        response.content_type = kProtobufType;
        response.body = std::move(*body);
    }
}

}  // namespace

HttpFront::HttpFront(ApiServer& server, const Clock& clock, Options options)
    : server_(server),
      clock_(clock),
      options_(std::move(options)),
      transport_(options_.webhooks ? options_.webhooks : WebhookTransport(call_webhook)) {}

asio::awaitable<net::ServerResponse> HttpFront::handle(net::ServerRequest incoming) {
    Request request = make_request(incoming.method, incoming.target);
    const bool is_open = request.path == "/healthz" || request.path == "/livez" ||
                         request.path == "/readyz" || request.path == "/version";
    // A request with credentials is authenticated even if its path is public.
    if (!is_open || !net::find_header(incoming.headers, "Authorization").empty()) {
        const auto done = identify(server_.state(), incoming.headers, clock_.now(), request);
        if (!done) {
            co_return make_response(apiserver::make_response(done.error()));
        }
    }
    request.content_type = net::find_header(incoming.headers, "Content-Type");
    request.accept = net::find_header(incoming.headers, "Accept");
    request.user_agent = to_utf8(net::find_header(incoming.headers, "User-Agent"));
    const auto body = incoming.body.view();
    if (!body) {
        co_return make_response(apiserver::make_response(bad_request(body.error().detail)));
    }
    request.body = *body;
    const bool is_protobuf = is_answered_in_protobuf(server_.state().types, request);
    if (is_protobuf) {
        request.accept = request.method == "GET" && prefers_metadata_in_protobuf(request.accept)
                             ? "application/json;as=PartialObjectMetadata"
                             : "application/json";
    }
    Response response = co_await answer(std::move(request));
    if (is_protobuf) {
        turn_to_protobuf(response);
    }
    co_return make_response(std::move(response));
}

net::HeadVerdict HttpFront::judge_head(std::string_view /*method*/, std::string_view /*path*/)
    const {
    return {
        .refusal = {},
        .body_bytes_max = kBodyMax,
        .too_large = make_response(answer_too_large()),
    };
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
    // Clients limit the size of headers, and repeated warnings add no information.
    constexpr std::size_t kWarningsMax = 64;
    constexpr std::size_t kBytesMax = 4096;
    std::size_t bytes = 0;
    std::set<std::string_view> sent;
    for (const std::string& warning : response.warnings) {
        bytes += warning.size();
        if (bytes > kBytesMax || sent.size() == kWarningsMax) {
            break;
        }
        if (sent.insert(warning).second) {
            made.headers.push_back({"Warning", "299 - " + json::print(json::Value(warning))});
        }
    }
    if (response.watch) {
        const bool is_protobuf = response.content_type.starts_with(kProtobufType);
        made.stream = std::make_shared<WatchBody>(
            std::move(response.watch), is_protobuf, clock_, transport_, options_.executor
        );
    }
    return made;
}

}  // namespace sluice::apiserver
