#pragma once

#include "kube/client/client_config.hpp"

#include <cstdint>
#include <string>
#include <tuple>

namespace sluice::kube {

/// The bearer token of a client: fixed, or from a file that another program renews. Each call
/// checks whether the file has changed, and reads it then. A file that cannot be read leaves the
/// last token.
class TokenSource {
  public:
    explicit TokenSource(const ClientConfig& config)
        : token_(config.bearer_token), file_(config.token_file) {}
    /// The token, or "" when there is none.
    const std::string& token();
    /// The server refused the token: reads the file again whatever its time says. Whether the token
    /// is another one now, so that a second try makes sense.
    bool reload();

  private:
    using Stamp = std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;
    bool read();

    std::string token_;
    std::string file_;
    Stamp stamp_{};
};

}  // namespace sluice::kube
