#include "controller/reconcilers/workload_reports.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;
using engine::Amount;

std::map<std::string, std::string> lacking(std::int64_t could, int workloads = 1) {
    std::vector<workload::UnplaceablePods> made;
    for (int i = 0; i < workloads; ++i) {
        made.push_back({
            .workload = fmt::format("team/w{}", i),
            .cluster_queue = "q",
            .pod_set = "main",
            .is_admitted = false,
            .pods = 8,
            .request = {{"nvidia.com/gpu", Amount(8)}, {"pods", Amount(1)}},
            .fit = could,
            .could = could,
        });
    }
    return problems_of(made, {});
}

const Time kStart{1'700'000'000s};

}  // namespace

TEST_CASE("a workload is told after two minutes that its pods do not fit", "[beyond_nodes]") {
    WorkloadReports news;
    CHECK(news.observe(lacking(5), kStart).empty());
    CHECK(news.observe(lacking(5), kStart + 119s).empty());
    const auto told = news.observe(lacking(5), kStart + 120s);
    REQUIRE(told.size() == 1);
    CHECK(told.front().workload == "team/w0");
    CHECK(
        told.front().words == "main: needs 8 x 8 nvidia.com/gpu on one node each; nodes have 5 such"
    );
    CHECK(news.observe(lacking(5), kStart + 150s).empty());
    CHECK(news.observe(lacking(4), kStart + 180s).size() == 1);
    CHECK(news.observe(lacking(4), kStart + 180s + 59min).empty());
    CHECK(news.observe(lacking(4), kStart + 180s + 1h).size() == 1);
}

TEST_CASE("nodes that are away for a moment are not told", "[beyond_nodes]") {
    WorkloadReports news;
    for (int minute = 0; minute < 30; ++minute) {
        const Time now = kStart + minute * 60s;
        CHECK(news.observe(minute % 2 == 0 ? lacking(0) : lacking(0, 0), now).empty());
    }
}

TEST_CASE("many workloads are told a hundred at a time", "[beyond_nodes]") {
    WorkloadReports news;
    news.observe(lacking(5, 250), kStart);
    std::size_t told = 0;
    for (const auto expected : {100U, 100U, 50U, 0U}) {
        const auto now = news.observe(lacking(5, 250), kStart + 3min);
        CHECK(now.size() == expected);
        told += now.size();
    }
    CHECK(told == 250);
}

TEST_CASE("admitted pods that find no node are named, once", "[beyond_nodes]") {
    const workload::UnplaceablePods running{
        .workload = "team/w0",
        .cluster_queue = "q",
        .pod_set = "main",
        .is_admitted = true,
        .pods = 8,
        .request = {{"nvidia.com/gpu", Amount(8)}},
        .fit = 5,
        .could = 8,
    };
    workload::UnplaceablePods pending = running;
    pending.workload = "team/pending";
    pending.is_admitted = false;
    workload::UnplaceablePods beyond = running;
    beyond.workload = "team/beyond";
    beyond.could = 2;
    const auto problems = problems_of({beyond}, {running, pending, beyond});
    REQUIRE(problems.size() == 2);
    CHECK(
        problems.at("team/w0") ==
        "main: needs 8 x 8 nvidia.com/gpu on one node each; 3 find no node"
    );
    CHECK(
        problems.at("team/beyond") ==
        "main: needs 8 x 8 nvidia.com/gpu on one node each; nodes have 2 such"
    );
}

}  // namespace sluice::controller
