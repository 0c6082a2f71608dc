#pragma once

#include "apiserver/api_server.hpp"
#include "apiserver/in_process_client.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/process/controller_process.hpp"
#include "net/event_loop.hpp"
#include "net/task_group.hpp"
#include "net/virtual_time.hpp"
#include "sim/cluster.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::commands {

/// A cluster with the whole controller in one thread on virtual time: an embedded API server, a
/// simulated cluster around it, and the controller as it runs in production, without sockets. The
/// same calls with the same seed have the same course. Thread: one, which has no other VirtualTime.
class VirtualCluster {
  public:
    /// 2030-01-01 00:00 UTC.
    static constexpr Time kStart{std::chrono::seconds(1'893'456'000)};
    /// Of pods that run for ever: longer than any run.
    static constexpr Duration kForever = std::chrono::hours(24 * 365 * 50);

    struct Options {
        std::uint64_t seed = 1;
        Time start = kStart;
        std::vector<std::string> nodes;  ///< descriptions, as sim::make_nodes() reads them
        Duration run_time = kForever;    ///< of pods that do not say how long
        std::string config_file;         ///< of the controller; "": as make_configuration()
        std::string feature_gates;
        /// Asked before each request of the controller.
        std::function<std::optional<apiserver::InProcessClient::Fault>(const kube::Request&)>
            fault = {};
    };

    /// The cluster with Kueue's definitions, without controller. Errors: Invalid for nodes,
    /// configuration or feature gates.
    static Result<std::unique_ptr<VirtualCluster>> make(Options options);
    ~VirtualCluster();
    VirtualCluster(const VirtualCluster&) = delete;
    VirtualCluster& operator=(const VirtualCluster&) = delete;

    /// Starts a controller and waits until it is ready. Errors: Timeout. Requires: none runs.
    Result<void> start_controller();
    /// Ends the controller as SIGKILL does: nothing that it does from now on has an effect.
    void kill_controller();
    bool has_controller() const { return process_ != nullptr; }

    /// Applies an object as `kubectl apply --server-side` does, webhooks included. Errors: what the
    /// server says.
    Result<void> apply(const json::Value& object);
    /// The answer to a request of a user.
    apiserver::Response request(apiserver::Request request);

    /// Does what can be done now; time stands still.
    void run_ready();
    /// Lets so much time pass.
    void run_for(Duration duration);
    /// Goes on until nothing but Events and Leases was written for `quiet` and no pod is about to
    /// change, for at most `limit`; whether it came to that.
    bool settle(Duration quiet, Duration limit);

    Time now() const { return time_.now(); }
    const apiserver::State& state() const { return server_->state(); }
    apiserver::State& state() { return server_->state(); }
    sim::SimulatedCluster& cluster() { return *cluster_; }
    net::EventLoop& loop() { return *loop_; }

  private:
    explicit VirtualCluster(Options options);
    Result<void> set_up();
    boost::asio::awaitable<Result<json::Value>> call_webhook(apiserver::WebhookCall call);
    boost::asio::awaitable<void> answer_into(
        apiserver::Request request, std::optional<apiserver::Response>* response
    );
    boost::asio::awaitable<void> send(
        apiserver::Request request, sim::SimulatedCluster::Answered answered
    );
    boost::asio::awaitable<void> run_process(controller::ControllerProcess* process, bool* ended);
    /// To the next moment at which something waits, but not beyond `limit`.
    void move(Time limit);

    Options options_;
    net::VirtualTime time_;
    std::unique_ptr<net::EventLoop> loop_;
    std::unique_ptr<net::TaskGroup> tasks_;
    std::unique_ptr<apiserver::ApiServer> server_;
    std::unique_ptr<sim::SimulatedCluster> cluster_;
    apiserver::WebhookTransport transport_;
    Time changed_{};  ///< the last write that settle() is about
    std::uint64_t starts_ = 0;
    bool is_cut_ = false;  ///< the client's connection: nothing comes through
    bool is_process_over_ = false;
    std::unique_ptr<apiserver::InProcessClient> client_;
    std::unique_ptr<controller::ControllerProcess> process_;
};

}  // namespace sluice::commands
