// Names of the segments of a journal.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::journal {

/// Returns the file name of a segment: names sort in the order of the times and numbers.
std::string segment_name(Time begin, std::uint64_t number);

/// Returns the files of the segments in a folder, the oldest first; none if it cannot be read.
std::vector<std::string> find_segments(const std::string& folder);

}  // namespace sluice::journal
