// Reads from a pod's commands how long it runs and how it ends.
#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>

namespace sluice::sim {

/// How long a pod runs and how it ends, according to its commands.
struct CommandedLife {
    std::optional<Duration> length;
    std::optional<std::int64_t> exit_code;
    bool is_whole = false;  ///< all containers specify how long they run
};

/// Reads the commands of all containers, given directly or as the whole text for a shell (`sh -c
/// '…'`, statements with `;` or `&&` between them). It knows `sleep N`, with the units of GNU's
/// sleep (s, m, h, d) and `infinity`, and `exit N`, `true`, `false` and `echo`, which take no time.
/// The container with the longest time counts, and the first that fails. A container with any other
/// command is ignored. Init containers run before: their times are added, and a failed one ends the
/// pod.
CommandedLife commanded_life(const json::Value& pod);

/// Returns true if the command of the container's readiness probe is `false` or `exit 1`.
bool fails_readiness_probe(const json::Value& container);

}  // namespace sluice::sim
