// The API server in memory: answers requests without I/O.
#pragma once

#include "apiserver/operations/operation.hpp"
#include "apiserver/operations/write_operation.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::apiserver {

/// The maximum size of a request body, in bytes. Larger bodies are refused.
inline constexpr std::size_t kBodyMax = std::size_t{3} * 1024 * 1024;
/// Returns the refusal of a body that is too large.
Response answer_too_large();

/// An API server in memory. It processes requests as Kubernetes' own does, without I/O, clock or
/// threads. The answers depend only on the requests, their times and the seed. Thread: one.
class ApiServer {
  public:
    struct Options {
        std::uint64_t seed = 1;  ///< of uids and generated names
        /// Maximum log entries per collection, to which watches can go back.
        std::size_t log_max = 10'000;
        /// The certificate of the server, in PEM, which each namespace gets in the ConfigMap
        /// kube-root-ca.crt. If empty, namespaces do not get that ConfigMap.
        std::string root_ca{};
        /// The bearer token of the administrator, who may do everything. The key that signs tokens
        /// of service accounts is derived from it, so whoever has it can also make such tokens.
        std::string administrator_token{};
        /// True if the controller runs in this process: its functions then convert Kueue's kinds,
        /// without a call.
        bool has_controller = false;
    };

    /// Constructs a server with the content of a new cluster (cluster_content.hpp).
    ApiServer(Options options, Time now);

    /// Begins to answer a request; returns the response or an operation that must be continued.
    Answer begin(Request request, Time now);
    /// Answers a request without calls of webhooks: admission webhooks count as if they allowed
    /// everything, and conversions by a webhook fail.
    Response handle(Request request, Time now);

    /// Returns the warning for each answer to requests of the path: its kind or version is
    /// deprecated. Empty if it is not deprecated.
    std::string find_deprecation(std::string_view path) const;

    State& state() { return state_; }
    const State& state() const { return state_; }

  private:
    State state_;
};

}  // namespace sluice::apiserver
