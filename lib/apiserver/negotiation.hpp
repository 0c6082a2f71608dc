#pragma once

#include "base/error.hpp"

#include <string_view>

namespace sluice::apiserver {

/// Whether JSON, in which all answers are, is among what the client takes (the Accept header).
/// Errors: NotAcceptable.
Result<void> check_accept(std::string_view accept);

}  // namespace sluice::apiserver
