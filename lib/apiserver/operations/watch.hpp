// Watches: each reads the log of a collection and renders its events.
#pragma once

#include "apiserver/state/conversions.hpp"
#include "apiserver/state/selectors.hpp"
#include "apiserver/state/store.hpp"
#include "apiserver/state/webhook_call.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// Selects the objects of a list or watch.
struct ObjectFilter {
    ResourceTable::TypePointer type;
    std::string ns;  ///< "" for all namespaces
    LabelQuery labels;
    FieldQuery fields;

    /// Returns true if the filter selects the object. Does not check the type.
    bool matches(const ObjectName& name, const json::Value& object) const;
};

/// Renders a stored object in the form that the client asked for.
using Render = std::function<json::Value(const json::Value& stored)>;

/// Brings an object, in the served version, into the form that the client asked for.
using Form = std::function<json::Value(json::Value object)>;

/// A watch: a position in the log of a collection. It does not hold events; it reads them when they
/// are requested. Lifetime: the store must outlive it. Thread: the store's.
class Watch {
  public:
    struct Options {
        ObjectFilter filter;
        Collection collection;
        std::int64_t after = 0;  ///< sends the events after this version
        bool sends_initial = false;
        bool marks_initial = false;  ///< marks the end of the initial events by a bookmark
        bool allows_bookmarks = false;
        std::optional<Time> until{};  ///< the watch ends at this time
        Render render;
        Form form;  ///< the form of bookmarks, which are not stored
        /// The conversions by webhooks that `render` uses; nullptr if no webhook converts the
        /// objects.
        std::shared_ptr<Conversions> conversions{};
        /// For a custom kind: returns true while its definition exists.
        std::function<bool()> is_served = {};
    };

    Watch(Store& store, Options options);

    /// Returns the available lines, each with its line feed. Empty if the watch has no lines yet
    /// or if a webhook must be called first.
    std::string take(std::size_t bytes_max = std::size_t{1} << 20);
    /// Returns the call that the next lines wait for; nullopt if they do not wait for one.
    std::optional<WebhookCall> next_call();
    /// Takes the answer to that call: a review, or the error of the call.
    void take_answer(const Result<json::Value>& review);
    /// Returns a bookmark with the current version; "" if the client does not want bookmarks.
    std::string bookmark();
    /// Returns true if the watch has no more lines: after an error event, after its time, or when
    /// its kind is not served any more.
    bool is_over(Time now) const {
        return is_over_ || (options_.until && now >= *options_.until) ||
               (options_.is_served && !options_.is_served());
    }
    /// Returns the time at which the watch ends; nullopt if it does not end.
    std::optional<Time> until() const { return options_.until; }
    /// Calls `wake` when the watch may have more lines or has ended.
    void on_change(std::function<void()> wake);

  private:
    void add_initial(std::string& lines);
    void add_log(std::string& lines, std::size_t bytes_max);
    void add_failure(std::string& lines, const Error& error);
    bool lacks_conversions() const;
    void add(std::string& lines, const LogEntry& entry);
    void add_event(std::string& lines, std::string_view type, const json::Value& object) const;
    std::string make_bookmark(bool ends_initial) const;

    Store& store_;
    Options options_;
    bool is_over_ = false;
    std::optional<Error> failure_;  ///< a failed conversion
    Store::Subscription subscription_;
    Store::Subscription end_subscription_;
};

}  // namespace sluice::apiserver
