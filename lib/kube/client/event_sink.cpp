#include "kube/client/event_sink.hpp"

#include "api/codec.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sluice::kube {
namespace asio = boost::asio;

EventSink::EventSink(
    Client& client,
    const Clock& clock,
    asio::any_io_executor executor,
    EventRecorderOptions options,
    std::uint64_t seed
)
    : client_(client),
      clock_(clock),
      recorder_(std::move(options), seed),
      recorded_(std::move(executor)) {}

void EventSink::record(const EventNote& note) {
    recorder_.record(note, clock_.instant(), clock_.now());
    recorded_.notify();
}

asio::awaitable<void> EventSink::run() {
    for (;;) {
        const auto cancelled = co_await net::is_cancelled();
        if (cancelled) {
            co_return;
        }
        recorder_.tick(clock_.instant());
        auto next = recorder_.take();
        if (next) {
            co_await write(std::move(*next));
            continue;
        }
        const auto due = recorder_.next_due();
        std::optional<Duration> limit;
        if (due) {
            limit = std::max(*due - clock_.instant(), Duration::zero());
        }
        co_await recorded_.wait(limit);
    }
}

asio::awaitable<void> EventSink::flush() {
    for (;;) {
        const auto cancelled = co_await net::is_cancelled();
        auto next = recorder_.take();
        if (cancelled || !next) {
            co_return;
        }
        co_await write(std::move(*next));
    }
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
