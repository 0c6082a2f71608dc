#pragma once

#include "apiserver/outbox.hpp"
#include "apiserver/request.hpp"
#include "apiserver/server_options.hpp"
#include "base/clock.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// A request that is being served: done at once, unless it waits for a webhook's answer.
class Exchange {
  public:
    virtual ~Exchange() = default;
    virtual bool is_done() const = 0;
    /// The answer. Requires: it is done; once.
    virtual Response take() = 0;
    /// Calls the function when it is done, if it is not yet.
    virtual void on_done(std::function<void()> function) = 0;
};

/// A Kubernetes API server in memory, without I/O, threads and clock: the present comes with each
/// call, and calls of webhooks are handed out and their answers handed in. For use on one thread.
class ApiServer {
  public:
    explicit ApiServer(const ServerOptions& options, Time now);
    ~ApiServer();
    ApiServer(const ApiServer&) = delete;
    ApiServer& operator=(const ApiServer&) = delete;

    /// Serves a request. It goes on to its end even where nobody keeps the exchange.
    std::shared_ptr<Exchange> begin(Request request, Time now);
    /// The same for requests that no webhook is asked about. A server without answers to calls that
    /// are made nevertheless answers 500.
    Response handle(Request request, Time now);

    /// Calls to make now. Each must be answered once.
    std::vector<WebhookCall> take_calls();
    /// The body of a webhook's answer with status 200, or why there is none.
    void answer(std::uint64_t id, Result<std::string> result, Time now);

    /// Does one step of what follows writes (garbage collection, namespaces, CRDs); false: there
    /// was none to do.
    bool do_chore(Time now);
    bool has_chores() const;
    /// Tells the present to what is not asked by a call, such as watches.
    void set_time(Time now);

    /// The last resourceVersion that was given.
    std::uint64_t resource_version() const;
    /// Forgets the history up to that resourceVersion: older ones are answered with 410.
    void compact(std::uint64_t resource_version);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::apiserver
