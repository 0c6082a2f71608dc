// Encodes and decodes base64, the form of byte fields in the API.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace sluice::kube {

/// Encodes bytes as standard base64 with padding, the form of the API's byte fields (Secret data,
/// caBundle, kubeconfig data).
std::string encode_base64(std::string_view bytes);

/// Decodes standard base64; skips blanks and line ends. Errors: Invalid if the text has any other
/// foreign character or wrong padding.
Result<std::string> decode_base64(std::string_view text);

}  // namespace sluice::kube
