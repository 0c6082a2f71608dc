#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>

namespace sluice::sim {

/// What a pod says by its commands: how long it runs, and how it ends.
struct CommandedLife {
    std::optional<Duration> length;
    std::optional<std::int64_t> exit_code;
    bool is_whole = false;  ///< all containers say how long they run
};

/// Reads the commands of all containers, as commands or as all that a shell is given (`sh -c '…'`,
/// statements with `;` or `&&` between them): `sleep N`, with the units of GNU's sleep (s, m, h, d)
/// and `infinity`, `exit N`, `true` and `false`, and `echo`, which take no time. The longest
/// container counts, and the first that fails. A container whose command says anything else says
/// nothing. Init containers go before: their times are added, and one that fails is the end.
CommandedLife commanded_life(const json::Value& pod);

/// Whether the command that asks if a container is ready says `false` or `exit 1`.
bool fails_readiness_probe(const json::Value& container);

}  // namespace sluice::sim
