#pragma once

#include "base/clock.hpp"

#include <string>

namespace sluice::apiserver {

/// The age of something as tables show it: 5s, 3m12s, 47h, 12d, 3y200d.
std::string format_age(Duration age);

}  // namespace sluice::apiserver
