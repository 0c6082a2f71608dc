#pragma once

#include "base/error.hpp"
#include "engine/state/state.hpp"
#include "engine/types/event.hpp"
#include "json/value.hpp"
#include "support/outcome.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::scenarios {

/// A line like "a/w1 cpu=4 gated": a name, then words with or without a value. Parts are divided by
/// "|".
struct Line {
    std::string name;
    std::vector<std::map<std::string, std::string, std::less<>>> parts;

    /// The value of the first part's word, or none.
    std::optional<std::string> find(std::string_view word) const;
    std::int64_t number(std::string_view word, std::int64_t otherwise) const;
};

Line parse_line(std::string_view text);

/// The cluster of a scenario: objects as an API server would have them, the engine under test, and
/// the code that writes admissions, stops victims and hands quota back, as controllers do.
class World {
  public:
    explicit World(engine::Options options) : state_(std::move(options)) {}

    /// Takes a "given" or one step of "when"; *Errors*: Invalid, naming what is not understood.
    Result<void> take(const json::Value& step);
    /// Compares what was decided since the last check. One text a difference.
    std::vector<std::string> check(const json::Value& expected);

  private:
    Result<void> take(const std::string& word, const json::Value& value);
    Result<void> take_cluster(const std::string& word, const json::Value& value);
    Result<void> take_workloads(const std::string& word, const json::Value& value);
    Result<void> make_queues(const json::Value& queues);
    Result<void> make_cohorts(const json::Value& cohorts);
    Result<void> make_local_queues(const json::Value& queues);
    Result<void> make_shapes(const json::Value& shapes);
    void make_flavors(const std::vector<engine::ResourceGroup>& groups);
    Result<void> submit(const Line& line, bool admitted);
    Result<void> change(const std::string& word, const Line& line);
    void run_cycles(std::int64_t count);
    void write_admissions();
    void stop_victims();
    void advance(std::int64_t seconds);
    void apply(const engine::Event& event);
    void update(const std::string& name);
    std::string shown(const std::string& key) const;
    std::vector<std::string> match_decisions(const std::vector<Line>& expected);
    std::optional<std::string> match_other(const std::string& what, const Line& line) const;
    void note_explanations(const engine::CycleResult& result);
    /// `position`: among the checks of this workload's constraints.
    std::optional<std::string> match_constraint(const Line& line, std::size_t position) const;

    engine::State state_;
    engine::Time now_{std::chrono::seconds(1'000'000)};
    std::string cohort_;             ///< of queues that name none
    std::set<std::string> missing_;  ///< flavors that are named and do not exist
    std::set<std::string> flavors_;
    std::map<std::string, engine::Workload> workloads_;  ///< by the name shown: "queue/name"
    std::map<std::string, engine::LocalQueue> local_queues_;
    struct Unwritten {
        engine::QuotaReservation reservation;
        std::string replaces;  ///< the slice that ends with it, if any
    };
    std::map<std::string, Unwritten> unwritten_;
    std::set<std::string> victims_;
    std::map<std::string, support::NamedRefusal> refusals_;  ///< the last of each workload
    /// Of its last refusal, the constraints as lines, the most binding first.
    std::map<std::string, std::vector<std::string>> explanations_;
    std::vector<std::string> decided_;  ///< admissions and preemptions, as lines
    bool writes_done_ = true;
    bool evictions_done_ = true;
    std::int64_t submitted_ = 0;
};

/// Options of a scenario; none given: the defaults.
Result<engine::Options> parse_options(const json::Value* value);
/// Resource groups of {flavor: {resource: quota}}, one group a list element.
Result<std::vector<engine::ResourceGroup>> parse_groups(const json::Value& queue);
Result<engine::ClusterQueue> parse_queue(const std::string& name, const json::Value& value);

}  // namespace sluice::scenarios
