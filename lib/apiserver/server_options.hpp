#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::apiserver {

/// How much of the past a collection keeps.
struct HistoryLimits {
    std::size_t events = 10'000;
    std::size_t bytes = std::size_t{64} * 1024 * 1024;
};

struct ServerOptions {
    std::uint64_t seed = 1;  ///< of uids and generated names
    HistoryLimits history{};
    std::size_t body_bytes_max = std::size_t{3} * 1024 * 1024;
    /// Whether new namespaces get their service account `default`, as the controllers of a cluster
    /// see to.
    bool makes_service_accounts = true;
    std::string git_version = "v1.36.3";
};

}  // namespace sluice::apiserver
