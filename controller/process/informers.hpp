#pragma once

#include "api/codec.hpp"
#include "base/clock.hpp"
#include "controller/reconcilers/stores.hpp"
#include "kube/client/client.hpp"
#include "kube/client/reflector.hpp"
#include "net/event_loop.hpp"
#include "net/task_group.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

/// Fills the stores from the API server and keeps them so.
class Informers {
  public:
    struct Parts {
        kube::Client& client;
        const Clock& clock;
        Stores& stores;
        boost::asio::any_io_executor executor;
        std::uint64_t seed = 1;
    };

    explicit Informers(Parts parts);

    /// Follows a kind into its store; `on_change` hears of each change. A kind that is not `needed`
    /// is left out when the server does not have it.
    template <class T>
    void add(
        kube::Store<T>& store, bool needed, std::function<void(const kube::Change<T>&)> on_change
    ) {
        entries_.push_back(std::make_unique<Entry<T>>(*this, store, needed, std::move(on_change)));
    }

    /// Asks the server which kinds it has and starts to follow them. Lifetime: the group must
    /// outlive it.
    boost::asio::awaitable<void> start(net::TaskGroup* tasks);
    /// Waits until every store holds a whole list; false when cancelled.
    boost::asio::awaitable<bool> wait_synced();
    bool has_synced() const;

  private:
    class EntryBase {
      public:
        EntryBase(const kube::ResourcePath& resource, bool needed)
            : path(resource), is_needed(needed) {}
        EntryBase(const EntryBase&) = delete;
        EntryBase& operator=(const EntryBase&) = delete;
        virtual ~EntryBase() = default;
        virtual boost::asio::awaitable<void> run() = 0;
        kube::ResourcePath path;
        bool is_needed;
        bool is_missing = false;
        bool is_synced = false;
    };

    template <class T>
    class Entry final : public EntryBase {
      public:
        Entry(
            Informers& owner,
            kube::Store<T>& store,
            bool needed,
            std::function<void(const kube::Change<T>&)> on_change
        )
            : EntryBase(kube::path_of<T>(), needed),
              reflector_(
                  owner.parts_.client,
                  owner.parts_.clock,
                  store,
                  owner.reflector_options(),
                  std::move(on_change),
                  [this, &owner] {
                      is_synced = true;
                      owner.synced_.notify();
                  }
              ) {}
        boost::asio::awaitable<void> run() override { return reflector_.run(); }

      private:
        kube::Reflector<T> reflector_;
    };

    kube::ReflectorOptions reflector_options();
    /// Whether the server serves the kind; true also when it will not say.
    boost::asio::awaitable<bool> is_served(kube::ResourcePath path);

    Parts parts_;
    api::Interner interner_;
    net::Notifier synced_;
    std::vector<std::unique_ptr<EntryBase>> entries_;
};

}  // namespace sluice::controller
