#include "controller/commands/offline/changing_output.hpp"

#include "controller/commands/offline/client_call.hpp"
#include "controller/commands/schedule/report_line.hpp"

#include <cstdio>

namespace sluice::commands {

int print_changes(
    std::optional<Duration> period, const std::function<Result<std::string>()>& answer
) {
    constexpr int kFailed = 2;
    std::string shown;
    for (;;) {
        const auto text = answer();
        if (!text) {
            report_line("error", text.error().detail);
            return kFailed;
        }
        if (*text != shown) {
            const std::string printed = (shown.empty() ? "" : "\n") + *text;
            std::fwrite(printed.data(), 1, printed.size(), stdout);
            std::fflush(stdout);
            shown = *text;
        }
        if (!period) {
            return 0;
        }
        wait_for(*period);
    }
}

}  // namespace sluice::commands
