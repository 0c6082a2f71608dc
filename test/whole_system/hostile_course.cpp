#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/codec.hpp"
#include "base/assert.hpp"
#include "whole_system/course.hpp"
#include "whole_system/faults.hpp"
#include "whole_system/hostile_tenant.hpp"
#include "whole_system/pod_account.hpp"
#include "whole_system/world.hpp"
#include "whole_system/write_loops.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::whole_system {

namespace {

using namespace std::chrono_literals;

/// How long pods may run beyond quota: until the controller has stopped them and they have ended.
constexpr Duration kGrace = 1min;
/// As long where requests fail and the controller is away.
constexpr Duration kGraceInStorm = 4min;
constexpr Duration kRest = 3min;
constexpr Duration kEndMax = 30min;
/// Writes of one object in this time; a tenant writes a few times.
constexpr int kWritesMax = 120;
constexpr Duration kLoopTime = 1min;

bool is_preempted(const apiserver::Snapshot& workload) {
    if (!workload) {
        return false;
    }
    const auto read = api::from_value<api::Workload>(*workload);
    SLUICE_ASSERT(read.has_value());
    return api::is_true(read->status.conditions, api::condition::kPreempted);
}

class HostileCourse {
  public:
    explicit HostileCourse(const CourseOptions& options)
        : options_(options),
          prng_(options.seed),
          world_(make_scarce_world(prng_)),
          is_stormy_(prng_.chance(30)),
          faults_(prng_.next(), [this] { return now(); }),
          cluster_(make_cluster()),
          account_(cluster_->state(), [this] { return now(); }),
          tenant_(*cluster_, world_.queues, prng_),
          administrator_(*cluster_) {}

    HostileCourse(const HostileCourse&) = delete;
    HostileCourse& operator=(const HostileCourse&) = delete;

    ~HostileCourse() { cluster_->kill_controller(); }

    CourseResult play() {
        account_.set_grace(is_stormy_ ? kGraceInStorm : kGrace);
        watch_loops();
        print_object();
        begin_controller();
        cluster_->run_for(10s);
        for (const json::Value& object : world_.objects) {
            const auto done = cluster_->apply(object);
            if (!done) {
                add_problem(done.error().detail + ": " + json::print(object));
            }
        }
        faults_.set_stormy(is_stormy_);
        for (int i = 0; i < options_.actions; ++i) {
            step();
        }
        rest();
        end();
        return result();
    }

  private:
    Time now() const { return cluster_ == nullptr ? Time{} : cluster_->now(); }

    std::unique_ptr<commands::VirtualCluster> make_cluster() {
        commands::VirtualCluster::Options options;
        options.seed = options_.seed;
        options.nodes = world_.nodes;
        options.run_time = 30s;
        options.fault = [this](const kube::Request& request) {
            if (options_.prints_requests) {
                tell(fmt::format("{} {} {}", request.method, request.target, request.body));
            }
            return faults_.of_request(request);
        };
        options.line_fault = [this] { return faults_.of_line(); };
        json::Value& configuration = options.configuration;
        configuration.set("manageJobsWithoutQueueName", true);
        configuration.find("featureGates")->set("ElasticJobsViaWorkloadSlices", prng_.chance(60));
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

    void watch_loops() {
        cluster_->state().store.add_observer([this](const auto& collection, const auto& entry) {
            const bool is_workload = collection.plural == api::Workload::kPlural;
            if (is_workload && is_preempted(entry.after)) {
                preempted_at_ = now();
            }
            // Two Workloads may preempt each other in turns: that is the policy's, as in Kueue.
            const bool is_policy =
                is_workload && preempted_at_ && now() - *preempted_at_ < kLoopTime;
            if (loops_.count_write(collection, entry.name, now()) && !is_policy) {
                const auto& [ns, name] = entry.name;
                add_problem(
                    fmt::format("{} {}/{} is written in a loop", collection.plural, ns, name)
                );
            }
        });
    }

    void print_object() {
        if (options_.printed_object.empty()) {
            return;
        }
        cluster_->state().store.add_observer([this](const auto& collection, const auto& entry) {
            if (entry.name.name.find(options_.printed_object) != std::string::npos) {
                json::Value shown = entry.after ? *entry.after : json::Value("gone");
                if (json::Value* metadata = shown.find("metadata")) {
                    metadata->erase("managedFields");
                }
                tell(
                    fmt::format("{} {}: {}", collection.plural, entry.name.name, json::print(shown))
                );
            }
        });
    }

    void add_problem(std::string text) { problems_.push_back(std::move(text)); }

    void begin_controller() {
        cluster_->drop_ended();
        if (cluster_->replicas().empty()) {
            const auto added = cluster_->add_controller();
            SLUICE_ASSERT(added.has_value());
        }
    }

    void step() {
        if (is_stormy_ && prng_.chance(4)) {
            tell("the controller is killed");
            cluster_->kill_controller();
            ++result_.kills;
            cluster_->run_for(std::chrono::milliseconds(prng_.between(0, 20'000)));
        } else if (prng_.chance(3)) {
            rest();
        } else {
            tell("tenant " + tenant_.act());
        }
        begin_controller();
        cluster_->run_for(std::chrono::milliseconds(
            prng_.chance(50) ? prng_.between(0, 300) : prng_.between(0, 20'000)
        ));
    }

    void rest() {
        faults_.set_stormy(false);
        begin_controller();
        cluster_->run_for(kRest);
        tell("rest");
        account_.set_grace(0s);
        account_.check();
        account_.set_grace(is_stormy_ ? kGraceInStorm : kGrace);
        check_counts();
        faults_.set_stormy(is_stormy_);
    }

    /// ClusterQueues publish what Workloads hold, which another end of a pod may have changed just
    /// now.
    void check_counts() {
        for (int tries = 0; tries < 5 && !find_uncounted().empty(); ++tries) {
            cluster_->run_for(1s);
        }
        for (std::string& problem : find_uncounted()) {
            add_problem(std::move(problem));
        }
    }

    std::vector<std::string> find_uncounted() const {
        std::vector<std::string> uncounted;
        Amounts counted;
        for (const auto& [name, object] :
             cluster_->state().store.objects({"kueue.x-k8s.io", "clusterqueues"})) {
            const auto queue = api::from_value<api::ClusterQueue>(*object);
            SLUICE_ASSERT(queue.has_value());
            for (const api::FlavorUsage& flavor : queue->status.flavors_reservation) {
                for (const api::ResourceUsage& resource : flavor.resources) {
                    counted[{flavor.name, resource.name}] += resource.total;
                }
            }
        }
        for (const auto& [of, amount] : account_.held()) {
            if (!of.first.empty() && counted[of] < amount) {
                uncounted.push_back(fmt::format(
                    "ClusterQueues count {} of {} in {}, the Workloads hold {}:{}",
                    counted[of].to_string(),
                    of.second,
                    of.first,
                    amount.to_string(),
                    account_.describe(of.first)
                ));
            }
        }
        return uncounted;
    }

    /// Nothing of Sluice's holds up a namespace, a queue or a flavor that is deleted.
    void end() {
        faults_.set_stormy(false);
        tenant_.drop_own_finalizers();
        administrator_.remove("/api/v1/namespaces/team", "Background");
        wait_until_gone({"", "namespaces"}, "team");
        for (const char* plural : {"clusterqueues", "resourceflavors", "cohorts"}) {
            for (const std::string& name : administrator_.names({"kueue.x-k8s.io", plural})) {
                administrator_.remove(fmt::format("{}{}/{}", kKueuePath, plural, name));
                wait_until_gone({"kueue.x-k8s.io", plural}, name);
            }
        }
    }

    void wait_until_gone(const apiserver::Collection& collection, const std::string& name) {
        const Time latest = now() + kEndMax;
        const auto find = [&] { return cluster_->state().store.find(collection, {"", name}); };
        while (find() != nullptr && now() < latest) {
            cluster_->run_for(10s);
        }
        const auto left = find();
        if (left == nullptr) {
            return;
        }
        add_problem(fmt::format("{} stays: {}", name, json::print(*left)));
        for (const apiserver::Collection& each :
             {apiserver::Collection{"", "pods"}, {"batch", "jobs"}, {"kueue.x-k8s.io", "workloads"}
             }) {
            for (const auto& [key, object] : cluster_->state().store.objects(each)) {
                add_problem(fmt::format("left: {}", json::print(*object)));
            }
        }
    }

    CourseResult result() {
        result_.problems = account_.problems();
        result_.problems.insert(result_.problems.end(), problems_.begin(), problems_.end());
        result_.jobs = tenant_.objects();
        result_.faults = faults_.count();
        result_.longest_excess = account_.longest_excess();
        return std::move(result_);
    }

    CourseOptions options_;
    Prng prng_;
    World world_;
    bool is_stormy_;
    Faults faults_;
    std::unique_ptr<commands::VirtualCluster> cluster_;
    PodAccount account_;
    HostileTenant tenant_;
    UserClient administrator_;
    WriteLoops loops_{kWritesMax, kLoopTime};
    std::optional<Time> preempted_at_;  ///< when a Workload was seen last that is
    std::vector<std::string> problems_;
    CourseResult result_;
};

}  // namespace

CourseResult play_hostile_course(const CourseOptions& options) {
    return HostileCourse(options).play();
}

}  // namespace sluice::whole_system
