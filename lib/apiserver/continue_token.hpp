#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::apiserver {

/// Where a list goes on.
struct ContinueToken {
    std::uint64_t version = 0;
    bool is_inconsistent = false;  ///< goes on at whatever is there now
    std::string start;             ///< the first key that may follow
};

std::string print_token(const ContinueToken& token);
/// Errors: Invalid in the words of the API server.
Result<ContinueToken> parse_token(std::string_view text);

}  // namespace sluice::apiserver
