#include "controller/commands/schedule/table.hpp"

#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace sluice::commands {

std::string print_table(std::vector<TableRow> rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = printable(row[i]);
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            text += fmt::format("{:<{}}  ", row[i], widths[i]);
        }
        text += row.back();
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n";
    }
    return text;
}

std::string or_dash(const std::string& text) {
    return text.empty() ? "-" : text;
}

}  // namespace sluice::commands
