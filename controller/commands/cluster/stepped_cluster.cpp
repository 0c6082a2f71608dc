#include "controller/commands/cluster/stepped_cluster.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/cluster_content.hpp"
#include "apiserver/http/webhook_client.hpp"
#include "base/earlier.hpp"
#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::commands {

namespace {

/// Longest virtual time until a request to stop is noticed.
constexpr Duration kPiece = std::chrono::hours(1);
constexpr Duration kPause = std::chrono::milliseconds(100);
/// Real time that sockets get to close.
constexpr Duration kClosing = std::chrono::milliseconds(10);
/// How often step_to_next() tries when due work changes nothing: without a limit, a creation that
/// is always refused would be retried forever.
constexpr int kFruitlessMax = 20;

std::string text_of(const json::Value& object, std::initializer_list<std::string_view> path) {
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_string() ? found->as_string() : std::string();
}

std::string print_event(const json::Value& event, Time now) {
    const std::string ns = text_of(event, {"involvedObject", "namespace"});
    const std::string name = text_of(event, {"involvedObject", "name"});
    return printable(fmt::format(
        "{} {} {}: {}: {}",
        api::to_string(now),
        text_of(event, {"involvedObject", "kind"}),
        ns.empty() ? name : ns + "/" + name,
        text_of(event, {"reason"}),
        text_of(event, {"message"})
    ));
}

}  // namespace

SteppedCluster::SteppedCluster(Options options, std::unique_ptr<ApiEndpoint> endpoint)
    : options_(std::move(options)),
      on_stop_(options_.stop, [ending = ending_]() mutable { ending.request_stop(); }),
      endpoint_(std::move(endpoint)) {
    options_.cluster.stop = ending_.get_token();
}

/// Stops the tasks of the loop before destroying what they use. Stopping takes virtual time;
/// closing sockets takes real time.
SteppedCluster::~SteppedCluster() {
    ending_.request_stop();
    if (requests_) {
        net::TaskGroup closing(cluster_->loop().executor(), "closing");
        bool is_closed = false;
        closing.spawn(close(&is_closed), "close");
        cluster_->run_for(kPause);
        while (!is_closed) {
            cluster_->loop().run_until_idle(kClosing);
            cluster_->run_for(kPause);
        }
    }
    if (cluster_) {
        cluster_->kill_controller();
    }
    requests_.reset();
    endpoint_.reset();
    cluster_.reset();
}

boost::asio::awaitable<void> SteppedCluster::close(bool* is_closed) {
    co_await requests_->stop(Duration::zero());
    if (endpoint_->is_serving()) {
        co_await endpoint_->stop();
    }
    *is_closed = true;
}

Result<std::unique_ptr<SteppedCluster>> SteppedCluster::start(Options options) {
    // Clients compare the certificate's validity with the real clock.
    auto endpoint = ApiEndpoint::make(SystemClock().now());
    if (!endpoint) {
        return endpoint.error();
    }
    options.cluster.root_ca = (*endpoint)->authority();
    options.cluster.administrator_token = (*endpoint)->token();
    if (!options.cluster.foreign_webhooks) {
        options.cluster.foreign_webhooks = apiserver::call_webhook;
    }
    std::unique_ptr<SteppedCluster> cluster(
        new SteppedCluster(std::move(options), std::move(*endpoint))
    );
    if (const auto done = cluster->set_up(); !done) {
        return done.error();
    }
    return cluster;
}

Result<void> SteppedCluster::set_up() {
    auto made = VirtualCluster::make(options_.cluster);
    if (!made) {
        return made.error();
    }
    cluster_ = std::move(*made);
    requests_ = std::make_unique<net::TaskGroup>(cluster_->loop().executor(), "requests");
    if (auto started = cluster_->start_controller(); !started) {
        return started;
    }
    cluster_->state().store.add_observer(
        [this](const apiserver::Collection& collection, const apiserver::LogEntry& entry) {
            note(collection, entry);
        }
    );
    auto serving = endpoint_->serve(
        cluster_->loop(),
        cluster_->server(),
        cluster_->clock(),
        {.port = options_.port, .webhooks = cluster_->webhooks()}
    );
    if (!serving) {
        return serving;
    }
    apiserver::add_own_service(cluster_->server(), port(), now());
    react();
    return {};
}

void SteppedCluster::note(
    const apiserver::Collection& collection, const apiserver::LogEntry& entry
) {
    if (collection.plural == "events" && entry.after) {
        events_.push_back(print_event(*entry.after, now()));
    }
    has_changed_ = true;
    if (is_waiting_) {
        cluster_->loop().stop();
    }
}

boost::asio::awaitable<void> SteppedCluster::answer_into(
    apiserver::Request request, Answer answer
) {
    *answer = co_await endpoint_->front().answer(std::move(request));
    if (is_waiting_) {
        cluster_->loop().stop();
    }
}

Result<void> SteppedCluster::apply(const json::Value& object) {
    const auto& types = cluster_->state().types;
    auto request = make_apply_request(types, with_last_applied(types, object), ApiEndpoint::kName);
    if (!request) {
        return request.error();
    }
    const auto answer = std::make_shared<std::optional<apiserver::Response>>();
    requests_->spawn(answer_into(std::move(*request), answer), "apply");
    for (react();; react()) {
        if (const auto& response = *answer) {
            return read_answer(*response);
        }
        if (options_.stop.stop_requested()) {
            return Error{ErrorCode::Canceled, "a stop was requested", {}};
        }
        wait();  // a user's webhook takes real time
    }
}

void SteppedCluster::step(Duration duration) {
    react();
    const Time end = now() + duration;
    while (now() < end && !options_.stop.stop_requested()) {
        cluster_->run_for(std::min<Duration>(end - now(), kPiece));
    }
    react();
}

SteppedCluster::Due SteppedCluster::step_to_next() {
    react();
    const Time before = cluster_->changed();
    for (int i = 0; i < kFruitlessMax && !options_.stop.stop_requested(); ++i) {
        const auto next = earlier(cluster_->cluster().next_time(), cluster_->next_deadline());
        if (!next) {
            return Due::Nothing;
        }
        step(std::max<Duration>(*next - now(), std::chrono::milliseconds(1)));
        if (cluster_->changed() != before) {
            return Due::Done;
        }
    }
    return Due::Fruitless;
}

void SteppedCluster::wait() {
    is_waiting_ = true;
    // Changes made before this call end the wait at once; later changes stop the loop.
    if (!std::exchange(has_changed_, false) && !options_.stop.stop_requested()) {
        const std::stop_callback on_stop(options_.stop, [this] { wake([] {}); });
        cluster_->loop().run();
    }
    has_changed_ = false;
    is_waiting_ = false;
}

void SteppedCluster::wake(std::function<void()> function) {
    cluster_->loop().post([this, function = std::move(function)] {
        function();
        has_changed_ = true;
        cluster_->loop().stop();
    });
}

std::vector<std::string> SteppedCluster::take_events() {
    return std::exchange(events_, {});
}

}  // namespace sluice::commands
