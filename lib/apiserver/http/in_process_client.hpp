// A Kubernetes client whose API server runs in the same process.
#pragma once

#include "apiserver/api_server.hpp"
#include "apiserver/http/answer.hpp"
#include "base/clock.hpp"
#include "kube/client/client.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// A Kubernetes client whose API server runs in this process: requests and answers are those of the
/// HTTP client, but do not use a socket. Each call takes at least one turn of the loop. Lifetime:
/// server and clock must outlive it. Thread: the server's.
class InProcessClient : public kube::Client {
  public:
    /// A simulated fault of one request, as a network or a failing server causes it.
    struct Fault {
        std::optional<Error> error;  ///< replaces the answer; nullopt keeps the server's
        /// The server performs the request, but its answer is lost.
        bool is_after_effect = false;
        Duration delay{};         ///< before the server performs the request
        Duration answer_delay{};  ///< between the request and its answer
    };
    /// Called before each request; returns nullopt if the request has no fault.
    using FaultSource = std::function<std::optional<Fault>(const kube::Request&)>;
    /// A simulated fault of one line of a watch.
    struct LineFault {
        bool breaks = false;   ///< the connection breaks before the line
        bool repeats = false;  ///< the line is delivered twice
        Duration delay{};      ///< before this line and all lines after it
    };
    /// Called before each line of a watch; returns nullopt if the line has no fault.
    using LineFaultSource = std::function<std::optional<LineFault>()>;
    struct Options {
        boost::asio::any_io_executor executor;
        std::string user_agent = "sluice";
        /// The user who makes the requests, with the permissions of RBAC; "" for the administrator.
        std::string user{};
        WebhookTransport webhooks;  ///< how the server calls admission webhooks
        FaultSource fault = {};
        LineFaultSource line_fault = {};
        /// Called after each answer with the method and the HTTP status, which is 0 if the request
        /// failed.
        std::function<void(const std::string& method, int status)> on_answer = {};
    };

    InProcessClient(ApiServer& server, const Clock& clock, Options options);
    ~InProcessClient() override;

    kube::Async<std::string> get(kube::ResourcePath path, kube::GetOptions options) override;
    kube::Async<std::string> list(kube::ResourcePath path, kube::ListOptions options) override;
    kube::Async<std::string> create(
        kube::ResourcePath path, std::string body, kube::WriteOptions options
    ) override;
    kube::Async<std::string> update(
        kube::ResourcePath path, std::string body, kube::WriteOptions options
    ) override;
    kube::Async<std::string> merge_patch(
        kube::ResourcePath path, std::string body, kube::WriteOptions options
    ) override;
    kube::Async<std::string> apply(
        kube::ResourcePath path, std::string body, kube::ApplyOptions options
    ) override;
    kube::Async<std::string> remove(kube::ResourcePath path, kube::DeleteOptions options) override;
    kube::Async<std::unique_ptr<kube::WatchStream>> watch(
        kube::ResourcePath path, kube::WatchOptions options
    ) override;
    kube::Async<std::string> get_raw(std::string target, kube::GetOptions options) override;

    /// Ends the open watches like a broken connection.
    void break_watches();

  private:
    class Stream;

    Request to_server_request(const kube::Request& request) const;
    kube::Async<std::string> call(kube::Request request, Duration timeout);
    kube::Async<Response> perform(kube::Request request, Duration timeout);

    ApiServer& server_;
    const Clock& clock_;
    Options options_;
    std::vector<Stream*> streams_;
};

}  // namespace sluice::apiserver
