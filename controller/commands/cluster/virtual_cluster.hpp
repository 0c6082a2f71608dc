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
/// sockets. The same calls with the same seed have the same course. Thread: one, which has no other
/// VirtualTime.
class VirtualCluster {
  public:
    /// 2030-01-01 00:00 UTC.
    static constexpr Time kStart{std::chrono::seconds(1'893'456'000)};
    /// Of pods that run for ever: longer than any run.
    static constexpr Duration kForever = sim::kForever;

    struct Options {
        std::uint64_t seed = 1;
        Time start = kStart;
        std::vector<std::string> nodes;         ///< descriptions, as sim::make_nodes() reads them
        std::vector<json::Value> node_objects;  ///< and Nodes
        Duration run_time = kForever;           ///< of pods that do not say how long
        json::Value configuration = make_configuration();  ///< of the controllers
        std::string root_ca{};                             ///< see apiserver::ApiServer::Options
        std::string administrator_token{};                 ///< see apiserver::ApiServer::Options
        /// How webhooks are called that are named by a URL; none: the controllers answer these too.
        /// They take the machine's time, in which that of the cluster stands still.
        apiserver::WebhookTransport foreign_webhooks = {};
        /// Once requested, time no longer waits for foreign webhooks.
        std::stop_token stop{};
        bool with_lease = false;  ///< replicas compete for the lease; else there is one
        /// Asked before each request of a controller.
        apiserver::InProcessClient::FaultSource fault = {};
        /// Asked before each line that a controller watches.
        apiserver::InProcessClient::LineFaultSource line_fault = {};
    };

    /// The cluster with Kueue's definitions, without controller. Errors: Invalid for nodes,
    /// configuration or feature gates.
    static Result<std::unique_ptr<VirtualCluster>> make(Options options);
    ~VirtualCluster();
    VirtualCluster(const VirtualCluster&) = delete;
    VirtualCluster& operator=(const VirtualCluster&) = delete;

    /// Starts a replica of the controller and waits until it is ready and, without lease, acts.
    /// Errors: Timeout. Requires: none runs, or they compete for a lease.
    Result<void> start_controller();
    /// Starts a replica and does not wait. Errors: Invalid for the configuration.
    Result<void> add_controller();
    /// Ends all replicas as SIGKILL does: nothing that they do from now on has an effect.
    void kill_controller();
    /// Those that have not been killed, the oldest first.
    const std::vector<std::shared_ptr<VirtualReplica>>& replicas() const { return replicas_; }
    /// Ends one of them.
    void kill(std::size_t replica);
    /// Forgets those that have ended by themselves; how many.
    std::size_t drop_ended();

    /// Applies an object as `kubectl apply --server-side` does, webhooks included. Errors: what the
    /// server says.
    Result<void> apply(const json::Value& object);
    /// The answer to a request of a user.
    apiserver::Response request(apiserver::Request request);

    /// Does what can be done now; time stands still.
    void run_ready();
    /// Does what can be done now, and what follows from it while the controllers gather changes:
    /// moves time as long as a controller waits for no more than a second after the last change,
    /// three seconds at most.
    void run_reactions();
    /// Lets so much time pass.
    void run_for(Duration duration);
    /// Goes on until nothing but Events and Leases was written for `quiet` and no pod is about to
    /// change, for at most `limit`; whether it came to that.
    bool settle(Duration quiet, Duration limit);

    /// When a controller acts next of its own accord, because of a deadline that it knows; nothing:
    /// never, as far as is known.
    std::optional<Time> next_deadline() const;

    Time now() const { return time_.now(); }
    const apiserver::State& state() const { return server_->state(); }
    apiserver::State& state() { return server_->state(); }
    sim::SimulatedCluster& cluster() { return *cluster_; }
    net::EventLoop& loop() { return *loop_; }
    /// For those who reach it in another way than by request(). Thread: that of the cluster.
    apiserver::ApiServer& server() { return *server_; }
    const Clock& clock() const { return time_; }
    const apiserver::WebhookTransport& webhooks() const { return transport_; }
    /// When something but an Event or a Lease was written last.
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
    /// A replica whose webhooks can be reached, or nullptr.
    std::shared_ptr<VirtualReplica> find_serving() const;
    /// To the next moment at which something waits, but not beyond `limit`. While foreign webhooks
    /// are called it waits for their answers instead, after which more can be done now.
    void move(Time limit);
    bool waits_for_foreign() const { return foreign_calls_ > 0 && !options_.stop.stop_requested(); }

    Options options_;
    net::VirtualTime time_;
    std::unique_ptr<net::EventLoop> loop_;
    std::unique_ptr<net::TaskGroup> tasks_;
    std::unique_ptr<apiserver::ApiServer> server_;
    std::unique_ptr<sim::SimulatedCluster> cluster_;
    apiserver::WebhookTransport transport_;
    int foreign_calls_ = 0;  ///< under way
    Time changed_{};         ///< the last write that settle() is about
    std::uint64_t starts_ = 0;
    std::vector<std::shared_ptr<VirtualReplica>> replicas_;
    std::vector<std::shared_ptr<VirtualReplica>> killed_;  ///< that may not be over yet
};

}  // namespace sluice::commands
