// A cluster on virtual time, served over HTTPS and advanced in steps, for `sluice dev --step`.
#pragma once

#include "apiserver/state/store.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/commands/cluster/api_endpoint.hpp"
#include "controller/commands/cluster/virtual_cluster.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sluice::commands {

/// A VirtualCluster that clients reach over HTTPS, and whose time advances only in steps.
///
/// API server, simulated cluster and controller share one thread and one clock, without sockets
/// between them. Therefore a step is complete when nothing can happen until time advances: no one
/// has to guess whether a response is still on its way. Only requests of clients and responses of
/// their webhooks arrive in real time. Thread: one.
class SteppedCluster {
  public:
    struct Options {
        VirtualCluster::Options cluster;  ///< if foreign_webhooks is not set: over HTTP
        std::uint16_t port = 0;           ///< 0: any free port
        std::stop_token stop{};           ///< stops running steps and waits
    };

    /// Starts to listen, with a controller that is ready. Errors: those of VirtualCluster and
    /// ApiEndpoint.
    static Result<std::unique_ptr<SteppedCluster>> start(Options options);
    ~SteppedCluster();
    SteppedCluster(const SteppedCluster&) = delete;
    SteppedCluster& operator=(const SteppedCluster&) = delete;

    /// Applies an object as `kubectl apply --server-side` does, with the annotation that a later
    /// `kubectl apply` compares with. Errors: Invalid, with the server's message; Canceled if a
    /// stop is requested.
    Result<void> apply(const json::Value& object);
    /// Runs everything that is due now, and the controller's reactions to it.
    void react() { cluster_->run_reactions(); }
    /// Advances time by `duration`, and reacts.
    void step(Duration duration);
    /// Result of step_to_next().
    enum class Due : std::uint8_t { Nothing, Done, Fruitless };
    /// Advances time to the next event of the simulation or deadline of the controller, and reacts.
    /// Returns Nothing if there is neither, and Fruitless if several of them passed and changed
    /// nothing.
    Due step_to_next();
    /// Waits until a client changes an object, wake() is called, or a stop is requested.
    void wait();
    /// Calls the function on the cluster's thread, and ends wait(). Thread: any.
    void wake(std::function<void()> function);

    Time now() const { return cluster_->now(); }
    std::uint16_t port() const { return endpoint_->port(); }
    std::string kubeconfig() const { return endpoint_->kubeconfig(); }
    /// Returns the Events since the last call, one per line.
    std::vector<std::string> take_events();

  private:
    SteppedCluster(Options options, std::unique_ptr<ApiEndpoint> endpoint);
    Result<void> set_up();
    void note(const apiserver::Collection& collection, const apiserver::LogEntry& entry);
    using Answer = std::shared_ptr<std::optional<apiserver::Response>>;
    boost::asio::awaitable<void> answer_into(apiserver::Request request, Answer answer);
    boost::asio::awaitable<void> close(bool* is_closed);

    Options options_;
    std::stop_source ending_;  ///< requested by the stop of the options, or by the destructor
    std::stop_callback<std::function<void()>> on_stop_;
    std::unique_ptr<VirtualCluster> cluster_;
    std::unique_ptr<ApiEndpoint> endpoint_;
    std::unique_ptr<net::TaskGroup> requests_;
    std::vector<std::string> events_;
    bool has_changed_ = false;  ///< since wait() returned
    bool is_waiting_ = false;
};

}  // namespace sluice::commands
