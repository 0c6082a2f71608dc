// Draws the state of a cluster as the lines of a terminal window.
#pragma once

#include "base/clock.hpp"
#include "controller/commands/live_view/cluster_state.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::commands {

/// Size and abilities of the terminal window.
struct Window {
    std::size_t columns = 80;
    std::size_t rows = 24;
    bool has_color = false;
    bool has_unicode = false;  ///< false: bars and marks are ASCII

    friend bool operator==(const Window&, const Window&) = default;
};

/// Texts that a live view shows in addition to the cluster.
struct LiveTexts {
    std::string server;                 ///< URL of the API server
    std::string speed;                  ///< such as "60x"; empty for normal speed
    std::vector<std::string> commands;  ///< suggestions of what to type next
    std::vector<std::string> log;       ///< the latest log lines
};

/// Returns the lines of a live view: at most as many as the window has rows, none wider than its
/// columns. If there is not enough room, sections are shortened and show the number of omitted
/// lines.
std::vector<std::string> draw_live_view(
    const ClusterState& state, const LiveTexts& texts, Time now, const Window& window
);

}  // namespace sluice::commands
