#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace sluice::kube {

/// Standard base64 with padding, as the API writes byte fields (Secret data, caBundle, kubeconfig
/// data).
std::string encode_base64(std::string_view bytes);

/// The reverse; blanks and line ends are skipped. Errors: Invalid for any other foreign character.
Result<std::string> decode_base64(std::string_view text);

}  // namespace sluice::kube
