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

/// A Kubernetes client whose API server is in this process: requests and answers are those of the
/// HTTP client, but go through no socket. Each call takes at least one turn of the loop.
/// Lifetime: server and clock must outlive it. Thread: the server's.
class InProcessClient final : public kube::Client {
  public:
    /// What becomes of one request, as a network or a server in trouble would have it.
    struct Fault {
        std::optional<Error> error;    ///< the answer; none: what the server says
        bool is_after_effect = false;  ///< the request is done, and its answer is lost
        Duration delay{};              ///< before the request is done
        Duration answer_delay{};       ///< between that and the answer
    };
    /// Asked before each request; nothing: it goes through.
    using FaultSource = std::function<std::optional<Fault>(const kube::Request&)>;
    /// What becomes of one line of a watch.
    struct LineFault {
        bool breaks = false;   ///< the connection breaks before it
        bool repeats = false;  ///< it comes twice
        Duration delay{};      ///< before it comes, and all lines after it
    };
    /// Asked before each line of a watch; nothing: it comes at once.
    using LineFaultSource = std::function<std::optional<LineFault>()>;
    struct Options {
        boost::asio::any_io_executor executor;
        std::string user_agent = "sluice";
        /// Whose requests they are, who may do what roles say; "": the administrator's.
        std::string user{};
        WebhookTransport webhooks;  ///< how the server calls admission webhooks
        FaultSource fault = {};
        LineFaultSource line_fault = {};
        /// Told of each answer: the method, and the status or 0.
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

    /// Ends the open watches, as a connection that breaks does.
    void break_watches();
    /// Ends them in order, as a server does before it stops.
    void end_watches();

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
