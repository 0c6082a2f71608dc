// A controller process of a virtual cluster, which tests can kill or disconnect.
#pragma once

#include "apiserver/api_server.hpp"
#include "apiserver/http/answer.hpp"
#include "apiserver/http/in_process_client.hpp"
#include "base/clock.hpp"
#include "controller/process/controller_process.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::commands {

/// One controller process of a VirtualCluster, with its connections to the API server. Lifetime:
/// its parts must outlive it. Requires: the process has ended (is_over()) before it is destroyed.
class VirtualReplica {
  public:
    struct Parts {
        apiserver::ApiServer& server;
        const Clock& clock;
        net::EventLoop& loop;
        net::TaskGroup& tasks;
        apiserver::WebhookTransport webhooks;
        apiserver::InProcessClient::FaultSource fault;
        apiserver::InProcessClient::LineFaultSource line_fault;
    };

    /// Starts the process. It competes for the lease if its configuration says so.
    VirtualReplica(Parts parts, controller::ProcessOptions options);
    VirtualReplica(const VirtualReplica&) = delete;
    VirtualReplica& operator=(const VirtualReplica&) = delete;

    /// Returns true once all initial lists have been received.
    bool is_ready() const { return process_->is_ready(); }
    /// Returns true if it schedules: it is the leader, or leader election is off.
    bool is_acting() const { return process_->is_acting(); }
    /// Returns the next deadline at which it acts without a new event; nullopt if it has none.
    std::optional<Time> next_deadline() const { return process_->next_deadline(); }
    /// Returns true if the process has ended, killed or not.
    bool is_over() const { return is_over_; }
    /// Returns true if the API server can reach its webhooks.
    bool is_serving() const { return is_reachable_ && !is_over_; }

    /// Simulates a network partition: while it is unreachable, requests fail in both directions,
    /// and watches break.
    void set_reachable(bool is_reachable);
    /// Breaks its watches, as lost connections do.
    void break_watches();
    /// Acts as SIGKILL does: nothing it does afterwards has an effect. The process ends some turns
    /// of the loop later.
    void kill();
    /// Returns the response of the webhook at that path.
    kube::Async<net::ServerResponse> review(std::string path, std::string body) {
        return process_->review(std::move(path), std::move(body));
    }

  private:
    std::unique_ptr<apiserver::InProcessClient> make_client();
    boost::asio::awaitable<void> run();

    Parts parts_;
    bool is_reachable_ = true;
    bool is_killed_ = false;
    bool is_over_ = false;
    std::unique_ptr<apiserver::InProcessClient> client_;
    std::unique_ptr<controller::ControllerProcess> process_;
};

}  // namespace sluice::commands
