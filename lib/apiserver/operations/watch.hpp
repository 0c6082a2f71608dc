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

/// Which objects a list or watch is about.
struct ObjectFilter {
    ResourceTable::TypePointer type;
    std::string ns;  ///< "": all
    LabelQuery labels;
    FieldQuery fields;

    bool matches(const ObjectName& name, const json::Value& object) const;
};

/// Turns a stored object into what the client asked for.
using Render = std::function<json::Value(const json::Value& stored)>;

/// Gives an object of the version that is served the form that the client asked for.
using Form = std::function<json::Value(json::Value object)>;

/// One watch: a place in the log of a collection. It holds no events; they are read when asked for.
/// Lifetime: the store must outlive it. Thread: the store's.
class Watch {
  public:
    struct Options {
        ObjectFilter filter;
        Collection collection;
        std::int64_t after = 0;  ///< events after this version
        bool sends_initial = false;
        bool marks_initial = false;  ///< a bookmark tells where the initial events end
        bool allows_bookmarks = false;
        std::optional<Time> until{};  ///< ends then
        Render render;
        Form form;  ///< of bookmarks, which are not stored
        /// Where webhooks convert what is rendered: what they have made of it, which the render
        /// notes the lack of.
        std::shared_ptr<Conversions> conversions{};
        /// Of a kind that a definition defines: whether it is still there.
        std::function<bool()> is_served = {};
    };

    Watch(Store& store, Options options);

    /// The lines that are there, each with its line feed; empty: none now, or none until a webhook
    /// has been called.
    std::string take(std::size_t bytes_max = std::size_t{1} << 20);
    /// The call that the next lines wait for; nothing: they wait for none.
    std::optional<WebhookCall> next_call();
    /// The answer to it: a review, or why there is none.
    void take_answer(const Result<json::Value>& review);
    /// A bookmark with the version that has been reached; "" where none are wanted.
    std::string bookmark();
    /// After an error event, past its time, or without its kind: nothing more comes.
    bool is_over(Time now) const {
        return is_over_ || (options_.until && now >= *options_.until) ||
               (options_.is_served && !options_.is_served());
    }
    std::optional<Time> until() const { return options_.until; }
    /// Called when there may be more, or nothing more comes.
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
    std::optional<Error> failure_;  ///< of a conversion
    Store::Subscription subscription_;
    Store::Subscription end_subscription_;
};

}  // namespace sluice::apiserver
