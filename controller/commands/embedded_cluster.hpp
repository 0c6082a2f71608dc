#pragma once

#include "apiserver/api_server.hpp"
#include "apiserver/http_front.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/event_loop.hpp"
#include "net/http_server.hpp"
#include "sim/cluster.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::commands {

/// An embedded API server on a thread of its own, reached over HTTPS on the loopback, with a
/// simulated cluster around it.
class EmbeddedCluster {
  public:
    /// Of its cluster, user and context in the kubeconfig.
    static constexpr const char* kName = "sluice-dev";

    struct Options {
        std::uint16_t port = 0;  ///< 0: any free one
        std::uint64_t seed = 1;
        std::vector<std::string> nodes;  ///< descriptions, as sim::make_nodes() reads them
        Duration run_time = std::chrono::seconds(30);
        Duration job_batch{};      ///< see sim::SimulatedCluster::Options
        bool is_simulated = true;  ///< else there is the API server alone
    };

    /// Listens at once. Errors: Invalid for a description of nodes; Unavailable when the port is
    /// taken.
    static Result<std::unique_ptr<EmbeddedCluster>> start(Options options, const Clock& clock);
    ~EmbeddedCluster();
    EmbeddedCluster(const EmbeddedCluster&) = delete;
    EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

    std::uint16_t port() const;
    /// How clients reach it, a kubeconfig as JSON.
    std::string kubeconfig() const;
    /// Applies an object as `kubectl apply --server-side` does. Errors: what the server says.
    /// Thread: any but the server's.
    Result<void> apply(const json::Value& object);
    /// The answer to a request. Thread: any but the server's.
    apiserver::Response request(apiserver::Request request);

  private:
    EmbeddedCluster(Options options, const Clock& clock);
    Result<void> listen();
    boost::asio::awaitable<void> simulate();
    /// A request of the simulated cluster, webhooks asked.
    boost::asio::awaitable<void> send(
        apiserver::Request request, sim::SimulatedCluster::Answered answered
    );

    Options options_;
    const Clock& clock_;
    std::string token_;
    std::string authority_;
    net::LoopThread thread_;
    std::unique_ptr<apiserver::ApiServer> server_;
    std::unique_ptr<apiserver::HttpFront> front_;
    std::unique_ptr<net::HttpServer> http_;
    std::unique_ptr<sim::SimulatedCluster> cluster_;
    std::unique_ptr<net::Notifier> changed_;
};

}  // namespace sluice::commands
