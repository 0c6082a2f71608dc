#include "controller/commands/why/why.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/commands/offline/client_call.hpp"
#include "controller/commands/offline/connection_options.hpp"
#include "controller/commands/schedule/report_line.hpp"
#include "controller/commands/why/explained_workload.hpp"
#include "controller/commands/why/why_output.hpp"
#include "yaml/print.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::commands {
namespace {

constexpr int kNotFound = 1;
constexpr int kBadInput = 2;
constexpr int kNeverStarts = 3;
constexpr std::chrono::seconds kFollowPeriod{2};

struct WhyOptions {
    std::string workload;
    std::string ns;
    SourceOptions source;
    std::string output = "text";
    bool utc = false;
    bool follow = false;
};

constexpr const char* kDescription =
    R"(Explain a workload: why it waits, with the quota that is missing and who holds it, and what
would admit it; or what it runs on, and who may evict it. Nothing is changed.

WORKLOAD is a job by its kind and name, such as job/train, jobset/train or pod/train-0; or
workload/NAME; or a name alone.

  Needs     what its pods request
  Blocked   the obstacle that binds first, with quota and usage from the ClusterQueue up to its
            root: MAY STILL TAKE is what the ClusterQueue gets as far as that level goes
  Tried     each flavor, and why the workload does not get it
  Held by   the workloads that hold most of what is missing, with all that they hold. ENDS is when a
            limit of execution time ends them (spec.maximumExecutionTimeSeconds)
  Would be admitted at once
            changes that admit it, the smallest of each kind. Each was made on a copy of the
            cluster, where cycles with all other workloads then admitted it. Changes that users of
            a queue may not make are marked "administrator"

The controller answers (API group insight.sluice.dev). Workloads of namespaces that you may not read
are called "another namespace". If it does not answer, or with --offline, the command reads the
objects that you may list and works the answer out with the same engine. With -f it reads them from
files, as `kubectl get -o yaml` prints them.

Exit code: 0 if it runs, has run or may start; 3 if it never starts as things are; 1 if it is not
found; 2 if an option or an object is bad, or the cluster cannot be read.)";

Result<WhyAnswer> answer_from_files(
    const SourceOptions& source,
    const WhyQuestion& question,
    const ScheduleConfiguration& configuration
) {
    const auto now = find_now(source);
    if (!now) {
        return now.error();
    }
    auto cluster = read_files(source);
    if (!cluster) {
        return cluster.error();
    }
    return explain_offline(*std::move(cluster), question, configuration, *now);
}

Result<WhyAnswer> answer_question(const WhyOptions& options) {
    const auto configuration = load_schedule_configuration(options.source.config);
    if (!configuration) {
        return configuration.error();
    }
    WhyQuestion question{
        .ns = options.ns,
        .reference = parse_reference(options.workload),
        .argument = options.workload,
    };
    if (!options.source.files.empty()) {
        question.ns = question.ns.empty() ? "default" : question.ns;
        return answer_from_files(options.source, question, *configuration);
    }
    const auto server = find_server(options.source);
    if (!server) {
        return server.error();
    }
    if (question.ns.empty()) {
        question.ns = server->namespace_.empty() ? "default" : server->namespace_;
    }
    return explain_live(*server, question, *configuration, options.source.offline);
}

int exit_code_of(const api::Explanation& explanation) {
    return explanation.prospect == api::explanation_prospect::kNever ? kNeverStarts : 0;
}

void print_answer(const WhyOptions& options, const WhyAnswer& answer) {
    for (const auto& remark : answer.remarks) {
        report_line("note", remark);
    }
    const auto zone = options.utc ? TimeZone::Utc : TimeZone::Local;
    std::string text = options.output == "json"   ? api::encode(answer.explanation) + "\n"
                       : options.output == "yaml" ? yaml::print(api::to_value(answer.explanation))
                                                  : print_explanation(answer.explanation, zone);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

/// Prints the answer again whenever it has another state, reason or summary; ends when the workload
/// has finished.
int follow(const WhyOptions& options, WhyAnswer answer) {
    while (answer.explanation.state != api::condition::kFinished) {
        wait_for(kFollowPeriod);
        auto next = answer_question(options);
        if (!next) {
            report_line("error", next.error().detail);
            return next.error().code == ErrorCode::NotFound ? kNotFound : kBadInput;
        }
        const auto& before = answer.explanation;
        const auto& after = next->explanation;
        if (after.state != before.state || after.reason != before.reason ||
            after.summary != before.summary || after.position != before.position) {
            std::fputs("\n", stdout);
            print_answer(options, *next);
        }
        answer = *std::move(next);
    }
    return exit_code_of(answer.explanation);
}

int run_why(const WhyOptions& options) {
    auto answer = answer_question(options);
    if (!answer) {
        report_line("error", answer.error().detail);
        return answer.error().code == ErrorCode::NotFound ? kNotFound : kBadInput;
    }
    print_answer(options, *answer);
    return options.follow ? follow(options, *std::move(answer)) : exit_code_of(answer->explanation);
}

}  // namespace

void add_why(CLI::App& program, int& exit_code) {
    const auto options = std::make_shared<WhyOptions>();
    auto* command = program.add_subcommand("why", "Explain why a workload waits or runs");
    command->footer(kDescription);
    command
        ->add_option("workload", options->workload, "The workload: job/NAME, workload/NAME, NAME")
        ->required();
    command->add_option(
        "-n,--namespace", options->ns, "Its namespace (default: that of the context)"
    );
    add_source_options(*command, options->source);
    command->add_flag("--utc", options->utc, "Print times in UTC (default: local time)");
    command->add_flag("-w,--watch", options->follow, "Print the answer again when it changes")
        ->excludes(command->get_option("--filename"));
    command->add_option("-o,--output", options->output, "Output format: text, json or yaml")
        ->check(CLI::IsMember({"text", "json", "yaml"}))
        ->capture_default_str();
    command->callback([options, &exit_code] { exit_code = run_why(*options); });
}

}  // namespace sluice::commands
