#include "base/log.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <string>

namespace sluice::controller {
namespace {

double processor_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Cost {
    double admitted = 0;  ///< seconds until the last pod has lost its gate
    double ended = 0;     ///< seconds from there until the last finalizer is gone
    std::uint64_t reconciles = 0;
};

/// Plays so many pods of a millicore from creation to their end.
Cost play(int count, bool are_group) {
    MiniCluster cluster;
    cluster.rows_max = 64;
    start_with_pods(cluster);
    const double start = processor_seconds();
    for (int i = 0; i < count; ++i) {
        const std::string name = fmt::format("p{}", i);
        PodText pod = are_group ? group_pod(name, count) : PodText{.name = name};
        pod.cpu = "0";
        put_pod(cluster, pod);
    }
    cluster.settle(std::chrono::minutes(5));
    const double admitted = processor_seconds();
    for (int i = 0; i < count; ++i) {
        const std::string name = fmt::format("p{}", i);
        if (is_pod_gated(cluster, name)) {
            fmt::print(stderr, "{} has kept its gate\n", name);
            return {};
        }
        set_pod_status(cluster, name, "'phase':'Succeeded'");
    }
    cluster.settle(std::chrono::minutes(5));
    for (int i = 0; i < count; ++i) {
        if (holds_pod(cluster, fmt::format("p{}", i))) {
            fmt::print(stderr, "p{} has kept its finalizer\n", i);
            return {};
        }
    }
    return {
        admitted - start,
        processor_seconds() - admitted,
        cluster.controller().runner.work().at("v1_pod").taken
    };
}

}  // namespace
}  // namespace sluice::controller

/// Prints what pods cost, by their number: the whole controller and the API server of maps below
/// it.
int main(int argc, char** argv) {
    CLI::App app("What many pods cost");
    bool are_group = false;
    std::vector<int> counts = {1000, 2000, 5000, 10'000};
    app.add_flag("--group", are_group, "all are one group; else each is by itself");
    app.add_option("counts", counts, "how many");
    CLI11_PARSE(app, argc, argv);
    sluice::log::set_level(sluice::log::Level::Error);
    fmt::print("{:>8} {:>14} {:>14} {:>12}\n", "pods", "admitted (ms)", "ended (ms)", "reconciles");
    for (const int count : counts) {
        const auto cost = sluice::controller::play(count, are_group);
        if (cost.reconciles == 0) {
            return 1;
        }
        const auto each = [count](double seconds) { return seconds * 1000 / count; };
        fmt::print(
            "{:>8} {:>10.3f}/pod {:>10.3f}/pod {:>12}\n",
            count,
            each(cost.admitted),
            each(cost.ended),
            cost.reconciles
        );
    }
    return 0;
}
