#include "base/prng.hpp"
#include "controller/mini_cluster.hpp"
#include "controller/process/metrics/metrics_reporter.hpp"
#include "controller/refresh.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

// Gauges that are kept up to date change by change, against those that are worked out anew.
namespace sluice::controller {
namespace {

constexpr std::string_view kQueues[] = {"a", "b", "c"};
constexpr std::string_view kCohorts[] = {"", "org", "team", "root"};

std::string pick(Prng& prng, std::span<const std::string_view> from) {
    return std::string(from[prng.below(from.size())]);
}

/// A user who changes everything there is, one thing at a time.
class User {
  public:
    User(MiniCluster& cluster, std::uint64_t seed) : cluster_(cluster), prng_(seed) {
        cluster_.put("{'kind':'Namespace','metadata':{'name':'ns'}}");
        cluster_.put("{'kind':'ResourceFlavor','metadata':{'name':'spot'}}");
        for (const auto name : kQueues) {
            put_cluster_queue(std::string(name));
            put_local_queue(std::string(name));
        }
    }

    void act() {
        switch (prng_.below(12)) {
            case 0:
                return put_cluster_queue(pick(prng_, kQueues));
            case 1:
                return put_local_queue(pick(prng_, kQueues));
            case 2:
                return put_cohort();
            case 3:
                return remove({kind_of<api::ClusterQueue>(), "", pick(prng_, kQueues)});
            case 4:
                return remove({kind_of<api::LocalQueue>(), "ns", pick(prng_, kQueues)});
            case 5:
                return remove({kind_of<api::Cohort>(), "", pick(prng_, kCohorts)});
            case 6:
                return finish_job();
            case 7:
                return remove({kind_of<api::Job>(), "ns", job_name()});
            case 8:
                return toggle_flavor();
            default:
                return put_job();
        }
    }

    /// Cohorts whose object was deleted and not made again: they need not be reported.
    const std::set<std::string>& deleted_cohorts() const { return deleted_cohorts_; }

  private:
    std::string job_name() { return fmt::format("job-{}", prng_.below(20)); }

    void put_cluster_queue(const std::string& name) {
        cluster_.put(fmt::format(
            R"({{'kind':'ClusterQueue','metadata':{{'name':'{}'}},'spec':{{'namespaceSelector':{{}},
            'queueingStrategy':'BestEffortFIFO','stopPolicy':'{}','cohortName':'{}',
            'preemption':{{'withinClusterQueue':'LowerPriority','reclaimWithinCohort':'Any'}},
            'resourceGroups':[{{'coveredResources':['cpu'],'flavors':[{{'name':'spot','resources':[
                {{'name':'cpu','nominalQuota':'{}'}}]}}]}}]}}}})",
            name,
            prng_.chance(10) ? "Hold" : "None",
            pick(prng_, kCohorts),
            prng_.below(8)
        ));
    }
    void put_local_queue(const std::string& name) {
        cluster_.put(fmt::format(
            R"({{'kind':'LocalQueue','metadata':{{'name':'{}','namespace':'ns'}},'spec':{{
            'clusterQueue':'{}','stopPolicy':'{}'}}}})",
            name,
            prng_.chance(10) ? "nowhere" : pick(prng_, kQueues),
            prng_.chance(10) ? "Hold" : "None"
        ));
    }
    void put_cohort() {
        const auto name = pick(prng_, kCohorts);
        if (!name.empty()) {
            deleted_cohorts_.erase(std::string(name));
            cluster_.put(fmt::format(
                "{{'kind':'Cohort','metadata':{{'name':'{}'}},'spec':{{'parentName':'{}'}}}}",
                name,
                pick(prng_, kCohorts)
            ));
        }
    }
    void toggle_flavor() {
        const ObjectKey spot{kind_of<api::ResourceFlavor>(), "", "spot"};
        if (cluster_.find(spot) == nullptr) {
            cluster_.put("{'kind':'ResourceFlavor','metadata':{'name':'spot'}}");
        } else if (prng_.chance(20)) {
            remove(spot);
        }
    }
    void put_job() {
        const auto name = job_name();
        if (cluster_.find({kind_of<api::Job>(), "ns", name}) == nullptr) {
            cluster_.put(fmt::format(
                R"({{'kind':'Job','metadata':{{'name':'{}','namespace':'ns','labels':{{
                'kueue.x-k8s.io/queue-name':'{}'}}}},'spec':{{'parallelism':{},'completions':4,
                'suspend':true,'template':{{'spec':{{'restartPolicy':'Never','containers':[
                {{'name':'c','image':'i','resources':{{'requests':{{'cpu':'{}'}}}}}}]}}}}}}}})",
                name,
                pick(prng_, kQueues),
                1 + prng_.below(3),
                1 + prng_.below(3)
            ));
        }
    }
    void finish_job() {
        const ObjectKey key{kind_of<api::Job>(), "ns", job_name()};
        if (cluster_.find(key) != nullptr) {
            cluster_.merge(key, "{'status':{'conditions':[{'type':'Complete','status':'True'}]}}");
        }
    }
    void remove(const ObjectKey& key) {
        if (cluster_.find(key) != nullptr) {
            cluster_.remove(key);
            if (key.kind == kind_of<api::Cohort>()) {
                deleted_cohorts_.insert(key.name);
            }
        }
    }

    MiniCluster& cluster_;
    Prng prng_;
    std::set<std::string> deleted_cohorts_;
};

/// The lines of all gauges that say what is, not what has happened.
std::set<std::string> gauges(const std::string& page) {
    std::set<std::string> lines;
    std::istringstream in(page);
    bool is_gauge = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("# TYPE")) {
            is_gauge = line.ends_with(" gauge") &&
                       line.find("admission_cycle_preemption_skips") == std::string::npos;
        } else if (is_gauge && !line.starts_with('#')) {
            lines.insert(line);
        }
    }
    return lines;
}

MetricsReporter::Parts parts_of(MiniCluster& cluster) {
    const auto& controller = cluster.controller();
    return {
        .stores = controller.stores,
        .translator = controller.translator,
        .state = controller.state,
        .cluster_queue_resources = true
    };
}

bool is_of_cohort(const std::string& line, const std::set<std::string>& cohorts) {
    return std::ranges::any_of(cohorts, [&](const std::string& cohort) {
        return line.starts_with("kueue_cohort_") &&
               line.find("{cohort=\"" + cohort + "\"") != std::string::npos;
    });
}

std::string difference(
    const std::set<std::string>& a,
    const std::set<std::string>& b,
    const std::set<std::string>& deleted_cohorts
) {
    std::string lines;
    for (const auto& line : a) {
        lines += b.contains(line) ? "" : "kept:  " + line + "\n";
    }
    for (const auto& line : b) {
        const bool is_missed = !a.contains(line) && !is_of_cohort(line, deleted_cohorts);
        lines += is_missed ? "fresh: " + line + "\n" : "";
    }
    return lines;
}

}  // namespace

TEST_CASE("gauges that are kept say what they would say if worked out anew", "[metrics]") {
    const auto seed = GENERATE(range(1, 13));
    CAPTURE(seed);
    engine::Options options;
    options.fair_sharing = seed % 2 == 0;
    MiniCluster cluster(static_cast<std::uint64_t>(seed), options);
    MetricsReporter kept(parts_of(cluster));
    cluster.metrics = &kept;
    User user(cluster, static_cast<std::uint64_t>(seed));
    Prng prng(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 60; ++i) {
        user.act();
        // Now and then in the middle of things.
        if (prng.chance(70)) {
            cluster.settle();
        } else {
            for (int step = 0; step < 10; ++step) {
                cluster.tick();
            }
        }
        if (cluster.controller().state.tree().is_stale()) {
            continue;  // its cohorts are reported when they are worked out
        }
        refresh(kept);
        MetricsReporter fresh(parts_of(cluster));
        refresh(fresh);
        const auto differences =
            difference(gauges(kept.print()), gauges(fresh.print()), user.deleted_cohorts());
        CAPTURE(i, differences);
        REQUIRE(differences.empty());
    }
}

TEST_CASE("a page is printed on another thread, without stores and engine", "[metrics]") {
    auto cluster = std::make_unique<MiniCluster>();
    MetricsReporter reporter(parts_of(*cluster));
    cluster->metrics = &reporter;
    User user(*cluster, 1);
    cluster->settle();
    refresh(reporter);
    const std::string page = reporter.print();
    REQUIRE(page.find("kueue_cluster_queue_status") != std::string::npos);
    cluster.reset();
    std::string other;
    std::thread thread([&] { other = reporter.print(); });
    thread.join();
    CHECK(other == page);
}

TEST_CASE("a replica that becomes leader reports all its gauges anew", "[metrics]") {
    MiniCluster cluster;
    MetricsReporter reporter(parts_of(cluster));
    cluster.metrics = &reporter;
    User user(cluster, 1);
    cluster.settle();
    reporter.set_role("follower");
    refresh(reporter);
    const auto before = gauges(reporter.print());
    reporter.set_role("leader");
    refresh(reporter);
    std::set<std::string> expected;
    for (std::string line : before) {
        const auto at = line.find("follower");
        expected.insert(at == std::string::npos ? line : line.replace(at, 8, "leader"));
    }
    CHECK(difference(gauges(reporter.print()), expected, {}).empty());
}

}  // namespace sluice::controller
