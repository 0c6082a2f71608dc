// A cluster with controller replicas in one thread on virtual time, for tests and simulations.
#pragma once

#include "apiserver/api_server.hpp"
#include "apiserver/http/answer.hpp"
#include "apiserver/http/in_process_client.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/commands/cluster/cluster_setup.hpp"
#include "controller/commands/cluster/virtual_replica.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/loop/virtual_time.hpp"
#include "sim/cluster.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sluice::commands {

/// A cluster with the whole controller in one thread on virtual time: an embedded API server, a
/// simulated cluster around it, and replicas of the controller as it runs in production, without
/// sockets. Equal calls with an equal seed give equal results. Thread: one, which must have no
/// other VirtualTime.
class VirtualCluster {
  public:
    /// 2030-01-01 00:00 UTC.
    static constexpr Time kStart{std::chrono::seconds(1'893'456'000)};
    /// Run time of pods that run forever: longer than any simulation.
    static constexpr Duration kForever = sim::kForever;

    struct Options {
        std::uint64_t seed = 1;
        Time start = kStart;
        std::vector<std::string> nodes;         ///< descriptions or files, see read_nodes()
        std::vector<json::Value> node_objects;  ///< additional Nodes
        Duration run_time = kForever;           ///< of pods without the annotation for it
        json::Value configuration = make_configuration();  ///< of the controllers
        std::string root_ca{};                             ///< see apiserver::ApiServer::Options
        std::string administrator_token{};                 ///< see apiserver::ApiServer::Options
        /// How webhooks with a URL are called; if it is not set, the controllers answer them too.
        /// These calls take real time, during which virtual time does not advance.
        apiserver::WebhookTransport foreign_webhooks = {};
        /// Once a stop is requested, time advances even if a foreign webhook has not answered.
        std::stop_token stop{};
        std::string journal_folder{};  ///< exists; each replica records into a folder of its own
        bool with_lease = false;       ///< false: there is at most one replica, without a lease
        /// Called before each request of a controller; it may return a fault.
        apiserver::InProcessClient::FaultSource fault = {};
        /// Called before each line of a controller's watches; it may return a fault.
        apiserver::InProcessClient::LineFaultSource line_fault = {};
    };

    /// Makes a cluster with Kueue's CRDs and without a controller. Errors: Invalid for nodes,
    /// configuration or feature gates.
    static Result<std::unique_ptr<VirtualCluster>> make(Options options);
    ~VirtualCluster();
    VirtualCluster(const VirtualCluster&) = delete;
    VirtualCluster& operator=(const VirtualCluster&) = delete;

    /// Starts a replica of the controller and waits until it is ready and, without a lease, acts.
    /// Errors: Timeout. Requires: no replica runs, or the replicas compete for a lease.
    Result<void> start_controller();
    /// Starts a replica without waiting for it. Errors: Invalid for the configuration.
    Result<void> add_controller();
    /// Ends all replicas as SIGKILL does: nothing they do afterwards has an effect.
    void kill_controller();
    /// The replicas that have not been killed, the oldest first.
    const std::vector<std::shared_ptr<VirtualReplica>>& replicas() const { return replicas_; }
    /// Ends the replica with that index as SIGKILL does.
    void kill(std::size_t replica);
    /// Forgets the replicas that have ended without being killed; returns their number.
    std::size_t drop_ended();

    /// Applies an object as `kubectl apply --server-side` does, through the webhooks. Errors:
    /// Invalid, with the server's message.
    Result<void> apply(const json::Value& object);
    /// Sends a user's request and returns the response.
    apiserver::Response request(apiserver::Request request);

    /// Runs everything that can run now, without advancing time.
    void run_ready();
    /// Runs everything that can run now, and what follows from it while the controllers gather
    /// changes: advances time as long as a controller waits for at most one second after the last
    /// change, for at most three seconds in total.
    void run_reactions();
    /// Runs the cluster for that virtual time.
    void run_for(Duration duration);
    /// Advances time until nothing but Events and Leases has been written for `quiet` and no pod is
    /// due to change, for at most `limit`. Returns true if that state was reached.
    bool settle(Duration quiet, Duration limit);

    /// Returns the earliest deadline at which a controller acts without a new event; nullopt if no
    /// deadline is known.
    std::optional<Time> next_deadline() const;

    Time now() const { return time_.now(); }
    const apiserver::State& state() const { return server_->state(); }
    apiserver::State& state() { return server_->state(); }
    sim::SimulatedCluster& cluster() { return *cluster_; }
    net::EventLoop& loop() { return *loop_; }
    /// For callers that do not use request(). Thread: the cluster's.
    apiserver::ApiServer& server() { return *server_; }
    const Clock& clock() const { return time_; }
    const apiserver::WebhookTransport& webhooks() const { return transport_; }
    /// Time of the last write that was not of an Event or a Lease.
    Time changed() const { return changed_; }

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
    void end_killed();
    /// Returns a replica whose webhooks can be reached, or nullptr.
    std::shared_ptr<VirtualReplica> find_serving() const;
    /// Advances time to the next moment at which something is due, but not beyond `limit`. While
    /// foreign webhooks are called, it waits for their responses instead: they may make more work
    /// ready.
    void move(Time limit);
    bool waits_for_foreign() const { return foreign_calls_ > 0 && !options_.stop.stop_requested(); }

    Options options_;
    net::VirtualTime time_;
    std::unique_ptr<net::EventLoop> loop_;
    std::unique_ptr<net::TaskGroup> tasks_;
    std::unique_ptr<apiserver::ApiServer> server_;
    std::unique_ptr<sim::SimulatedCluster> cluster_;
    apiserver::WebhookTransport transport_;
    int foreign_calls_ = 0;  ///< calls in progress
    Time changed_{};         ///< see changed()
    std::uint64_t starts_ = 0;
    std::vector<std::shared_ptr<VirtualReplica>> replicas_;
    std::vector<std::shared_ptr<VirtualReplica>> killed_;  ///< those that may not have ended yet
};

}  // namespace sluice::commands
