#pragma once

#include "apiserver/api_server.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/cluster.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::test {

/// An embedded API server with a simulated cluster of one node `node`, whose time the test moves.
/// Pods run for 30 seconds unless they say otherwise.
class ClusterWorld {
  public:
    explicit ClusterWorld(sim::SimulatedCluster::Options options = {});

    /// Creates the object that the YAML says, in its namespace or `default`, and lets the cluster
    /// go on; it must be accepted.
    void create_yaml(std::string_view yaml);
    void create(const json::Value& object);
    /// Defines a kind whose objects may say anything; its plural has an s at its end.
    void define(std::string_view api_version, std::string_view kind);
    /// A request with a YAML body, after which the cluster goes on; it must be accepted.
    json::Value send(
        std::string_view method,
        const std::string& path,
        std::string_view yaml = {},
        std::string_view type = "application/merge-patch+json"
    );
    /// Moves the time, in steps of what the cluster waits for.
    void pass(Duration time);

    /// What the server alone says to a request; the cluster does nothing yet.
    apiserver::Response handle(apiserver::Request request) {
        return server_.handle(std::move(request), now_);
    }
    /// Lets the cluster go on.
    void settle() { cluster_.run(now_); }
    /// The same for one round of it.
    void settle_round() { cluster_.run_round(now_); }
    bool is_idle() const { return !cluster_.has_work(); }
    Time now() const { return now_; }

    /// The object at a path of the API, null where there is none.
    json::Value get(const std::string& path);
    /// All of a collection, by name.
    std::vector<json::Value> list(const std::string& path);
    std::vector<json::Value> pods() { return list("/api/v1/namespaces/default/pods"); }
    /// Their names, in order.
    std::vector<std::string> pod_names();
    /// Reasons of all events on objects of the kind, oldest first.
    std::vector<std::string> events(std::string_view kind);

  private:
    apiserver::Response ask(
        std::string_view method,
        const std::string& path,
        std::string_view body,
        std::string_view type
    );

    Time now_;
    apiserver::ApiServer server_;
    sim::SimulatedCluster cluster_;
};

}  // namespace sluice::test
