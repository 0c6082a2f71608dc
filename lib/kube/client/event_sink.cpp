#include "kube/client/event_sink.hpp"

#include "api/meta/codec.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace sluice::kube {
namespace asio = boost::asio;

namespace {

/// Enough for the events of thousands of admissions a minute, and few compared to the controller's
/// other requests.
constexpr std::size_t kWritesMax = 4;

}  // namespace

EventSink::EventSink(
    Client& client,
    const Clock& clock,
    const asio::any_io_executor& executor,
    EventRecorderOptions options,
    std::uint64_t seed,
    std::function<bool()> may_write
)
    : client_(client),
      clock_(clock),
      may_write_(std::move(may_write)),
      recorder_(std::move(options), seed),
      executor_(executor),
      changed_(executor),
      write_ended_(executor) {}

void EventSink::record(const EventNote& note) {
    recorder_.record(note, clock_.instant(), clock_.now());
    changed_.notify();
}

asio::awaitable<void> EventSink::run() {
    net::TaskGroup tasks(executor_, "event");
    for (;;) {
        const auto cancelled = co_await net::is_cancelled();
        if (cancelled) {
            break;
        }
        recorder_.tick(clock_.instant());
        log_dropped();
        begin_writes(&tasks);
        const auto due = recorder_.next_due();
        std::optional<Duration> limit;
        if (due) {
            limit = std::max(*due - clock_.instant(), Duration::zero());
        }
        co_await changed_.wait(limit);
    }
    co_await tasks.stop(Duration::zero());
}

asio::awaitable<void> EventSink::flush() {
    net::TaskGroup tasks(executor_, "event");
    for (;;) {
        const auto cancelled = co_await net::is_cancelled();
        if (cancelled) {
            break;
        }
        begin_writes(&tasks);
        if (under_way_.empty() && (!recorder_.has_waiting() || !may_write_())) {
            break;
        }
        co_await write_ended_.wait();
    }
    co_await tasks.stop(Duration::zero());
}

void EventSink::begin_writes(net::TaskGroup* tasks) {
    while (under_way_.size() < kWritesMax && may_write_()) {
        auto next = recorder_.take(under_way_);
        if (!next) {
            return;
        }
        under_way_.insert(next->event.metadata.name);
        tasks->spawn(perform(std::move(*next)));
    }
}

void EventSink::log_dropped() {
    if (const auto dropped = recorder_.take_dropped(clock_.instant())) {
        log::warning(
            "events were dropped: more came than the API server takes", {{"dropped", *dropped}}
        );
    }
}

asio::awaitable<void> EventSink::perform(EventRecorder::Write write) {
    const std::string name = write.event.metadata.name;
    co_await this->write(std::move(write));
    under_way_.erase(name);
    changed_.notify();
    write_ended_.notify();
}

asio::awaitable<void> EventSink::write(EventRecorder::Write write) {
    const auto& metadata = write.event.metadata;
    if (write.verb == EventRecorder::Verb::PatchSeries) {
        auto path = path_of<api::Event>(metadata.namespace_, metadata.name);
        auto patch = make_series_patch(write.event);
        const auto answer =
            co_await client_.merge_patch(std::move(path), std::move(patch), WriteOptions());
        if (!answer && answer.error().code == ErrorCode::NotFound) {
            recorder_.on_patch_not_found(write.event);
            co_return;
        }
        if (!answer) {
            log::debug("event series not written", {{"error", answer.error().detail}});
        }
        co_return;
    }
    auto path = path_of<api::Event>(metadata.namespace_);
    auto body = api::encode(write.event);
    const auto answer = co_await client_.create(std::move(path), std::move(body), WriteOptions());
    if (!answer && answer.error().code != ErrorCode::Canceled) {
        log::warning(
            "event not written",
            {{"reason", write.event.reason},
             {"object", write.event.regarding.name},
             {"error", answer.error().detail}}
        );
    }
}

}  // namespace sluice::kube
