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

/// An embedded API server on a thread of its own, reached over HTTPS on the loopback, with a
/// simulated cluster around it.
class EmbeddedCluster {
  public:
    struct Options {
        std::uint16_t port = 0;  ///< 0: any free one
        std::uint64_t seed = 1;
        std::vector<std::string> nodes;  ///< descriptions, as sim::make_nodes() reads them
        sim::Pace pace{};
        Duration job_batch{};        ///< see sim::SimulatedCluster::Options
        bool is_simulated = true;    ///< else there is the API server alone
        bool has_controller = true;  ///< in this process; see apiserver::ApiServer::Options
        /// What is there from the start; nodes that are there are not made again.
        std::optional<apiserver::StoreImage> image{};
    };

    /// Listens at once. Errors: Invalid for a description of nodes; Unavailable when the port is
    /// taken.
    static Result<std::unique_ptr<EmbeddedCluster>> start(Options options, const Clock& clock);
    ~EmbeddedCluster();
    EmbeddedCluster(const EmbeddedCluster&) = delete;
    EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

    std::uint16_t port() const { return endpoint_->port(); }
    /// How clients reach it, a kubeconfig as JSON, in the name of `user` ("": the administrator).
    std::string kubeconfig(const std::string& user = "") const {
        return endpoint_->kubeconfig(user);
    }
    /// Applies an object as `kubectl apply --server-side` does. Errors: what the server says.
    /// Thread: any but the server's.
    Result<void> apply(const json::Value& object);
    /// As apply(), such that a later `kubectl apply` of the manifest works as after one of its own.
    Result<void> apply_manifest(const json::Value& object);
    /// The answer to a request. Thread: any but the server's.
    apiserver::Response request(apiserver::Request request);
    /// Lets a function look at everything that is there. Thread: any but the server's, on which the
    /// function is called.
    void look(const std::function<void(const apiserver::State&)>& function);

  private:
    EmbeddedCluster(Options options, const Clock& clock);
    Result<void> listen();
    void publish_authority();
    bool has_node(const json::Value& node) const;
    boost::asio::awaitable<void> simulate();
    /// A request of the simulated cluster, webhooks asked.
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
