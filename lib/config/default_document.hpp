#pragma once

#include "json/value.hpp"

namespace sluice::config {

/// A v1beta2 Configuration that says all that applies without a file; what is off unless a file has
/// it is left out.
json::Value make_default_document();

}  // namespace sluice::config
