// A cluster in real time for `sluice dev`: embedded API server, simulated nodes, pods and jobs.
#pragma once

#include "apiserver/api_server.hpp"
#include "apiserver/state/snapshot.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/commands/cluster/api_endpoint.hpp"
#include "net/loop/event_loop.hpp"
#include "sim/cluster.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::commands {

/// An embedded API server in its own thread, served over HTTPS on the loopback interface, with a
/// simulated cluster around it.
class EmbeddedCluster {
  public:
    struct Options {
        std::uint16_t port = 0;  ///< 0: any free port
        std::uint64_t seed = 1;
        std::vector<std::string> nodes;  ///< descriptions or files, see read_nodes()
        sim::Pace pace{};
        Duration job_batch{};        ///< see sim::SimulatedCluster::Options
        bool is_simulated = true;    ///< false: only the API server
        bool has_controller = true;  ///< true: in this process; see apiserver::ApiServer::Options
        /// The objects that exist from the start; nodes among them are not created again.
        std::optional<apiserver::StoreImage> image{};
    };

    /// Starts to listen immediately. Errors: Invalid for a node description; Unavailable if the
    /// port is in use.
    static Result<std::unique_ptr<EmbeddedCluster>> start(Options options, const Clock& clock);
    ~EmbeddedCluster();
    EmbeddedCluster(const EmbeddedCluster&) = delete;
    EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

    std::uint16_t port() const { return endpoint_->port(); }
    /// Returns a kubeconfig, as JSON, for clients; they impersonate `user`, or act as the
    /// administrator if it is empty.
    std::string kubeconfig(const std::string& user = "") const {
        return endpoint_->kubeconfig(user);
    }
    /// Applies an object as `kubectl apply --server-side` does. Errors: Invalid, with the server's
    /// message. Thread: any but the server's.
    Result<void> apply(const json::Value& object);
    /// Does the same as apply(), and adds the annotation that a later `kubectl apply` of the
    /// manifest compares with.
    Result<void> apply_manifest(const json::Value& object);
    /// Sends a request and returns the response. Thread: any but the server's.
    apiserver::Response request(apiserver::Request request);
    /// Calls a function with all objects, on the server's thread, and waits for it. Thread: any but
    /// the server's.
    void look(const std::function<void(const apiserver::State&)>& function);

  private:
    EmbeddedCluster(Options options, const Clock& clock);
    Result<void> listen();
    void publish_authority();
    bool has_node(const json::Value& node) const;
    boost::asio::awaitable<void> simulate();
    /// Sends a request of the simulated cluster, through the webhooks.
    boost::asio::awaitable<void> send(
        apiserver::Request request, sim::SimulatedCluster::Answered answered
    );

    Options options_;
    const Clock& clock_;
    net::LoopThread thread_;
    std::unique_ptr<apiserver::ApiServer> server_;
    std::unique_ptr<ApiEndpoint> endpoint_;
    std::unique_ptr<sim::SimulatedCluster> cluster_;
    std::unique_ptr<net::Notifier> changed_;
};

}  // namespace sluice::commands
