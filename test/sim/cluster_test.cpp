#include "sim/cluster.hpp"

#include "api/micro_time.hpp"
#include "sim/fields.hpp"
#include "sim/node_spec.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::sim {

namespace {

constexpr std::string_view kJobs = "/apis/batch/v1/namespaces/default/jobs";
constexpr std::string_view kJob =
    R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"completions":2,)"
    R"("parallelism":2,"template":{"spec":{"restartPolicy":"Never","containers":)"
    R"([{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}}})";

/// A server with a simulated cluster around it, at a time that the test moves.
struct World {
    Time now = *api::parse_time("2026-01-01T00:00:00Z");
    apiserver::ApiServer server{{}, now};
    SimulatedCluster cluster{server, {.run_time = std::chrono::seconds(30)}};

    json::Value ask(std::string_view method, std::string_view target, std::string_view body = {}) {
        apiserver::Request request = apiserver::make_request(method, target);
        request.content_type = "application/json";
        request.body = body;
        return *json::parse(server.handle(std::move(request), now).body);
    }
    void add_nodes(std::string_view description) {
        const auto nodes = make_nodes(description);
        REQUIRE(nodes);
        for (const json::Value& node : *nodes) {
            cluster.add_node(node, now);
        }
        cluster.run(now);
    }
    void run_for(std::chrono::seconds duration) {
        for (const Time end = now + duration; now <= end; now += std::chrono::seconds(1)) {
            cluster.run(now);
        }
    }
};

}  // namespace

TEST_CASE("a Job runs on the nodes of the simulated cluster and completes", "[sim][cluster]") {
    World world;
    world.add_nodes("node: 2x cpu=1,memory=1Gi");
    const json::Value node = world.ask("GET", "/api/v1/nodes/node-1");
    CHECK(list_at(node, {"spec", "taints"}).empty());
    world.ask("POST", kJobs, kJob);
    world.run_for(std::chrono::seconds(5));
    const json::Value pods = world.ask("GET", "/api/v1/namespaces/default/pods");
    REQUIRE(list_at(pods, {"items"}).size() == 2);
    for (const json::Value& pod : list_at(pods, {"items"})) {
        CHECK(text_at(pod, {"spec", "nodeName"}).starts_with("node-"));
        CHECK(text_at(pod, {"status", "phase"}) == "Running");
    }
    world.run_for(std::chrono::seconds(60));
    const json::Value job = world.ask("GET", std::string(kJobs) + "/j");
    const json::Value* complete =
        find_element(list_at(job, {"status", "conditions"}), "type", "Complete");
    REQUIRE(complete != nullptr);
    CHECK(complete->string_at("status") == "True");
}

TEST_CASE("taints that a node is given keep pods off it", "[sim][cluster]") {
    World world;
    world.add_nodes("node: 2x cpu=4,taint:gpu=yes:NoSchedule");
    world.ask("POST", kJobs, kJob);
    world.run_for(std::chrono::seconds(5));
    const json::Value node = world.ask("GET", "/api/v1/nodes/node-1");
    REQUIRE(list_at(node, {"spec", "taints"}).size() == 1);
    CHECK(list_at(node, {"spec", "taints"}).front().string_at("key") == "gpu");
    const json::Value pods = world.ask("GET", "/api/v1/namespaces/default/pods");
    REQUIRE(list_at(pods, {"items"}).size() == 2);
    CHECK(text_at(list_at(pods, {"items"}).front(), {"spec", "nodeName"}).empty());
}

}  // namespace sluice::sim
