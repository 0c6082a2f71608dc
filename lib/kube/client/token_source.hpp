// The bearer token of a client, read again when its file changes.
#pragma once

#include "kube/client/client_config.hpp"

#include <cstdint>
#include <string>
#include <tuple>

namespace sluice::kube {

/// The bearer token of a client: fixed, or from a file that another program renews. Each call
/// checks whether the file has changed, and reads it again if so. If the file cannot be read, the
/// last token stays.
class TokenSource {
  public:
    explicit TokenSource(const ClientConfig& config)
        : token_(config.bearer_token), file_(config.token_file) {}
    /// Returns the token; "" if the client has none.
    const std::string& token();
    /// Reads the file again, even if it looks unchanged; call it when the server refused the token.
    /// Returns true if the token has changed, so that a second attempt makes sense.
    bool reload();

  private:
    using Stamp = std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;
    bool read();

    std::string token_;
    std::string file_;
    Stamp stamp_{};
};

}  // namespace sluice::kube
