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

/// Fills the stores from the API server and keeps them so. A kind that the server does not have is
/// waited for: discovery is asked ever later. One that goes is dropped from its store.
class Informers {
  public:
    struct Parts {
        kube::Client& client;
        const Clock& clock;
        Stores& stores;
        boost::asio::any_io_executor executor;
        /// Hears of each change, after the store has taken it.
        std::function<void(const kube::AnyChange&)> on_change;
        /// Told of a kind that the server does not have (any more), after its store was emptied.
        std::function<void(Kind)> on_gone;
        /// Called when a kind that is only passed can be read, and when it cannot: the server does
        /// not have it or does not let this account list it.
        std::function<void(const KindEntry&, bool)> on_passed;
        std::uint64_t seed = 1;
        /// After which discovery is asked again for a kind that is not served; doubled each time.
        Duration discovery_delay = std::chrono::seconds(1);
    };

    /// Whether has_synced() waits for the first list of a kind that is not required.
    enum class Wait : std::uint8_t { ForFirstList, ForNothing };

    explicit Informers(Parts parts);

    /// Follows a kind from now on. Requires: its store was added. Lifetime: the entry and the group
    /// must outlive it.
    void follow(const KindEntry& entry, net::TaskGroup* tasks, Wait wait = Wait::ForFirstList);
    /// Follows the kind no more; its store stays as it is. Requires: the tasks that it was followed
    /// by have ended.
    void forget(Kind kind);
    /// Waits until has_synced(); false when cancelled.
    boost::asio::awaitable<bool> wait_synced();
    /// Whether every store holds a whole list. An optional kind does not count once the server did
    /// not have it or did not allow its list, also while it is listed later.
    bool has_synced() const;

  private:
    enum class Served : std::uint8_t { Yes, No, InOtherScope, WillNotSay, NoAnswer };
    enum class Phase : std::uint8_t { Unknown, NotServed, Listing, Synced };
    struct Followed {
        const KindEntry* entry = nullptr;
        Phase phase = Phase::Unknown;
        bool is_waited_for = true;  ///< the others may have to wait for its first list
        bool is_checked = false;    ///< its definition was looked at
        bool is_scope_told = false;
        bool is_readable = true;  ///< of a kind that is only passed, until something else is known
        Duration delay{};         ///< after which discovery is asked again
        std::unique_ptr<net::Notifier> again;  ///< then it is asked at once
        int absences = 0;  ///< answers in a row that the server does not have the kind
        std::unique_ptr<kube::Reflector> reflector;
    };
    /// What discovery said of a group and version.
    struct Discovered {
        Instant at;
        /// And whether each is namespaced; none: it would not say.
        std::optional<std::map<std::string, bool>> resources;
    };

    boost::asio::awaitable<void> run(Followed* followed);
    /// Whether the server has the kind, as discovery says.
    boost::asio::awaitable<Served> is_served(kube::ResourcePath path, bool is_namespaced);
    /// Tells of a kind without namespaces that should have them, once.
    static void note_scope(Followed& followed);
    /// Tells of what the definition of a kind lacks, once. That it cannot be read is no fault.
    boost::asio::awaitable<void> check_definition(Followed* followed);
    /// The server said that it does not have the kind.
    boost::asio::awaitable<void> take_absence(Followed* followed, kube::ResourcePath path);
    void note_absence(Followed& followed);
    /// Asks at once for the kinds that the server did not have, and more often for a while:
    /// definitions come together, and a kind may need another one that was installed with it.
    void ask_for_absent();
    /// The server does not let this account list the kind.
    void note_refusal(Followed& followed);
    /// Whether the server has the kind in no version at all; a version that it does not serve any
    /// more says nothing of the objects. False when it will not say.
    boost::asio::awaitable<bool> is_gone(kube::ResourcePath path, bool is_namespaced);
    void drop(Followed& followed);
    /// Reports that a kind which is only passed can be read or not, if that is news.
    void note_readable(Followed& followed, bool is_readable);

    Parts parts_;
    api::Interner interner_;
    net::Notifier changed_;
    std::vector<std::unique_ptr<Followed>> followed_;
    std::uint64_t follows_ = 0;                     ///< so far
    std::map<std::string, Discovered> discovered_;  ///< by request target
};

}  // namespace sluice::controller
