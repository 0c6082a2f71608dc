#include "controller/commands/controller/controller.hpp"
#include "controller/reconcile/workload_name.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::controller {

TEST_CASE("a workload is named as upstream names it", "[controller]") {
    const std::string uid = "11111111-2222-3333-4444-555555555555";
    CHECK(workload_name("Job", "batch", "sample-job", uid) == "job-sample-job-fad91");
    const std::string long_name = workload_name("Job", "batch", std::string(250, 'a'), "u");
    CHECK(long_name == "job-" + std::string(243, 'a') + "-1c8a1");
    CHECK(long_name.size() == 253);
    CHECK(workload_name("Pod", "", "p", "u") == "pod-p-916b0");
    CHECK(workload_name("Job", "batch", std::string(250, 'a'), "u", 63).size() == 63);
}

TEST_CASE("--controllers chooses as kube-controller-manager does", "[controller]") {
    const auto all = commands::controller_names();
    CHECK(*commands::parse_controllers("*") == all);
    auto without = all;
    without.erase("scheduler");
    CHECK(*commands::parse_controllers("*,-scheduler") == without);
    CHECK(*commands::parse_controllers("-scheduler,*") == without);
    CHECK(*commands::parse_controllers("job,workload") == std::set<std::string>{"job", "workload"});
    CHECK(commands::parse_controllers("job,-job")->size() == 1);
    const auto unknown = commands::parse_controllers("jobz");
    REQUIRE(!unknown);
    CHECK(unknown.error().detail.find("\"jobz\"") != std::string::npos);
}

TEST_CASE("--controllers knows groups, some of them without a controller yet", "[controller]") {
    const auto jobs = *commands::parse_controllers("jobs");
    for (const char* name : {"job", "jobset", "mpijob", "rayjob", "jobkinds"}) {
        CHECK(jobs.contains(name));
    }
    CHECK(!jobs.contains("clusterqueue"));
    CHECK(*commands::parse_controllers("tas") == std::set<std::string>{"topology"});
    CHECK(*commands::parse_controllers("multikueue") == std::set<std::string>());
    CHECK(
        *commands::parse_controllers("scheduler,core,jobs,elasticjobs,tas") ==
        commands::controller_names()
    );
    CHECK(
        *commands::parse_controllers("-jobs,*,-core,-elasticjobs,-tas") ==
        std::set<std::string>{"scheduler"}
    );
}

}  // namespace sluice::controller
