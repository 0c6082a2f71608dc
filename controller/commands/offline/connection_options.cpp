#include "controller/commands/offline/connection_options.hpp"

#include "api/meta/micro_time.hpp"
#include "base/clock.hpp"
#include "controller/commands/controller/connection.hpp"
#include "controller/commands/schedule/input_files.hpp"
#include "controller/commands/schedule/report_line.hpp"
#include "controller/commands/schedule/schedule_input.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace sluice::commands {

void add_source_options(
    CLI::App& command, SourceOptions& options, const std::string& files_option
) {
    auto* files = command.add_option(
        files_option,
        options.files,
        "Files with objects, or folders of such files; - for standard input"
    );
    command.add_option("--kubeconfig", options.kubeconfig, "Kubeconfig of the cluster")
        ->excludes(files);
    command
        .add_option(
            "--context", options.context, "Context of the kubeconfig (default: its current-context)"
        )
        ->excludes(files);
    command.add_flag(
        "--offline", options.offline, "Do not ask the controller; work the answer out here"
    );
    command.add_option(
        "--config", options.config, "Configuration file of the controller, for offline answers"
    );
    command
        .add_option(
            "--now", options.now, "Time of the answer, RFC 3339 (default: the current time)"
        )
        ->needs(files);
}

Result<kube::ClientConfig> find_server(const SourceOptions& options) {
    auto connection = load_connection(options.kubeconfig, options.context);
    if (!connection) {
        return connection.error();
    }
    return std::move(connection->config);
}

Result<ScheduleCluster> read_files(const SourceOptions& options) {
    const auto files = read_input_files(options.files);
    if (!files) {
        return files.error();
    }
    ScheduleInput input = read_input(*files);
    for (const auto& warning : input.warnings) {
        report_line("warning", warning);
    }
    if (!input.problems.empty()) {
        return make_invalid(fmt::format("{}", fmt::join(input.problems, "; ")));
    }
    return std::move(input.cluster);
}

Result<Time> find_now(const SourceOptions& options) {
    if (options.now.empty()) {
        return SystemClock().now();
    }
    const auto now = api::parse_time(options.now);
    return now ? *now : Result<Time>(with_context(now.error(), "--now"));
}

}  // namespace sluice::commands
