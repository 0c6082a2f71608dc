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
    /// The server is asked to end each watch after a time drawn between these two, so that the
    /// watches of many clients do not all begin anew together.
    Duration watch_length_min = std::chrono::minutes(5);
    Duration watch_length_max = std::chrono::minutes(10);
    /// A watch that stays silent this much longer than the server was asked for has a dead peer.
    Duration idle_margin = std::chrono::seconds(30);
    BackoffOptions backoff;
};

/// Follows one collection: lists it in pages, then watches from where the list was taken, resumes a
/// broken watch where it stopped, and lists anew only when the server has forgotten that point
/// (410). Pure: next() says what to do, the on_… calls say how it went.
///
///     list ──whole──> watch ──ended, broken──> watch from the last resourceVersion
///       ^               │
///       └─── 410 Gone ──┘        after failures either waits its backoff first
class Watcher {
  public:
    enum class Action : std::uint8_t { Wait, List, Watch };

    struct Step {
        Action action = Action::List;
        Instant until;                 ///< Wait: when to ask again
        std::int64_t page_size = 0;    ///< List: 0 asks for all in one
        std::string continue_token;    ///< List: empty for the first page
        std::string resource_version;  ///< Watch: where to begin
        Duration watch_length{};       ///< Watch: after which the server is asked to end it
        Duration idle_max{};           ///< Watch: silence after which the peer counts as dead
    };

    Watcher(WatcherOptions options, std::uint64_t seed)
        : options_(options), prng_(seed), page_size_(options.page_size) {}

    /// What to do now.
    Step next(Instant now);

    /// What a page means for what was gathered.
    enum class Page : std::uint8_t {
        First,         ///< drop what was gathered, begin with this page; more follow
        More,          ///< add this page; more follow
        Last,          ///< add this page, then swap the store for what was gathered
        FirstAndLast,  ///< this page alone is the list
    };
    Page on_page(const std::string& resource_version, const std::string& continue_token);
    /// An answer that could not be taken (Invalid without the server's status, as for a body beyond
    /// the client's limit) makes it ask for half as many objects, from where the list is; all else
    /// begins the list anew.
    void on_list_failed(const Error& error, Instant now);

    void on_watch_opened(Instant now) { opened_at_ = now; }
    /// An event other than Error has been taken; a bookmark only moves the point to resume from.
    void on_event(const std::string& resource_version);
    /// The watch is over: by the server in order (no error) or broken. An event of type Error ends
    /// the watch with that error.
    void on_watch_ended(const std::optional<Error>& error, Instant now);

    /// The resourceVersion up to which everything has been seen; empty before the first list.
    const std::string& resource_version() const { return resource_version_; }
    /// Failures in a row, for health reports.
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
