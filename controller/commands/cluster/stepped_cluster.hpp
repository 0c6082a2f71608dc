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

/// A VirtualCluster that clients reach over HTTPS, and whose time stands still between steps.
///
/// API server, simulated cluster and controller are in one thread and on one clock, without sockets
/// between them. So all that is due is done when nothing is left that could go on without time:
/// nobody has to guess whether an answer is still on its way. Only what clients and their own
/// webhooks send comes at times of the machine. Thread: one.
class SteppedCluster {
  public:
    struct Options {
        VirtualCluster::Options cluster;  ///< foreign webhooks: none are those over HTTP
        std::uint16_t port = 0;           ///< 0: any free one
        std::stop_token stop{};           ///< ends what would go on
    };

    /// Listens, with a controller that is ready. Errors: those of VirtualCluster and ApiEndpoint.
    static Result<std::unique_ptr<SteppedCluster>> start(Options options);
    ~SteppedCluster();
    SteppedCluster(const SteppedCluster&) = delete;
    SteppedCluster& operator=(const SteppedCluster&) = delete;

    /// Applies an object as `kubectl apply --server-side` does, such that a later `kubectl apply`
    /// of it works as after one of its own. Errors: what the server says; Canceled when it is to
    /// stop.
    Result<void> apply(const json::Value& object);
    /// Does what is due now and what follows at once.
    void react() { cluster_->run_reactions(); }
    /// Lets so much time pass, and reacts.
    void step(Duration duration);
    /// What a look at what is due has come to.
    enum class Due : std::uint8_t { Nothing, Done, Fruitless };
    /// Goes on to the next moment at which something changes of its own accord, and reacts.
    /// Fruitless: some of what was due is past, and nothing has changed by it.
    Due step_to_next();
    /// Waits until a client has changed something, wake() was called, or it is to stop.
    void wait();
    /// Calls the function between two pieces of work, and ends wait(). Thread: any.
    void wake(std::function<void()> function);

    Time now() const { return cluster_->now(); }
    std::uint16_t port() const { return endpoint_->port(); }
    std::string kubeconfig() const { return endpoint_->kubeconfig(); }
    /// The Events since this was asked last, one a line.
    std::vector<std::string> take_events();

  private:
    SteppedCluster(Options options, std::unique_ptr<ApiEndpoint> endpoint);
    Result<void> set_up();
    void note(const apiserver::Collection& collection, const apiserver::LogEntry& entry);
    using Answer = std::shared_ptr<std::optional<apiserver::Response>>;
    boost::asio::awaitable<void> answer_into(apiserver::Request request, Answer answer);
    boost::asio::awaitable<void> close(bool* is_closed);

    Options options_;
    std::stop_source ending_;  ///< with the stop of the options, or at the end of this object
    std::stop_callback<std::function<void()>> on_stop_;
    std::unique_ptr<VirtualCluster> cluster_;
    std::unique_ptr<ApiEndpoint> endpoint_;
    std::unique_ptr<net::TaskGroup> requests_;
    std::vector<std::string> events_;
    bool has_changed_ = false;  ///< since it waited
    bool is_waiting_ = false;
};

}  // namespace sluice::commands
