#pragma once

#include "base/clock.hpp"
#include "base/prng.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/process/metrics/metrics_reporter.hpp"
#include "controller/process/runner/reconcile_runner.hpp"
#include "controller/process/writes/awaited_echoes.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/reconcile/write_sink.hpp"
#include "controller/scheduler/decision_applier.hpp"
#include "controller/scheduler/scheduling_loop.hpp"
#include "controller/scheduler/state_feeder.hpp"
#include "engine/state/state.hpp"
#include "json/value.hpp"
#include "support/manual_clock.hpp"
#include "workload/translation/translator.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

using test::ManualClock;

/// Objects in a map under a whole controller, on a manual clock and without a thread: writes are
/// taken when the test lets them, echoes come when it lets them. Who owns which field of a status
/// is as in the embedded API server; objects are not validated. The Job controller is played by
/// the test.
class MiniCluster : public WriteSink {
  public:
    explicit MiniCluster(
        std::uint64_t seed = 1, engine::Options options = {}, Settings settings = {}
    );

    // The user's side.
    /// Creates or replaces what the JSON (single quotes are read as double ones) says; uid and the
    /// like are filled in.
    void put(std::string_view json);
    void merge(const ObjectKey& key, std::string_view patch);
    void remove(const ObjectKey& key);
    /// The object as stored, or nullptr.
    const json::Value* find(const ObjectKey& key) const {
        const auto found = objects_.find(key);
        return found == objects_.end() ? nullptr : &found->second;
    }
    /// The string at a path, or "".
    std::string at(const ObjectKey& key, std::initializer_list<std::string_view> path) const;
    /// "status/reason" of a Workload's condition, or "".
    std::string condition(std::string_view ns, std::string_view workload, std::string_view type)
        const;
    /// The name of the one Workload of the Job; "" when there is none or more than one.
    std::string workload_of(std::string_view ns, std::string_view job) const;

    /// All objects of the kind, by namespace and name.
    std::vector<ObjectKey> keys_of(Kind kind) const;

    /// All Workloads of the Job, by name.
    std::vector<ObjectKey> workloads_of(std::string_view ns, std::string_view job) const;

    /// The controller learns of a kind, and knows it after each restart.
    void add_kind(KindEntry entry);

    // The course of things.
    /// Goes on until nothing happens any more; time moves only for what is due within `patience`.
    void settle(Duration patience = std::chrono::seconds(3));
    /// One piece of work, whichever is next; false when there is none.
    bool tick();
    /// Tells the stores the next thing that they have not heard; false when there is none.
    bool deliver_next();
    /// The controller dies and another begins with nothing but the objects.
    void restart();

    /// Asked before each write: an error refuses it, nothing lets it pass.
    std::function<std::optional<Error>(const Write&)> fault;
    /// Asked after each write: an error is the answer although the write was done.
    std::function<std::optional<Error>(const Write&)> lost_answer;
    std::set<Kind> late;  ///< whose watch is late: echoes wait
    /// Delays each answer until the stores show the write and the controller has taken notice.
    bool answers_come_last = false;
    std::vector<EventNote> events;
    std::vector<Observation> observations;
    std::vector<Write> writes;                   ///< those that were accepted
    std::vector<engine::AuditFinding> findings;  ///< of the last audit
    MetricsReporter* metrics = nullptr;          ///< told of changes and cycles; null: none is
    ManualClock clock{Time(std::chrono::hours(24 * 365 * 50))};
    std::size_t rows_max = 16;  ///< more than so many rows find no room
    /// Rows that wait to be taken.
    std::size_t rows() const { return rows_.size(); }
    void submit(std::vector<Write> row, Attempts attempts, Done done) override;
    bool has_room() const override { return rows_.size() < rows_max; }
    bool is_settled(const ObjectKey& key) const override {
        return controller_->echoes.is_settled(key);
    }

    /// Everything of the controller that a restart loses.
    struct Controller {
        Controller(MiniCluster& cluster, std::uint64_t seed);
        Registry registry;
        Stores stores;
        AwaitedEchoes echoes;
        Settings settings;
        workload::Translator translator;
        engine::State state;
        engine::Driver driver;
        StateFeeder feeder;
        DecisionApplier applier;
        SchedulingLoop scheduling;
        ReconcileRunner runner;
    };
    Controller& controller() { return *controller_; }

  private:
    struct Row {
        std::vector<Write> writes;
        Attempts attempts = Attempts::AFew;
        Done done;
    };
    /// What the stores have still to hear of.
    struct Echo {
        ObjectKey key;
        json::Value object;  ///< null: removed
    };

    Result<void> take(const Write& write);
    Result<void> create(const Write& write);
    Result<void> patch(const Write& write);
    Result<void> apply_status(const Write& write);
    void own_new_fields(const ObjectKey& key, const json::Value* old, json::Value& object);
    void stored(const ObjectKey& key, json::Value object);
    void drop(const ObjectKey& key);
    void deliver(const Echo& echo);
    Kind kind_named(const std::string& name) const;
    Registry make_registry() const;
    void perform_row();
    Result<void> perform(const Write& write);
    bool ask_for_late();
    void act_before_answer();
    void ended(const ObjectKey& key, bool is_accepted);
    std::deque<Echo>::iterator find_next_echo();
    std::optional<Instant> next_due() const;

    std::map<ObjectKey, json::Value> objects_;
    std::vector<KindEntry> added_;
    std::deque<Row> rows_;
    std::deque<Echo> echoes_;
    std::int64_t version_ = 100;
    std::int64_t uid_ = 0;
    std::uint64_t seed_;
    engine::Options options_;
    Settings settings_;
    Prng prng_;
    std::optional<Instant> scheduling_due_;
    std::optional<Instant> runner_due_;
    std::optional<Instant> late_due_;
    std::unique_ptr<Controller> controller_;
};

}  // namespace sluice::controller
