#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "kube/client/client_config.hpp"
#include "kube/client/token_source.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>

namespace sluice::kube {

/// What a client shows of itself to the API server: a token that is fixed, comes from a file or
/// from a plugin, and a certificate that a plugin gave. Thread: that of the client's loop.
class Credentials {
  public:
    /// `on_certificate` is called with each new certificate and key of a plugin, for connections
    /// from then on. Lifetime: the clock must outlive it.
    Credentials(
        const ClientConfig& config,
        const Clock& clock,
        std::function<Result<void>(const ExecCredential&)> on_certificate
    );

    /// Runs the plugin, if there is one, when its last credentials have expired. Calls that come
    /// while it runs wait for it. Errors: those of the plugin, naming its command and its hint;
    /// Canceled.
    boost::asio::awaitable<Result<void>> prepare();
    /// The server refused the credentials: whether there are others now.
    boost::asio::awaitable<bool> renew();
    /// The bearer token, or "" when there is none.
    const std::string& token();

  private:
    boost::asio::awaitable<Result<void>> run_plugin(const ExecPlugin* plugin);
    boost::asio::awaitable<Result<void>> take_turn();

    TokenSource tokens_;
    std::optional<ExecPlugin> plugin_;
    const Clock& clock_;
    std::function<Result<void>(const ExecCredential&)> on_certificate_;
    std::optional<ExecCredential> credential_;
    bool is_running_ = false;
};

}  // namespace sluice::kube
