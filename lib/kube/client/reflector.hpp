#pragma once

#include "api/codec.hpp"
#include "base/clock.hpp"
#include "kube/client/client.hpp"
#include "kube/runtime/store.hpp"
#include "kube/runtime/watcher.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::kube {

struct ReflectorOptions {
    std::string namespace_;  ///< empty: all
    std::string label_selector;
    std::string field_selector;
    WatcherOptions watcher;
    std::uint64_t seed = 1;
    api::Interner* interner = nullptr;  ///< for pod templates
};

/// What a reflector does with the objects it reads. Only Reflector<T> implements it; it keeps the
/// protocol out of templates.
class ReflectorSink {
  public:
    ReflectorSink() = default;
    ReflectorSink(const ReflectorSink&) = delete;
    ReflectorSink& operator=(const ReflectorSink&) = delete;
    virtual ~ReflectorSink() = default;
    /// A new list begins; what an unfinished one gathered is dropped.
    virtual void begin_list() = 0;
    virtual Result<void> add_listed(const ObjectKey& key, std::string_view object) = 0;
    virtual void end_list() = 0;
    virtual Result<void> upsert(std::string_view object) = 0;
    virtual void remove(const ObjectKey& key) = 0;
};

/// Lists and watches `path` until cancelled and hands everything to the sink. Failures are logged,
/// and retried after a backoff without end.
boost::asio::awaitable<void> run_reflector(
    Client* client,
    const Clock* clock,
    ResourcePath path,
    ReflectorOptions options,
    ReflectorSink* sink
);

/// Keeps a Store equal to what the API server has and reports each change. An object that cannot be
/// read is logged, and the store keeps its last good version. Lifetime: client, clock and store
/// must outlive it.
template <class T>
class Reflector final : private ReflectorSink {
  public:
    using OnChange = std::function<void(const Change<T>&)>;

    /// `on_synced` is called after each whole list, when all its changes have been reported.
    Reflector(
        Client& client,
        const Clock& clock,
        Store<T>& store,
        ReflectorOptions options,
        OnChange on_change,
        std::function<void()> on_synced = {}
    )
        : client_(client),
          clock_(clock),
          store_(store),
          options_(std::move(options)),
          on_change_(std::move(on_change)),
          on_synced_(std::move(on_synced)) {}

    /// Runs until cancelled.
    boost::asio::awaitable<void> run() {
        return run_reflector(&client_, &clock_, path_of<T>(options_.namespace_), options_, this);
    }

  private:
    void begin_list() override { listed_.clear(); }

    Result<void> add_listed(const ObjectKey& key, std::string_view object) override {
        auto decoded = decode(object);
        if (!decoded) {
            // What was good stays until it is good again or gone.
            if (const auto last_good = store_.find(key)) {
                listed_.push_back(last_good);
            }
            return decoded.error();
        }
        listed_.push_back(std::make_shared<const T>(std::move(*decoded)));
        return {};
    }

    void end_list() override {
        const auto changes = store_.replace(listed_);
        listed_.clear();
        for (const auto& change : changes) {
            on_change_(change);
        }
        if (on_synced_) {
            on_synced_();
        }
    }

    Result<void> upsert(std::string_view object) override {
        auto decoded = decode(object);
        if (!decoded) {
            return decoded.error();
        }
        on_change_(store_.upsert(std::make_shared<const T>(std::move(*decoded))));
        return {};
    }

    void remove(const ObjectKey& key) override {
        const auto change = store_.remove(key);
        if (change.before) {
            on_change_(change);
        }
    }

    Result<T> decode(std::string_view object) const {
        api::DecodeOptions decode_options;
        decode_options.interner = options_.interner;
        return api::decode<T>(object, decode_options);
    }

    Client& client_;
    const Clock& clock_;
    Store<T>& store_;
    ReflectorOptions options_;
    OnChange on_change_;
    std::function<void()> on_synced_;
    std::vector<std::shared_ptr<const T>> listed_;
};

}  // namespace sluice::kube
