// Lists and watches kinds, and fills the stores with their objects.
#pragma once

#include "api/meta/codec.hpp"
#include "base/clock.hpp"
#include "controller/kinds/registry.hpp"
#include "kube/client/client.hpp"
#include "kube/client/reflector.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// Fills the stores from the API server and keeps them up to date. Waits for kinds that the server
/// does not serve, repeating discovery with growing delays. Drops the objects of a kind that the
/// server no longer serves.
class Informers {
  public:
    struct Parts {
        kube::Client& client;
        const Clock& clock;
        Stores& stores;
        boost::asio::any_io_executor executor;
        /// Called for each change, after the store was updated.
        std::function<void(const kube::AnyChange&)> on_change;
        /// Called for a kind that the server does not serve (any more), after its store was
        /// emptied.
        std::function<void(Kind)> on_gone;
        /// Called with true when a kind that is only used to find owners can be read, and with
        /// false when it cannot: the server does not serve it or this account may not list it.
        std::function<void(const KindEntry&, bool)> on_passed;
        std::uint64_t seed = 1;
        /// Delay before discovery is repeated for a kind that is not served; doubled each time.
        Duration discovery_delay = std::chrono::seconds(1);
    };

    /// For kinds that are not required: does has_synced() wait for the first list?
    enum class Wait : std::uint8_t { ForFirstList, ForNothing };

    explicit Informers(Parts parts);

    /// Starts to watch a kind. Requires: its store was added. Lifetime: the entry and the task
    /// group must outlive this object.
    void follow(const KindEntry& entry, net::TaskGroup* tasks, Wait wait = Wait::ForFirstList);
    /// Stops tracking the kind; its store stays unchanged. Requires: the tasks that watched it have
    /// ended.
    void forget(Kind kind);
    /// Waits until has_synced(). Returns false if cancelled.
    boost::asio::awaitable<bool> wait_synced();
    /// Returns true if every store holds a complete list. An optional kind is ignored once the
    /// server did not serve it or did not allow its list, even if it is listed later.
    bool has_synced() const;
    /// Waits until the store of the kind holds a complete list, or until that instant. Returns
    /// false if cancelled.
    boost::asio::awaitable<bool> wait_listed(Kind kind, Instant until);

  private:
    enum class Served : std::uint8_t { Yes, No, InOtherScope, WillNotSay, NoAnswer };
    enum class Phase : std::uint8_t { Unknown, NotServed, Listing, Synced };
    struct Followed {
        const KindEntry* entry = nullptr;
        Phase phase = Phase::Unknown;
        bool is_waited_for = true;  ///< has_synced() may have to wait for its first list
        bool is_checked = false;    ///< its CRD was checked
        bool is_scope_logged = false;
        bool is_readable = true;               ///< false once an owner kind cannot be read
        Duration delay{};                      ///< before discovery is repeated
        std::unique_ptr<net::Notifier> again;  ///< repeats discovery at once
        int absences = 0;                      ///< responses in a row without the kind
        std::unique_ptr<kube::Reflector> reflector;
    };
    /// Result of discovery for a group and version.
    struct Discovered {
        Instant at;
        /// Resource names, each with true if it is namespaced; nullopt if the server did not say.
        std::optional<std::map<std::string, bool>> resources;
    };

    /// Looks at each change, and each second. Returns false if cancelled.
    boost::asio::awaitable<bool> wait_until(std::function<bool()> is_reached);
    boost::asio::awaitable<void> run(Followed* followed);
    /// Returns what discovery says about the kind.
    boost::asio::awaitable<Served> is_served(kube::ResourcePath path, bool is_namespaced);
    /// Logs, once, that a kind is cluster-scoped that should be namespaced.
    static void note_scope(Followed& followed);
    /// Logs, once, the fields that the CRD of a kind lacks. Ignores an unreadable CRD.
    boost::asio::awaitable<void> check_definition(Followed* followed);
    /// Handles a response that does not contain the kind.
    boost::asio::awaitable<void> take_absence(Followed* followed, kube::ResourcePath path);
    void note_absence(Followed& followed);
    /// Repeats discovery at once, and more often for a while, for the kinds that were missing: CRDs
    /// are often installed together, and a kind may need another one that was installed with it.
    void ask_for_absent();
    /// Handles a refused list: this account has no permission.
    void note_refusal(Followed& followed);
    /// Returns true if the server has the kind in no version; a version that is no longer served
    /// says nothing about the objects. Returns false if the server does not answer.
    boost::asio::awaitable<bool> is_gone(kube::ResourcePath path, bool is_namespaced);
    void drop(Followed& followed);
    /// Reports a change of whether an owner kind can be read.
    void note_readable(Followed& followed, bool is_readable);

    Parts parts_;
    api::Interner interner_;
    net::Notifier changed_;
    std::vector<std::unique_ptr<Followed>> followed_;
    std::uint64_t follows_ = 0;                     ///< number of watched kinds so far
    std::map<std::string, Discovered> discovered_;  ///< by request target
};

}  // namespace sluice::controller
