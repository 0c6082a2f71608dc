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

/// Manages the kinds of jobs that ConfigMaps describe, as they come, change and go while the
/// controller runs. A kind whose description is taken back is followed until no Workload of it
/// holds quota any more. Thread: that of the stores.
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
        bool is_reconciled = true;  ///< else their jobs are followed only
        std::function<void(const EventNote&)> on_event;
        /// Called when kinds have come, changed or gone: any job may have to be looked at.
        std::function<void()> on_changed;
    };

    explicit RunTimeKinds(Parts parts);

    /// A ConfigMap has changed in its store.
    void config_map_changed();
    /// A Workload has changed in its store.
    void workload_changed();
    /// Tells the authors of ConfigMaps from now on what became of their descriptions.
    void begin_to_tell();
    /// Brings the kinds in line with the ConfigMaps; `wait`: of Informers, for those that are
    /// added. Requires: not at work already.
    boost::asio::awaitable<void> apply(Informers::Wait wait);
    /// Does so whenever something has changed, until cancelled.
    boost::asio::awaitable<void> run();
    /// Follows none of them any more, and waits for that.
    boost::asio::awaitable<void> stop();

  private:
    struct Followed {
        std::shared_ptr<const job_kinds::Description> description;
        bool is_withdrawn = false;
        std::unique_ptr<net::TaskGroup> tasks;
    };
    using Source = std::pair<std::string, std::string>;  ///< ConfigMap and key

    void read_sheets();
    bool withdraw_undescribed();
    /// Those withdrawn of which nothing holds quota, or whose names others take.
    std::vector<Kind> find_removable() const;
    bool is_drained(Kind kind) const;
    boost::asio::awaitable<void> remove(Kind kind);
    bool add_described(Informers::Wait wait);
    bool add(const job_kinds::InForce& described, Informers::Wait wait);
    /// What the engine may do with Workloads depends on which kinds are managed.
    void tell_engine();
    void tell_authors();
    void tell(const Source& source, EventType type, std::string_view reason, std::string note);
    /// Names live as long as this: keys of objects refer to them.
    std::shared_ptr<const kube::RunTimeKind> names_of(const job_kinds::Description& description);

    Parts parts_;
    net::Notifier changed_;
    bool is_dirty_ = true;
    bool tells_ = false;
    std::map<Kind, Followed> followed_;
    std::map<Source, std::string> unusable_;  ///< why kinds cannot be followed although described
    std::map<Source, std::string> told_;      ///< the last note of each
    std::map<std::array<std::string, 4>, std::shared_ptr<const kube::RunTimeKind>> names_;
};

}  // namespace sluice::controller
