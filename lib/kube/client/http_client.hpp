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

/// The Client of a real API server. What it repeats by itself, with growing jittered delays and
/// never beyond the call's timeout: reads that did not get through or met a 5xx that passes; writes
/// only when the server said that it did not act (429, or 503 with Retry-After) or cannot have
/// received them; any call once after a 401 that a new token may cure.
class HttpClient final : public Client {
  public:
    /// Errors: Invalid for certificates or keys that cannot be used. Nothing is sent yet.
    /// Lifetime: the clock must outlive it, and it its calls (but not its watches).
    static Result<std::unique_ptr<HttpClient>> make(
        const ClientConfig& config, const Clock& clock, std::uint64_t seed
    );
    ~HttpClient() override;

    /// Told of every request that was tried, repetitions too: its method, and the status of the
    /// answer or 0 when there was none. Lifetime: what it refers to must outlive the calls.
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
