// Manages kinds of jobs that ConfigMaps describe at run time.
#pragma once

#include "base/clock.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/process/informers.hpp"
#include "controller/process/runner/reconcile_runner.hpp"
#include "controller/scheduler/state_feeder.hpp"
#include "job_kinds/catalog.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

/// Adds, changes and removes the kinds of jobs that ConfigMaps describe while the controller runs.
/// A kind whose description was removed is watched until none of its Workloads holds quota. Thread:
/// that of the stores.
class RunTimeKinds {
  public:
    struct Parts {
        Registry& registry;
        Stores& stores;
        Informers& informers;
        ReconcileRunner& runner;
        StateFeeder& feeder;
        const Clock& clock;
        boost::asio::any_io_executor executor;
        job_kinds::Catalog catalog;
        bool is_reconciled = true;  ///< false: their jobs are only watched
        std::function<void(const EventNote&)> on_event;
        /// Called when kinds were added, changed or removed: any job may have to be reconciled.
        std::function<void()> on_changed;
    };

    explicit RunTimeKinds(Parts parts);

    /// Call when a ConfigMap has changed in its store.
    void config_map_changed();
    /// Call when a Workload has changed in its store.
    void workload_changed();
    /// Starts to report to the authors of ConfigMaps, as events, whether their descriptions are
    /// valid.
    void start_reports();
    /// Brings the kinds in line with the ConfigMaps; `wait` applies to added kinds, see Informers.
    /// Requires: no other call is running.
    boost::asio::awaitable<void> apply(Informers::Wait wait);
    /// Calls apply() after each change, until cancelled.
    boost::asio::awaitable<void> run();
    /// Stops to watch all kinds, and waits for the end of their tasks.
    boost::asio::awaitable<void> stop();

  private:
    struct Followed {
        std::shared_ptr<const job_kinds::Description> description;
        bool is_withdrawn = false;
        std::unique_ptr<net::TaskGroup> tasks;
    };
    using Source = std::pair<std::string, std::string>;  ///< name of the ConfigMap, and key

    void read_sheets();
    bool withdraw_undescribed();
    /// Returns withdrawn kinds whose Workloads hold no quota, or whose names another description
    /// uses.
    std::vector<Kind> find_removable() const;
    bool is_drained(Kind kind) const;
    boost::asio::awaitable<void> remove(Kind kind);
    bool add_described(Informers::Wait wait);
    bool add(const job_kinds::InForce& described, Informers::Wait wait);
    /// The engine may treat Workloads differently, depending on which kinds are managed.
    void report_to_engine();
    void report_to_authors();
    void report_to_author(
        const Source& source, EventType type, std::string_view reason, std::string note
    );
    /// The names live as long as this object: keys of objects refer to them.
    std::shared_ptr<const kube::RunTimeKind> names_of(const job_kinds::Description& description);

    Parts parts_;
    net::Notifier changed_;
    bool is_dirty_ = true;
    bool reports_ = false;
    std::map<Kind, Followed> followed_;
    std::map<Source, std::string> unusable_;  ///< why described kinds cannot be watched
    std::map<Source, std::string> reported_;  ///< the last note for each
    std::map<std::array<std::string, 4>, std::shared_ptr<const kube::RunTimeKind>> names_;
};

}  // namespace sluice::controller
