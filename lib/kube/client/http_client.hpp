// The client of a real API server: retries, rate limit, credentials.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "kube/client/client.hpp"
#include "kube/client/client_config.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sluice::kube {

/// The Client of a real API server. It retries calls with growing jittered delays, but never beyond
/// the call's timeout: reads after a connection failure or a temporary 5xx; writes only if the
/// server said that it did not act (429, or 503 with Retry-After) or cannot have received them; any
/// call once after a 401 if new credentials are available.
class HttpClient final : public Client {
  public:
    /// Makes a client; sends nothing yet. Errors: Invalid if certificates or keys cannot be used.
    /// Lifetime: the clock must outlive the client, and the client its calls (but not its watches).
    static Result<std::unique_ptr<HttpClient>> make(
        const ClientConfig& config, const Clock& clock, std::uint64_t seed
    );
    ~HttpClient() override;

    /// Called after every attempt of a request, including retries, with its method and the
    /// response's status (0 without a response). Lifetime: objects that it refers to must outlive
    /// the calls.
    using OnAnswer = std::function<void(const std::string& method, int status)>;
    void on_answer(OnAnswer function);

    Async<std::string> get(ResourcePath path, GetOptions options) override;
    Async<std::string> list(ResourcePath path, ListOptions options) override;
    Async<std::string> create(ResourcePath path, std::string body, WriteOptions options) override;
    Async<std::string> update(ResourcePath path, std::string body, WriteOptions options) override;
    Async<std::string> merge_patch(ResourcePath path, std::string body, WriteOptions options)
        override;
    Async<std::string> apply(ResourcePath path, std::string body, ApplyOptions options) override;
    Async<std::string> remove(ResourcePath path, DeleteOptions options) override;
    Async<std::unique_ptr<WatchStream>> watch(ResourcePath path, WatchOptions options) override;
    Async<std::string> get_raw(std::string target, GetOptions options) override;

  private:
    class Impl;
    explicit HttpClient(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::kube
