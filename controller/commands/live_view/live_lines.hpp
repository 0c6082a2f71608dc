#pragma once

#include "base/clock.hpp"
#include "controller/commands/live_view/cluster_state.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::commands {

/// Where a live view is drawn.
struct Window {
    std::size_t columns = 80;
    std::size_t rows = 24;
    bool has_color = false;
    bool has_unicode = false;  ///< else bars and marks are ASCII

    friend bool operator==(const Window&, const Window&) = default;
};

/// What a live view shows beside the cluster.
struct LiveTexts {
    std::string server;                 ///< its URL
    std::string speed;                  ///< such as "60x"; "": the usual
    std::vector<std::string> commands;  ///< what to type next
    std::vector<std::string> log;       ///< the latest lines
};

/// The lines of a live view. There are no more than the window has rows, and each fits into its
/// columns; where there is too little room, less is shown, and how much is left out.
std::vector<std::string> draw_live_view(
    const ClusterState& state, const LiveTexts& texts, Time now, const Window& window
);

}  // namespace sluice::commands
