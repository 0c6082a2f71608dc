#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <optional>

namespace sluice::sim {

/// How long a pod says by its commands that it runs: the longest `sleep N` of its containers, as a
/// command or as all that a shell is given (`sh -c 'sleep N'`), with the units of GNU's sleep
/// (s, m, h, d) and `infinity`. Nothing: none of them is such a command.
std::optional<Duration> sleep_of(const json::Value& pod);

}  // namespace sluice::sim
