// Keeps a store equal to the API server's objects of one kind, by list and watch.
#pragma once

#include "api/meta/codec.hpp"
#include "base/clock.hpp"
#include "kube/client/client.hpp"
#include "kube/runtime/any_store.hpp"
#include "kube/runtime/watcher.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::kube {

struct ReflectorOptions {
    std::string namespace_;  ///< empty: all namespaces
    std::string label_selector;
    std::string field_selector;
    WatcherOptions watcher;
    std::uint64_t seed = 1;
    api::Interner* interner = nullptr;  ///< shares equal pod templates
    /// The account may not be allowed to list: refusals are logged at level debug.
    bool may_be_refused = false;
};

/// Keeps a store equal to the API server's state and reports each change. Failures are logged and
/// retried with a backoff, without limit. An object that cannot be decoded is logged and reported
/// with the last version that could be; the store records it as unreadable. Lifetime: client, clock
/// and store must outlive this object.
class Reflector {
  public:
    using OnChange = std::function<void(const AnyChange&)>;
    /// The reason why run() ended.
    enum class End : std::uint8_t {
        Cancelled,
        NotServed,  ///< the server does not serve the collection, or no longer does
    };

    /// `on_synced` is called after each whole list, when all its changes have been reported;
    /// `on_refused` after the server did not allow this account to list.
    Reflector(
        Client& client,
        const Clock& clock,
        AnyStore& store,
        ReflectorOptions options,
        OnChange on_change,
        std::function<void()> on_synced = {},
        std::function<void()> on_refused = {}
    )
        : client_(client),
          clock_(clock),
          store_(store),
          options_(std::move(options)),
          on_change_(std::move(on_change)),
          on_synced_(std::move(on_synced)),
          on_refused_(std::move(on_refused)) {}

    /// Lists and watches until cancelled, or until the server does not serve the collection.
    boost::asio::awaitable<End> run();

  private:
    class Run;

    void begin_list();
    Result<void> add_listed(const NamespacedName& name, std::string_view object);
    void end_list();
    Result<void> upsert(const NamespacedName& name, std::string_view object);
    void remove(const NamespacedName& name);
    Result<AnyStore::Object> decode(std::string_view object) const;

    Client& client_;
    const Clock& clock_;
    AnyStore& store_;
    ReflectorOptions options_;
    OnChange on_change_;
    std::function<void()> on_synced_;
    std::function<void()> on_refused_;
    std::vector<AnyStore::Object> listed_;
    std::map<NamespacedName, UnreadableObject> listed_unreadable_;
};

}  // namespace sluice::kube
