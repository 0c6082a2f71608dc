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

/// Longer bodies of requests are refused.
inline constexpr std::size_t kBodyMax = std::size_t{3} * 1024 * 1024;
/// The answer to them.
Response answer_too_large();

/// An API server in memory: what Kubernetes' own does with a request, without I/O, clock or thread.
/// The same requests at the same times with the same seed have the same answers. Thread: one.
class ApiServer {
  public:
    struct Options {
        std::uint64_t seed = 1;        ///< of uids and generated names
        std::size_t log_max = 10'000;  ///< events of each collection that watches can go back to
        /// The certificate by which the server is known, in PEM: each namespace has it in the
        /// ConfigMap kube-root-ca.crt. None: there is no such ConfigMap.
        std::string root_ca{};
        /// The bearer token of the administrator, who may do everything. Who knows it can make
        /// tokens of service accounts, too.
        std::string administrator_token{};
        /// The controller runs in this process, so that the conversions of Kueue's kinds are its
        /// own, and need no call.
        bool has_controller = false;
    };

    /// With what each cluster has from its beginning (cluster_content.hpp).
    ApiServer(Options options, Time now);

    Answer begin(Request request, Time now);
    /// The answer where no webhook is to be called; those of admission are passed over as if they
    /// allowed all, and what one would convert fails.
    Response handle(Request request, Time now);

    /// What each answer to requests of the path warns of, because the kind or its version goes out
    /// of use; "": of nothing.
    std::string find_deprecation(std::string_view path) const;

    State& state() { return state_; }
    const State& state() const { return state_; }

  private:
    State state_;
};

}  // namespace sluice::apiserver
