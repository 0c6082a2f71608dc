#include "apiserver/http/in_process_client.hpp"

#include "apiserver/operations/watch.hpp"
#include "kube/core/status_error.hpp"
#include "net/loop/event_loop.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

Error canceled() {
    return Error{ErrorCode::Canceled, "canceled", {}};
}

Error broken() {
    return Error{ErrorCode::Unavailable, "the connection broke", {}};
}

}  // namespace

/// The lines of one watch. A stream that outlives its client has ended.
class InProcessClient::Stream final : public kube::WatchStream {
  public:
    Stream(
        InProcessClient* client,
        std::shared_ptr<Watch> watch,
        const Clock& clock,
        const Options& options
    )
        : client_(client),
          watch_(std::move(watch)),
          clock_(clock),
          transport_(options.webhooks),
          fault_(options.line_fault),
          changed_(std::make_shared<net::Notifier>(options.executor)) {
        client_->streams_.push_back(this);
        watch_->on_change([changed = changed_] { changed->notify(); });
    }
    ~Stream() override { leave(); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    kube::Async<std::optional<std::string>> next_line(Duration idle_max) override {
        const Time begun = clock_.now();
        for (;;) {
            if (client_ == nullptr) {
                co_return broken();
            }
            if (lines_.size() == at_) {
                lines_ = co_await read_watch(watch_, &transport_);
                at_ = 0;
                if (client_ == nullptr) {
                    co_return broken();
                }
            }
            if (!lines_.empty()) {
                auto line = take_line();
                const Result<std::optional<std::string>> taken = co_await std::move(line);
                co_return taken;
            }
            const Time now = clock_.now();
            if (watch_->is_over(now)) {
                co_return std::optional<std::string>();
            }
            const Duration left = idle_max - (now - begun);
            if (left <= Duration::zero()) {
                co_return Error{ErrorCode::Timeout, "the watch was silent", {}};
            }
            const auto until = watch_->until();
            co_await changed_->wait(until ? std::min<Duration>(left, *until - now) : left);
            const bool is_cancelled = co_await net::is_cancelled();
            if (is_cancelled) {
                co_return canceled();
            }
        }
    }

    /// Called when the client breaks the stream.
    void break_off() {
        client_ = nullptr;
        changed_->notify();
    }

  private:
    void leave() {
        if (client_ != nullptr) {
            std::erase(client_->streams_, this);
            client_ = nullptr;
        }
    }
    /// Takes the next available line. Requires: a line is available.
    kube::Async<std::optional<std::string>> take_line() {
        const auto fault = fault_ ? fault_() : std::nullopt;
        if (fault && fault->delay > Duration::zero()) {
            const bool waited = co_await net::pause_for(fault->delay);
            if (!waited) {
                co_return canceled();
            }
        }
        if (fault && fault->breaks) {
            leave();
        }
        if (client_ == nullptr) {
            co_return broken();
        }
        const std::size_t end = lines_.find('\n', at_);
        std::string line = lines_.substr(at_, end - at_);
        if (!fault || !fault->repeats) {
            at_ = end + 1;
        }
        co_return std::optional<std::string>(std::move(line));
    }

    InProcessClient* client_;
    std::shared_ptr<Watch> watch_;
    const Clock& clock_;
    WebhookTransport transport_;
    LineFaultSource fault_;
    std::shared_ptr<net::Notifier> changed_;
    std::string lines_;
    std::size_t at_ = 0;
};

InProcessClient::InProcessClient(ApiServer& server, const Clock& clock, Options options)
    : server_(server), clock_(clock), options_(std::move(options)) {}

InProcessClient::~InProcessClient() {
    break_watches();
}

void InProcessClient::break_watches() {
    for (Stream* stream : std::exchange(streams_, {})) {
        stream->break_off();
    }
}

Request InProcessClient::to_server_request(const kube::Request& request) const {
    Request made = make_request(request.method, request.target);
    made.content_type = request.content_type;
    made.accept = "application/json";
    made.user_agent = options_.user_agent;
    if (!options_.user.empty()) {
        made.user = options_.user;
        made.is_restricted = true;
    }
    made.body = request.body;
    return made;
}

kube::Async<Response> InProcessClient::perform(kube::Request request, Duration timeout) {
    co_await boost::asio::post(options_.executor, boost::asio::use_awaitable);
    const bool is_cancelled = co_await net::is_cancelled();
    if (is_cancelled) {
        co_return canceled();
    }
    if (request.before_send) {
        if (const auto may_go = request.before_send(); !may_go) {
            co_return may_go.error();
        }
    }
    auto fault = options_.fault ? options_.fault(request) : std::nullopt;
    if (fault && fault->delay >= timeout) {
        fault->delay = timeout;
        fault->error = Error{ErrorCode::Timeout, "no answer in time", {}};
        fault->is_after_effect = false;
    } else if (fault && fault->delay + fault->answer_delay >= timeout) {
        fault->answer_delay = timeout - fault->delay;
        fault->error = Error{ErrorCode::Timeout, "no answer in time", {}};
        fault->is_after_effect = true;
    }
    if (fault && fault->delay > Duration::zero()) {
        const bool waited = co_await net::pause_for(fault->delay);
        if (!waited) {
            co_return canceled();
        }
    }
    if (fault && fault->error && !fault->is_after_effect) {
        co_return *fault->error;
    }
    Request to_server = to_server_request(request);
    Response response =
        co_await answer(&server_, &clock_, std::move(to_server), &options_.webhooks);
    if (fault && fault->answer_delay > Duration::zero()) {
        const bool waited = co_await net::pause_for(fault->answer_delay);
        if (!waited) {
            co_return canceled();
        }
    }
    if (fault && fault->error && fault->is_after_effect) {
        co_return *fault->error;
    }
    co_return response;
}

kube::Async<std::string> InProcessClient::call(kube::Request request, Duration timeout) {
    const std::string method = request.method;
    auto response = co_await perform(std::move(request), timeout);
    if (options_.on_answer) {
        options_.on_answer(method, response ? response->status : 0);
    }
    if (!response) {
        co_return response.error();
    }
    if (response->status >= 400) {
        co_return kube::make_status_error(response->status, response->body, "");
    }
    co_return std::move(response->body);
}

kube::Async<std::string> InProcessClient::get(kube::ResourcePath path, kube::GetOptions options) {
    return call(kube::make_get(path, options), options.timeout);
}

kube::Async<std::string> InProcessClient::list(kube::ResourcePath path, kube::ListOptions options) {
    return call(kube::make_list(path, options), options.timeout);
}

kube::Async<std::string> InProcessClient::create(
    kube::ResourcePath path, std::string body, kube::WriteOptions options
) {
    return call(kube::make_create(path, std::move(body), options), options.timeout);
}

kube::Async<std::string> InProcessClient::update(
    kube::ResourcePath path, std::string body, kube::WriteOptions options
) {
    return call(kube::make_update(path, std::move(body), options), options.timeout);
}

kube::Async<std::string> InProcessClient::merge_patch(
    kube::ResourcePath path, std::string body, kube::WriteOptions options
) {
    return call(kube::make_merge_patch(path, std::move(body), options), options.timeout);
}

kube::Async<std::string> InProcessClient::apply(
    kube::ResourcePath path, std::string body, kube::ApplyOptions options
) {
    return call(kube::make_apply(path, std::move(body), options), options.timeout);
}

kube::Async<std::string> InProcessClient::remove(
    kube::ResourcePath path, kube::DeleteOptions options
) {
    return call(kube::make_delete(path, options), options.timeout);
}

kube::Async<std::string> InProcessClient::get_raw(std::string target, kube::GetOptions options) {
    return call(
        kube::Request{.method = "GET", .target = std::move(target), .is_read = true},
        options.timeout
    );
}

kube::Async<std::unique_ptr<kube::WatchStream>> InProcessClient::watch(
    kube::ResourcePath path, kube::WatchOptions options
) {
    kube::Request request = kube::make_watch(path, options);
    auto response = co_await perform(std::move(request), options.connect_timeout);
    if (!response) {
        co_return response.error();
    }
    if (response->status >= 400) {
        co_return kube::make_status_error(response->status, response->body, "");
    }
    std::unique_ptr<kube::WatchStream> stream =
        std::make_unique<Stream>(this, std::move(response->watch), clock_, options_);
    co_return stream;
}

}  // namespace sluice::apiserver
