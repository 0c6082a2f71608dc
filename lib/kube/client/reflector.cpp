#include "kube/client/reflector.hpp"

#include "base/log.hpp"
#include "kube/core/list_page.hpp"
#include "kube/core/raw_json.hpp"
#include "kube/core/status_error.hpp"
#include "net/loop/event_loop.hpp"

#include <optional>

namespace sluice::kube {
namespace asio = boost::asio;
namespace {

/// After this many events in a row, other work on the thread gets its turn.
constexpr int kEventsAtATime = 100;

UnreadableObject make_unreadable(std::string_view object, const Error& error) {
    return {.metadata = read_identity(object), .text = std::string(object), .error = error.detail};
}

}  // namespace

/// One run of a reflector.
class Reflector::Run {
  public:
    explicit Run(Reflector& reflector)
        : client_(&reflector.client_),
          clock_(&reflector.clock_),
          path_(path_of(reflector.store_.kind(), reflector.options_.namespace_)),
          options_(reflector.options_),
          reflector_(&reflector),
          watcher_(reflector.options_.watcher, reflector.options_.seed) {}

    asio::awaitable<End> run() {
        for (;;) {
            const auto cancelled = co_await net::is_cancelled();
            if (cancelled) {
                co_return End::Cancelled;
            }
            if (is_not_served_) {
                co_return End::NotServed;
            }
            const auto step = watcher_.next(clock_->instant());
            if (step.action == Watcher::Action::Wait) {
                co_await net::pause_for(step.until - clock_->instant());
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
        is_not_served_ = error.code == ErrorCode::NotFound;
        if (is_not_served_) {
            return;
        }
        if (error.code != ErrorCode::Canceled) {
            const bool is_expected = options_.may_be_refused && error.code == ErrorCode::Forbidden;
            log::write(
                is_expected ? log::Level::Debug : log::Level::Warning,
                "list failed",
                {{"path", describe(path_)},
                 {"failures", watcher_.failures() + 1},
                 {"error", error.detail}}
            );
        }
        watcher_.on_list_failed(error, clock_->instant());
        if (error.code == ErrorCode::Forbidden && reflector_->on_refused_) {
            reflector_->on_refused_();
        }
    }

    void take_page(const ListPage& page) {
        const auto kind = watcher_.on_page(page.resource_version, page.continue_token);
        if (kind == Watcher::Page::First || kind == Watcher::Page::FirstAndLast) {
            reflector_->begin_list();
        }
        for (const auto& item : page.items) {
            const auto metadata = find_raw(item, {"metadata"});
            const NamespacedName key{
                find_string(metadata, {"namespace"}), find_string(metadata, {"name"})
            };
            const auto added = reflector_->add_listed(key, item);
            if (!added) {
                report_bad_object(key, added.error());
            }
        }
        if (kind == Watcher::Page::Last || kind == Watcher::Page::FirstAndLast) {
            reflector_->end_list();
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
        watcher_.on_watch_opened(clock_->instant());
        for (int events = 1;; ++events) {
            if (events % kEventsAtATime == 0) {
                co_await net::pause_for(Duration::zero());
            }
            const auto line = co_await (*stream)->next_line(step.idle_max);
            if (!line) {
                end_watch(line.error());
                co_return;
            }
            const std::optional<std::string>& text = *line;
            if (!text) {
                watcher_.on_watch_ended(std::nullopt, clock_->instant());
                co_return;
            }
            const auto error = take_line(*text);
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
        watcher_.on_watch_ended(error, clock_->instant());
    }

    /// Processes one line of the watch. Returns an error if the line ends the watch.
    std::optional<Error> take_line(const std::string& line) {
        const auto event = decode_watch_line(line);
        if (!event) {
            return event.error();
        }
        switch (event->type) {
            case WatchEventType::Added:
            case WatchEventType::Modified: {
                const auto taken = reflector_->upsert(event->key, event->object);
                if (!taken) {
                    report_bad_object(event->key, taken.error());
                }
                break;
            }
            case WatchEventType::Deleted:
                reflector_->remove(event->key);
                break;
            case WatchEventType::Bookmark:
                break;
            case WatchEventType::Error:
                return make_status_error(event->object);
        }
        watcher_.on_event(event->resource_version);
        return std::nullopt;
    }

    void report_bad_object(const NamespacedName& key, const Error& error) const {
        log::error(
            "object cannot be read",
            {{"path", describe(path_)}, {"object", to_string(key)}, {"error", error.detail}}
        );
    }

    Client* client_;
    const Clock* clock_;
    ResourcePath path_;
    ReflectorOptions options_;
    Reflector* reflector_;
    bool is_not_served_ = false;
    Watcher watcher_;
};

asio::awaitable<Reflector::End> Reflector::run() {
    Run work(*this);
    const auto end = co_await work.run();
    co_return end;
}

void Reflector::begin_list() {
    listed_.clear();
    listed_unreadable_.clear();
}

Result<void> Reflector::add_listed(const NamespacedName& name, std::string_view object) {
    auto decoded = decode(object);
    if (!decoded) {
        listed_unreadable_.emplace(name, make_unreadable(object, decoded.error()));
        return decoded.error();
    }
    listed_.push_back(std::move(*decoded));
    return {};
}

void Reflector::end_list() {
    std::vector<NamespacedName> newly_unreadable;
    for (const auto& [name, object] : listed_unreadable_) {
        const auto* before = store_.find_metadata(name);
        if (before == nullptr || before->resource_version != object.metadata.resource_version) {
            newly_unreadable.push_back(name);
        }
    }
    const auto changes = store_.replace(listed_, std::move(listed_unreadable_));
    begin_list();
    for (const AnyChange& change : changes) {
        on_change_(change);
    }
    for (const NamespacedName& name : newly_unreadable) {
        const AnyStore::Object last_good = store_.find_object(name);
        on_change_({{store_.kind(), name.namespace_, name.name}, last_good, last_good});
    }
    if (on_synced_) {
        on_synced_();
    }
}

Result<void> Reflector::upsert(const NamespacedName& name, std::string_view object) {
    auto decoded = decode(object);
    if (!decoded) {
        on_change_(store_.set_unreadable(name, make_unreadable(object, decoded.error())));
        return decoded.error();
    }
    on_change_(store_.upsert(*decoded));
    return {};
}

void Reflector::remove(const NamespacedName& name) {
    const bool was_there = store_.find_metadata(name) != nullptr;
    const AnyChange change = store_.remove(name);
    if (was_there) {
        on_change_(change);
    }
}

Result<AnyStore::Object> Reflector::decode(std::string_view object) const {
    api::DecodeOptions decode_options;
    decode_options.interner = options_.interner;
    return store_.decode(object, decode_options);
}

}  // namespace sluice::kube
