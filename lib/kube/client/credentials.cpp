#include "kube/client/credentials.hpp"

#include "net/loop/child_process.hpp"
#include "net/loop/event_loop.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace sluice::kube {

namespace {

/// The time limit of a plugin. Plugins of cloud providers ask a remote server.
constexpr Duration kPluginMax = std::chrono::minutes(1);
constexpr Duration kTurn = std::chrono::milliseconds(20);

/// Sets a flag for the lifetime of this object.
class WhileRunning {
  public:
    explicit WhileRunning(bool& flag) : flag_(flag) { flag_ = true; }
    ~WhileRunning() { flag_ = false; }
    WhileRunning(const WhileRunning&) = delete;
    WhileRunning& operator=(const WhileRunning&) = delete;

  private:
    bool& flag_;
};

}  // namespace

Credentials::Credentials(
    const ClientConfig& config,
    const Clock& clock,
    std::function<Result<void>(const ExecCredential&)> on_certificate
)
    : tokens_(config),
      plugin_(config.exec),
      clock_(clock),
      on_certificate_(std::move(on_certificate)) {}

const std::string& Credentials::token() {
    return credential_ && !credential_->token.empty() ? credential_->token : tokens_.token();
}

boost::asio::awaitable<Result<void>> Credentials::take_turn() {
    while (is_running_) {
        const bool waited = co_await net::pause_for(kTurn);
        if (!waited) {
            co_return Error{ErrorCode::Canceled, "canceled", {}};
        }
    }
    co_return Result<void>();
}

boost::asio::awaitable<Result<void>> Credentials::prepare() {
    if (!plugin_) {
        co_return Result<void>();
    }
    const ExecPlugin& plugin = *plugin_;
    const auto turn = co_await take_turn();
    if (!turn) {
        co_return turn;
    }
    const bool is_good =
        credential_ && (!credential_->expires_at || clock_.now() < *credential_->expires_at);
    if (is_good) {
        co_return Result<void>();
    }
    const auto done = co_await run_plugin(&plugin);
    co_return done;
}

boost::asio::awaitable<bool> Credentials::renew() {
    if (!plugin_) {
        co_return tokens_.reload();
    }
    const ExecPlugin& plugin = *plugin_;
    const std::string before = token();
    const auto turn = co_await take_turn();
    if (!turn) {
        co_return false;
    }
    if (token() != before) {
        co_return true;  // another call renewed it in the meantime
    }
    const auto done = co_await run_plugin(&plugin);
    co_return done.has_value();
}

boost::asio::awaitable<Result<void>> Credentials::run_plugin(const ExecPlugin* plugin) {
    const WhileRunning running(is_running_);
    net::ChildProcess child{
        .command = plugin->command,
        .arguments = plugin->arguments,
        .environment = plugin->environment,
    };
    child.environment.push_back("KUBERNETES_EXEC_INFO=" + make_exec_info(*plugin));
    const std::string context = "credential plugin " + plugin->command;
    const auto ended = co_await net::run_child(std::move(child), kPluginMax);
    if (!ended) {
        const bool has_hint =
            ended.error().code == ErrorCode::NotFound && !plugin->install_hint.empty();
        Error error = ended.error();
        if (has_hint) {
            error.detail += "; " + plugin->install_hint;
        }
        // A missing plugin must not look like a missing API object (NotFound).
        error.code = error.code == ErrorCode::NotFound ? ErrorCode::Invalid : error.code;
        co_return with_context(error, "credential plugin");
    }
    if (ended->exit_code != 0) {
        co_return Error{
            ErrorCode::Unavailable,
            fmt::format("{}: ended with exit code {}", context, ended->exit_code),
            {}
        };
    }
    auto credential = parse_exec_credential(ended->output, *plugin);
    if (!credential) {
        co_return with_context(credential.error(), context);
    }
    const bool has_new_certificate =
        !credential->certificate_pem.empty() &&
        (!credential_ || credential_->certificate_pem != credential->certificate_pem);
    if (has_new_certificate) {
        if (const auto taken = on_certificate_(*credential); !taken) {
            co_return with_context(taken.error(), context);
        }
    }
    credential_ = std::move(*credential);
    co_return Result<void>();
}

}  // namespace sluice::kube
