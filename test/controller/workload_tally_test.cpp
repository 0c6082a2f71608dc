#include "controller/process/metrics/workload_tally.hpp"

#include "api/meta/codec.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace sluice::controller {
namespace {

const workload::TranslationGates kGates;

/// A Workload of LocalQueue main that ClusterQueue cq gave that much cpu; "": none yet.
api::Workload make_workload(const std::string& cpu, const std::string& more_status = "") {
    std::string text = R"({'metadata':{'namespace':'ns','name':'w'},'spec':{'queueName':'main',
        'active':true,'podSets':[{'name':'main','count':1}]},'status':{)";
    if (!cpu.empty()) {
        text += R"('admission':{'clusterQueue':'cq','podSetAssignments':[{'name':'main','count':1,
            'flavors':{'cpu':'spot'},'resourceUsage':{'cpu':')" +
                cpu + R"('}}]},
            'conditions':[{'type':'QuotaReserved','status':'True','reason':'QuotaReserved'})" +
                more_status + "]";
    }
    text += "}}";
    std::ranges::replace(text, '\'', '"');
    auto workload = api::decode<api::Workload>(text);
    REQUIRE(workload);
    return *workload;
}

std::int64_t reserved(const WorkloadTally& tally) {
    const auto& amounts = tally.of_cluster_queue("cq").reservation;
    const auto found = amounts.find({"spot", "cpu"});
    return found == amounts.end() ? -1 : to_amount(found->second.sum);
}

}  // namespace

TEST_CASE("a workload counts as it is now, and not at all when it is gone", "[metrics]") {
    const metrics::CustomLabels custom;
    WorkloadTally tally(kGates, custom);
    const auto waiting = make_workload("");
    const auto holding = make_workload("2");
    const auto admitted =
        make_workload("2", ",{'type':'Admitted','status':'True','reason':'Admitted'}");
    tally.changed(nullptr, &waiting);
    CHECK(tally.of_local_queue("ns", "main").queueable == 1);
    CHECK(tally.of_local_queue("ns", "main").unadmitted.size() == 1);
    tally.changed(&waiting, &holding);
    CHECK(tally.of_local_queue("ns", "main").queueable == 0);
    CHECK(tally.of_cluster_queue("cq").reserving == 1);
    CHECK(tally.of_cluster_queue("cq").admitted == 0);
    CHECK(reserved(tally) == 2000);
    tally.changed(&holding, &admitted);
    CHECK(tally.of_cluster_queue("cq").reserving == 1);
    CHECK(tally.of_cluster_queue("cq").admitted == 1);
    CHECK(tally.of_local_queue("ns", "main").holders.at("cq").admitted == 1);
    CHECK(tally.of_local_queue("ns", "main").unadmitted.empty());
    tally.changed(&admitted, nullptr);
    CHECK(tally.of_cluster_queue("cq").reserving == 0);
    CHECK(tally.of_local_queue("ns", "main").workloads == 0);
    CHECK(reserved(tally) == -1);
}

TEST_CASE("sums beyond all measure are cut off and come back exactly", "[metrics]") {
    const metrics::CustomLabels custom;
    WorkloadTally tally(kGates, custom);
    const auto huge = make_workload("9000000000000000");  // cores, in thousandths nearly 2^63
    const auto small = make_workload("3");
    tally.changed(nullptr, &small);
    for (int i = 0; i < 5; ++i) {
        tally.changed(nullptr, &huge);
    }
    CHECK(reserved(tally) == std::numeric_limits<std::int64_t>::max());
    for (int i = 0; i < 5; ++i) {
        tally.changed(&huge, nullptr);
    }
    CHECK(reserved(tally) == 3000);
}

TEST_CASE("what requests nothing is counted until it goes", "[metrics]") {
    const metrics::CustomLabels custom;
    WorkloadTally tally(kGates, custom);
    const auto nothing = make_workload("0");
    tally.changed(nullptr, &nothing);
    tally.changed(nullptr, &nothing);
    CHECK(reserved(tally) == 0);
    tally.changed(&nothing, nullptr);
    CHECK(reserved(tally) == 0);
    tally.changed(&nothing, nullptr);
    CHECK(reserved(tally) == -1);
}

}  // namespace sluice::controller
