// The credentials that a client sends to the API server, renewed when they expire.
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

/// The credentials that a client sends to the API server: a token (fixed, from a file or from a
/// plugin), and the certificate of a plugin. Thread: that of the client's loop.
class Credentials {
  public:
    /// `on_certificate` is called with each new certificate and key from a plugin, for later
    /// connections. Lifetime: the clock must outlive this object.
    Credentials(
        const ClientConfig& config,
        const Clock& clock,
        std::function<Result<void>(const ExecCredential&)> on_certificate
    );

    /// Runs the plugin, if there is one, when its last credentials have expired. Calls made while
    /// it runs wait for it. Errors: those of the plugin, with its command and its install hint;
    /// Canceled.
    boost::asio::awaitable<Result<void>> prepare();
    /// Call it when the server refused the credentials. Returns true if new credentials are
    /// available.
    boost::asio::awaitable<bool> renew();
    /// Returns the bearer token; "" if the client has none.
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
