// Replays a journal and compares every decision.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "engine/state/state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::journal {

/// A cycle whose replay decides otherwise.
struct ReplayDifference {
    std::string segment;
    std::uint64_t entry = 0;
    std::uint64_t cycle = 0;
    Time at;
    std::string recorded;  ///< the hash, and the decisions if the journal has them
    std::string replayed;  ///< the decisions
};

struct ReplayReport {
    std::size_t segments = 0;
    std::uint64_t events = 0;
    std::uint64_t cycles = 0;
    std::uint64_t admissions = 0;
    std::optional<Time> first;
    std::optional<Time> last;
    std::optional<ReplayDifference> difference;  ///< the first one; it ends the replay
    std::vector<std::string> notes;              ///< segments whose end was not written
    std::optional<engine::State> state;          ///< after the last entry
};

/// Replays the segments of the folder in their order, up to and including `until`. Each segment
/// begins with its own state. Errors: Invalid, with file and entry, if a segment is damaged;
/// NotFound without a segment.
Result<ReplayReport> replay(const std::string& folder, std::optional<Time> until = std::nullopt);

}  // namespace sluice::journal
