#pragma once

#include "apiserver/core.hpp"
#include "apiserver/flow.hpp"
#include "apiserver/render.hpp"
#include "apiserver/selectors.hpp"
#include "apiserver/store.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace sluice::apiserver {

/// What a watch shows of its collection.
struct WatchFilter {
    std::string namespace_;  ///< empty: all
    LabelSelector labels;
    FieldSelector fields;

    bool matches(const Stored& object) const;
};

struct WatchOptions {
    WatchFilter filter;
    std::uint64_t version = 0;        ///< events after it are sent
    bool sends_present = false;       ///< first what is there, as ADDED
    bool marks_end_of_present = false;  ///< then a bookmark that says so
    bool allows_bookmarks = false;
};

/// The lines of one watch, pulled by whoever sends them. For use on the server's thread; the server
/// must outlive it.
class Watch : public std::enable_shared_from_this<Watch> {
  public:
    Watch(
        Core& core,
        ResourcePtr resource,
        std::string version,
        std::shared_ptr<Collection> collection,
        Renderer renderer,
        WatchOptions options
    );
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch();

    /// Appends lines that are ready until there are about that many bytes. Whether it goes on:
    /// false after the last line.
    bool read(std::string& out, std::size_t bytes_max);
    /// Calls the function once, when there may be lines again or the watch has ended. Replaces the
    /// one of an earlier call. The function must not read from the watch, but see to it later.
    void on_ready(std::function<void()> function);
    /// Appends a bookmark of what has been sent, if the client takes them.
    void bookmark(std::string& out);

  private:
    enum class Step : std::uint8_t { Sent, Nothing, Waiting, Over };
    Step next(std::string& out);
    Step next_present(std::string& out);
    Step next_event(std::string& out);
    Step send(std::string& out, std::string_view type, const StoredPtr& object);
    Step fail(std::string& out, const Error& error);
    void wake();
    void begin_conversion(const StoredPtr& object);

    Core& core_;
    ResourcePtr resource_;
    std::string version_;
    std::shared_ptr<Collection> collection_;
    Renderer renderer_;
    WatchOptions options_;
    std::deque<StoredPtr> present_;
    bool is_present_sent_ = true;
    std::uint64_t sequence_ = 0;
    std::uint64_t sent_version_ = 0;
    std::optional<std::uint64_t> waiting_id_;
    std::function<void()> on_ready_;
    std::optional<Flow<bool>> conversion_;
    std::optional<Error> failure_;
    bool is_over_ = false;
    bool has_sent_ = false;
};

/// A line that tells a client of an error; the watch ends after it.
std::string error_line(const Error& error);

}  // namespace sluice::apiserver
