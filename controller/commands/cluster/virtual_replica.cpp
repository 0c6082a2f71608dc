#include "controller/commands/cluster/virtual_replica.hpp"

#include "controller/commands/cluster/cluster_setup.hpp"

#include <optional>
#include <utility>

namespace sluice::commands {

namespace asio = boost::asio;
using apiserver::InProcessClient;

VirtualReplica::VirtualReplica(Parts parts, controller::ProcessOptions options)
    : parts_(std::move(parts)), client_(make_client()) {
    if (options.configuration.leader_election.leader_elect) {
        options.lease_client = make_client();
    }
    options.has_lease_thread = false;
    process_ = std::make_unique<controller::ControllerProcess>(
        *client_, parts_.clock, parts_.loop, std::move(options)
    );
    parts_.tasks.spawn(run(), "process");
}

std::unique_ptr<InProcessClient> VirtualReplica::make_client() {
    return std::make_unique<InProcessClient>(
        parts_.server,
        parts_.clock,
        InProcessClient::Options{
            .executor = parts_.loop.executor(),
            .user_agent = "sluice",
            .user = kEmbeddedAccount,
            .webhooks = parts_.webhooks,
            .fault = [this](const kube::Request& request) -> std::optional<InProcessClient::Fault> {
                if (!is_reachable_) {
                    return InProcessClient::Fault{
                        .error = Error{ErrorCode::Unavailable, "the server cannot be reached", {}}
                    };
                }
                return parts_.fault ? parts_.fault(request) : std::nullopt;
            },
            .line_fault = parts_.line_fault,
        }
    );
}

asio::awaitable<void> VirtualReplica::run() {
    co_await process_->run();
    is_over_ = true;
}

void VirtualReplica::set_reachable(bool is_reachable) {
    is_reachable_ = is_reachable && !is_killed_;
    if (!is_reachable_) {
        break_watches();
    }
}

void VirtualReplica::break_watches() {
    client_->break_watches();
}

void VirtualReplica::kill() {
    is_killed_ = true;
    set_reachable(false);
    process_->stop();
}

}  // namespace sluice::commands
