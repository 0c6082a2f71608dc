#include "whole_system/course.hpp"

#include "base/assert.hpp"
#include "base/prng.hpp"
#include "controller/commands/cluster/virtual_cluster.hpp"
#include "journal/replay.hpp"
#include "support/temporary_folder.hpp"
#include "whole_system/capacity_account.hpp"
#include "whole_system/faults.hpp"
#include "whole_system/invariants.hpp"
#include "whole_system/topology_account.hpp"
#include "whole_system/users.hpp"
#include "whole_system/world.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sluice::whole_system {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kReplicas = 2;
/// Longer than a lease lasts, and than a controller waits before it tries again.
constexpr Duration kRest = 4min;
/// All jobs of a course, one after the other, run for less.
constexpr Duration kEndMax = 12h;

class Course {
  public:
    /// Journals are recorded into the folder unless it is empty.
    Course(const CourseOptions& options, std::string journal_folder)
        : options_(options),
          journal_folder_(std::move(journal_folder)),
          prng_(options.seed),
          world_(make_world(prng_)),
          faults_(prng_.next(), [this] { return now(); }),
          cluster_(make_cluster()),
          invariants_(cluster_->state(), [this] { return now(); }),
          topologies_(
              cluster_->state(),
              [this] { return now(); },
              [this](std::string problem) { invariants_.add_problem(std::move(problem)); }
          ),
          users_(*cluster_, invariants_, world_, prng_) {
        if (world_.enforces_capacity) {
            capacity_.emplace(
                cluster_->state(),
                [this] { return now(); },
                [this](std::string problem) { invariants_.add_problem(std::move(problem)); }
            );
        }
    }

    Course(const Course&) = delete;
    Course& operator=(const Course&) = delete;

    /// Killed replicas still write while they end; the invariants, which go first, observe that.
    ~Course() { cluster_->kill_controller(); }

    CourseResult play() {
        begin_replicas();
        cluster_->run_for(1min);
        for (const json::Value& object : world_.objects) {
            const auto done = cluster_->apply(object);
            if (!done) {
                invariants_.add_problem(done.error().detail + ": " + json::print(object));
            }
        }
        faults_.set_stormy(true);
        for (int i = 0; i < options_.actions; ++i) {
            step();
        }
        calm_down();
        users_.let_all_run();
        run_to_the_end();
        invariants_.check_at_end();
        users_.delete_all_jobs();
        cluster_->run_for(kRest);
        invariants_.check_nothing_left();
        return result();
    }

  private:
    Time now() const { return cluster_ == nullptr ? Time{} : cluster_->now(); }

    std::unique_ptr<commands::VirtualCluster> make_cluster() {
        commands::VirtualCluster::Options options;
        options.seed = options_.seed;
        options.nodes = world_.nodes;
        options.run_time = 30s;
        options.with_lease = true;
        options.journal_folder = journal_folder_;
        options.fault = [this](const kube::Request& request) {
            if (options_.prints_requests) {
                tell(fmt::format("{} {} {}", request.method, request.target, request.body));
            }
            return faults_.of_request(request);
        };
        options.line_fault = [this] { return faults_.of_line(); };
        if (world_.has_fair_sharing) {
            // LessThanInitialShare lets a Workload evict what the next cycle admits before it, in
            // turns without an end, in Kueue too.
            options.configuration.set(
                "fairSharing",
                json::Object{{"preemptionStrategies", json::Array{"LessThanOrEqualToFinalShare"}}}
            );
        }
        if (world_.has_topologies) {
            // Kueue overfills nodes within a cycle, and so does Sluice without this gate.
            options.configuration.find("featureGates")->set("SluiceTASStrictNodeFit", true);
        }
        if (world_.waits_for_pods) {
            options.configuration.set(
                "waitForPodsReady",
                json::Object{
                    {"timeout", "5m"},
                    {"blockAdmission", world_.blocks_admission},
                    {"requeuingStrategy", json::Object{{"backoffBaseSeconds", 1}}}
                }
            );
        }
        auto made = commands::VirtualCluster::make(std::move(options));
        SLUICE_ASSERT(made.has_value());
        return std::move(*made);
    }

    void tell(const std::string& text) const {
        if (options_.prints_actions || options_.prints_requests) {
            const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(
                now() - commands::VirtualCluster::kStart
            );
            fmt::print("{} ms: {}\n", since.count(), text);
        }
    }

    /// What runs a controller starts it again when it has ended.
    void begin_replicas() {
        cluster_->drop_ended();
        while (cluster_->replicas().size() < kReplicas) {
            const auto added = cluster_->add_controller();
            SLUICE_ASSERT(added.has_value());
        }
    }

    void step() {
        const auto choice = prng_.below(100);
        if (choice < 82) {
            tell("user " + users_.act());
        } else if (choice < 88) {
            kill_one();
        } else if (choice < 92) {
            cut_one_off();
        } else if (choice < 95) {
            restart_server();
        } else {
            rest();
        }
        const Duration pause = std::chrono::milliseconds(
            prng_.chance(40) ? prng_.between(0, 200) : prng_.between(0, 20'000)
        );
        cluster_->run_for(pause);
        begin_replicas();
        note_leader();
    }

    void kill_one() {
        const std::size_t which = prng_.below(cluster_->replicas().size());
        tell(fmt::format("replica {} is killed", which));
        cluster_->kill(which);
        ++result_.kills;
    }

    void cut_one_off() {
        const std::size_t which = prng_.below(cluster_->replicas().size());
        const auto replica = cluster_->replicas()[which];
        tell(fmt::format("replica {} is cut off", which));
        replica->set_reachable(false);
        cluster_->run_for(std::chrono::milliseconds(prng_.between(100, 40'000)));
        replica->set_reachable(true);
    }

    void restart_server() {
        tell("the API server restarts and forgets what watches have missed");
        cluster_->state().store.compact();
        for (const auto& replica : cluster_->replicas()) {
            replica->break_watches();
        }
        faults_.stop_server_until(now() + std::chrono::milliseconds(prng_.between(0, 8000)));
    }

    void rest() {
        calm_down();
        cluster_->run_for(kRest);
        tell("rest");
        invariants_.check_at_rest();
        faults_.set_stormy(true);
    }

    void calm_down() {
        faults_.set_stormy(false);
        for (const auto& replica : cluster_->replicas()) {
            replica->set_reachable(true);
        }
        begin_replicas();
    }

    void note_leader() {
        const auto lease = cluster_->state().store.find(
            {"coordination.k8s.io", "leases"}, {"kueue-system", "c1f6bfd2.kueue.x-k8s.io"}
        );
        const json::Value* holder =
            lease == nullptr ? nullptr : lease->find_path({"spec", "holderIdentity"});
        const std::string name =
            holder != nullptr && holder->is_string() ? holder->as_string() : "";
        if (!name.empty() && name != leader_) {
            ++result_.leaders;
            leader_ = name;
            tell("leader: " + name);
        }
    }

    /// Until nothing is stored any more but the lease.
    void run_to_the_end() {
        if (!cluster_->settle(kRest, kEndMax)) {
            invariants_.add_problem("the cluster does not come to rest");
        }
        tell("all is over");
    }

    CourseResult result() {
        result_.problems = invariants_.problems();
        result_.digest = invariants_.digest();
        result_.jobs = users_.jobs();
        result_.admissions = invariants_.admissions();
        result_.evictions = invariants_.evictions();
        result_.faults = faults_.count();
        result_.topologies = topologies_.assigned();
        result_.ungated = topologies_.ungated();
        return std::move(result_);
    }

    CourseOptions options_;
    std::string journal_folder_;
    Prng prng_;
    World world_;
    Faults faults_;
    std::unique_ptr<commands::VirtualCluster> cluster_;
    Invariants invariants_;
    TopologyAccount topologies_;
    std::optional<CapacityAccount> capacity_;
    Users users_;
    CourseResult result_;
    std::string leader_;
};

/// Replays the journal of each replica.
void replay_journals(const std::string& folder, CourseResult& result) {
    for (const auto& replica : std::filesystem::directory_iterator(folder)) {
        const auto replayed = journal::replay(replica.path().string());
        const std::string name = replica.path().filename().string();
        if (!replayed && replayed.error().code == ErrorCode::NotFound) {
            continue;  // killed before its first event
        }
        if (!replayed) {
            result.problems.push_back(
                fmt::format("journal of {}: {}", name, replayed.error().detail)
            );
            continue;
        }
        result.replayed_cycles += replayed->cycles;
        if (const auto& difference = replayed->difference) {
            result.problems.push_back(fmt::format(
                "journal of {}: cycle {} differs, recorded {}replayed {}",
                name,
                difference->cycle,
                difference->recorded,
                difference->replayed
            ));
        }
    }
}

}  // namespace

CourseResult play_course(const CourseOptions& options) {
    if (!options.records_journals) {
        return Course(options, "").play();
    }
    const test::TemporaryFolder folder;
    CourseResult result = Course(options, folder.path()).play();
    replay_journals(folder.path(), result);
    return result;
}

}  // namespace sluice::whole_system
