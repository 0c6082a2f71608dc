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
/// what it is made of must outlive it. Requires: it is over when it is destroyed.
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

    /// Starts the process. It competes for the lease as its configuration says.
    VirtualReplica(Parts parts, controller::ProcessOptions options);
    VirtualReplica(const VirtualReplica&) = delete;
    VirtualReplica& operator=(const VirtualReplica&) = delete;

    /// Has seen all lists.
    bool is_ready() const { return process_->is_ready(); }
    /// Decides: it is the leader, or needs not be.
    bool is_acting() const { return process_->is_acting(); }
    /// When it acts of its own accord, because of what is there, if ever.
    std::optional<Time> next_deadline() const { return process_->next_deadline(); }
    /// Has ended, by itself or since it was killed.
    bool is_over() const { return is_over_; }
    /// Whether the API server reaches its webhooks.
    bool is_serving() const { return is_reachable_ && !is_over_; }

    /// As a partition of the network does: while it is not reachable, no request gets through in
    /// either direction, and watches break.
    void set_reachable(bool is_reachable);
    /// Ends what it watches, as a connection that breaks does.
    void break_watches();
    /// As SIGKILL does: nothing that it does from now on has an effect. It is over some turns of
    /// the loop later.
    void kill();
    /// What the webhook of that path answers.
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
