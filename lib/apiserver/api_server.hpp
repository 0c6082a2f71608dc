#pragma once

#include "apiserver/request.hpp"
#include "apiserver/state.hpp"
#include "apiserver/write_operation.hpp"
#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>

namespace sluice::apiserver {

/// An API server in memory: what Kubernetes' own does with a request, without I/O, clock or thread.
/// The same requests at the same times with the same seed have the same answers. Thread: one.
class ApiServer {
  public:
    struct Options {
        std::uint64_t seed = 1;        ///< of uids and generated names
        std::size_t log_max = 10'000;  ///< events of each collection that watches can go back to
    };

    /// With the namespaces and priority classes that each cluster has.
    ApiServer(Options options, Time now);

    /// An answer, or a write that waits for webhooks: its caller calls them (advance, take_answer)
    /// and takes its response.
    using Answer = std::variant<Response, std::unique_ptr<WriteOperation>>;
    Answer begin(Request request, Time now);
    /// The answer where no webhook is to be called; those that are registered are passed over as if
    /// they allowed all.
    Response handle(Request request, Time now);

    State& state() { return state_; }
    const State& state() const { return state_; }

  private:
    State state_;
};

}  // namespace sluice::apiserver
