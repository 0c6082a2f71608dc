#include "kube/client/reflector.hpp"

#include "base/log.hpp"
#include "kube/core/list_page.hpp"
#include "kube/core/raw_json.hpp"
#include "kube/core/status_error.hpp"
#include "net/event_loop.hpp"

#include <optional>

namespace sluice::kube {
namespace asio = boost::asio;
namespace {

/// After so many events in a row the others on the thread get their turn.
constexpr int kEventsAtATime = 100;

/// One reflector at work.
class Run {
  public:
    Run(Client* client,
        const Clock* clock,
        ResourcePath path,
        const ReflectorOptions& options,
        ReflectorSink* sink)
        : client_(client),
          clock_(clock),
          path_(std::move(path)),
          options_(options),
          sink_(sink),
          watcher_(options.watcher, options.seed) {}

    asio::awaitable<void> run() {
        for (;;) {
            const auto cancelled = co_await net::is_cancelled();
            if (cancelled) {
                co_return;
            }
            const auto step = watcher_.next(clock_->now());
            if (step.action == Watcher::Action::Wait) {
                co_await net::pause_for(step.until - clock_->now());
            } else if (step.action == Watcher::Action::List) {
                co_await list(step);
            } else {
                co_await watch(step);
            }
        }
    }

  private:
    asio::awaitable<void> list(Watcher::Step step) {
        ListOptions options;
        options.label_selector = options_.label_selector;
        options.field_selector = options_.field_selector;
        options.limit = step.page_size;
        options.continue_token = step.continue_token;
        const auto text = co_await client_->list(path_, std::move(options));
        if (!text) {
            fail_list(text.error());
            co_return;
        }
        const auto page = decode_list_page(*text);
        if (!page) {
            fail_list(page.error());
            co_return;
        }
        take_page(*page);
    }

    void fail_list(const Error& error) {
        if (error.code != ErrorCode::Canceled) {
            log::warning(
                "list failed",
                {{"path", describe(path_)},
                 {"failures", watcher_.failures() + 1},
                 {"error", error.detail}}
            );
        }
        watcher_.on_list_failed(error, clock_->now());
    }

    void take_page(const ListPage& page) {
        const auto kind = watcher_.on_page(page.resource_version, page.continue_token);
        if (kind == Watcher::Page::First || kind == Watcher::Page::FirstAndLast) {
            sink_->begin_list();
        }
        for (const auto& item : page.items) {
            const auto metadata = find_raw(item, {"metadata"});
            const ObjectKey key{
                find_string(metadata, {"namespace"}), find_string(metadata, {"name"})
            };
            const auto added = sink_->add_listed(key, item);
            if (!added) {
                report_bad_object(key, added.error());
            }
        }
        if (kind == Watcher::Page::Last || kind == Watcher::Page::FirstAndLast) {
            sink_->end_list();
        }
    }

    asio::awaitable<void> watch(Watcher::Step step) {
        WatchOptions options;
        options.label_selector = options_.label_selector;
        options.field_selector = options_.field_selector;
        options.resource_version = step.resource_version;
        options.server_timeout = step.watch_length;
        auto stream = co_await client_->watch(path_, std::move(options));
        if (!stream) {
            end_watch(stream.error());
            co_return;
        }
        watcher_.on_watch_opened(clock_->now());
        for (int events = 1;; ++events) {
            if (events % kEventsAtATime == 0) {
                co_await net::pause_for(Duration::zero());
            }
            const auto line = co_await (*stream)->next_line(step.idle_max);
            if (!line) {
                end_watch(line.error());
                co_return;
            }
            if (!line->has_value()) {
                watcher_.on_watch_ended(std::nullopt, clock_->now());
                co_return;
            }
            const auto error = take_line(**line);
            if (error) {
                end_watch(*error);
                co_return;
            }
        }
    }

    void end_watch(const Error& error) {
        if (error.code != ErrorCode::Canceled) {
            log::info("watch ended", {{"path", describe(path_)}, {"error", error.detail}});
        }
        watcher_.on_watch_ended(error, clock_->now());
    }

    /// The error that ends the watch, if the line does.
    std::optional<Error> take_line(const std::string& line) {
        const auto event = decode_watch_line(line);
        if (!event) {
            return event.error();
        }
        switch (event->type) {
            case WatchEventType::Added:
            case WatchEventType::Modified: {
                const auto taken = sink_->upsert(event->object);
                if (!taken) {
                    report_bad_object(event->key, taken.error());
                }
                break;
            }
            case WatchEventType::Deleted:
                sink_->remove(event->key);
                break;
            case WatchEventType::Bookmark:
                break;
            case WatchEventType::Error:
                return make_status_error(event->object);
        }
        watcher_.on_event(event->resource_version);
        return std::nullopt;
    }

    void report_bad_object(const ObjectKey& key, const Error& error) const {
        log::error(
            "object cannot be read",
            {{"path", describe(path_)}, {"object", to_string(key)}, {"error", error.detail}}
        );
    }

    Client* client_;
    const Clock* clock_;
    ResourcePath path_;
    ReflectorOptions options_;
    ReflectorSink* sink_;
    Watcher watcher_;
};

}  // namespace

asio::awaitable<void> run_reflector(
    Client* client,
    const Clock* clock,
    ResourcePath path,
    ReflectorOptions options,
    ReflectorSink* sink
) {
    Run run(client, clock, std::move(path), options, sink);
    co_await run.run();
}

}  // namespace sluice::kube
