// Follows one collection with list and watch, as a state machine.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/prng.hpp"
#include "kube/core/watch_line.hpp"
#include "kube/runtime/backoff.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace sluice::kube {

struct WatcherOptions {
    std::int64_t page_size = 500;
    /// The server is asked to end each watch after a random time between these two, so that the
    /// watches of many clients do not restart at the same time.
    Duration watch_length_min = std::chrono::minutes(5);
    Duration watch_length_max = std::chrono::minutes(10);
    /// If a watch is silent for this much longer than its requested length, its connection counts
    /// as dead.
    Duration idle_margin = std::chrono::seconds(30);
    BackoffOptions backoff;
};

/// Follows one collection: lists it in pages, watches from the version of the list, resumes a
/// broken watch where it stopped, and lists again only if the server has forgotten that version
/// (410). Pure: next() returns the next action, and the on_… functions report its outcome.
///
///     list ──whole──> watch ──ended, broken──> watch from the last resourceVersion
///       ^               │
///       └─── 410 Gone ──┘        after a failure, either action waits for its backoff first
class Watcher {
  public:
    enum class Action : std::uint8_t { Wait, List, Watch };

    struct Step {
        Action action = Action::List;
        Instant until;                 ///< Wait: when to call next() again
        std::int64_t page_size = 0;    ///< List: 0 requests all objects at once
        std::string continue_token;    ///< List: empty for the first page
        std::string resource_version;  ///< Watch: the version to begin after
        Duration watch_length{};       ///< Watch: the length requested from the server
        Duration idle_max{};           ///< Watch: after this silence the connection counts as dead
    };

    Watcher(WatcherOptions options, std::uint64_t seed)
        : options_(options), prng_(seed), page_size_(options.page_size) {}

    /// Returns the action to take now.
    Step next(Instant now);

    /// How to add a page to the items of the list so far.
    enum class Page : std::uint8_t {
        First,         ///< discard the items so far, begin with this page; more pages follow
        More,          ///< add this page; more pages follow
        Last,          ///< add this page, then replace the store's content by the items
        FirstAndLast,  ///< this page is the whole list
    };
    /// Reports a listed page. Returns how to add it.
    Page on_page(const std::string& resource_version, const std::string& continue_token);
    /// Reports a failed list request. If the response could not be read (Invalid without the
    /// server's status, as for a body beyond the client's limit), the next request asks for half as
    /// many objects from the same position. After any other error the list begins again.
    void on_list_failed(const Error& error, Instant now);

    void on_watch_opened(Instant now) { opened_at_ = now; }
    /// Reports that an event other than Error was processed. A bookmark only moves the version to
    /// resume from.
    void on_event(const std::string& resource_version);
    /// Reports the end of the watch: nullopt if the server ended it in order, or the error that
    /// broke it. An event of type Error ends the watch with that error.
    void on_watch_ended(const std::optional<Error>& error, Instant now);

    /// The resourceVersion up to which all events were processed; empty before the first list.
    const std::string& resource_version() const { return resource_version_; }
    /// The number of failures in a row, for health reports.
    int failures() const { return failures_; }

  private:
    void fail(const Error& error, Instant now);
    void restart_list();

    WatcherOptions options_;
    Prng prng_;
    bool listing_ = true;
    bool paged_ = true;
    std::int64_t page_size_;
    int expired_pages_ = 0;
    std::string continue_token_;
    std::string resource_version_;
    Instant opened_at_{};
    Instant not_before_{};
    int failures_ = 0;
    bool progressed_ = false;
};

}  // namespace sluice::kube
