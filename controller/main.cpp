#include "base/nearest_name.hpp"
#include "base/version.hpp"
#include "controller/commands/capacity/capacity.hpp"
#include "controller/commands/config/config.hpp"
#include "controller/commands/controller/controller.hpp"
#include "controller/commands/dev/dev.hpp"
#include "controller/commands/queue/queue.hpp"
#include "controller/commands/replay/replay.hpp"
#include "controller/commands/schedule/schedule.hpp"
#include "controller/commands/test/test.hpp"
#include "controller/commands/top/top.hpp"
#include "controller/commands/whatif/whatif.hpp"
#include "controller/commands/why/why.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int kBadUsage = 2;
constexpr int kOutputLost = 1;

/// Joins a fault, a suggestion if a known name is near, and the next word, capitalized after a
/// suggestion: `FAULT; the` or `FAULT; did you mean "dev"? The`.
std::string with_suggestion(
    std::string_view fault,
    std::string_view name,
    const std::vector<std::string>& known,
    std::string_view next_word
) {
    const std::string suggestion =
        sluice::suggest_name(name, std::vector<std::string_view>(known.begin(), known.end()));
    std::string word(next_word);
    if (!suggestion.empty()) {
        word.front() = static_cast<char>(word.front() - 'a' + 'A');
    }
    return fmt::format("{}{} {}", fault, suggestion.empty() ? ";" : suggestion, word);
}

/// Returns the commands on the command line, from the program to the innermost subcommand.
std::vector<const CLI::App*> parsed_commands(const CLI::App& program) {
    std::vector<const CLI::App*> commands{&program};
    while (!commands.back()->get_subcommands().empty()) {
        commands.push_back(commands.back()->get_subcommands().front());
    }
    return commands;
}

/// Returns the words that call the innermost command: `sluice config check`.
std::string command_words(const CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* command : parsed_commands(program)) {
        names.push_back(command->get_name());
    }
    return fmt::format("{}", fmt::join(names, " "));
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

std::vector<std::string> subcommand_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::App* subcommand :
         command.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(subcommand->get_name());
    }
    return names;
}

/// Joins a fault and the next word, with a suggestion if the unknown word is close to an option or
/// subcommand of the command.
std::string with_suggestion_of(
    const CLI::App& command,
    std::string_view fault,
    std::string_view unknown,
    std::string_view next_word
) {
    const bool is_option = unknown.starts_with('-');
    return with_suggestion(
        fault,
        unknown.substr(0, is_option ? unknown.find('=') : unknown.size()),
        is_option ? option_names(command) : subcommand_names(command),
        next_word
    );
}

/// Returns true, after printing an error, if the innermost command needs a subcommand and the
/// command line does not name a known one.
bool lacks_subcommand(const CLI::App& program) {
    const CLI::App& command = *parsed_commands(program).back();
    const std::vector<std::string> known = subcommand_names(command);
    if (known.empty()) {
        return false;
    }
    const std::vector<std::string> given = command.remaining();
    const std::string fault =
        given.empty() ? "a subcommand is needed; the"
                      : with_suggestion_of(
                            command,
                            fmt::format(
                                "unknown {} \"{}\"",
                                given.front().starts_with('-') ? "option" : "subcommand",
                                given.front()
                            ),
                            given.front(),
                            "the"
                        );
    fmt::print(
        stderr,
        "error: {} subcommands are {}; see {} --help\n",
        fault,
        fmt::join(known, ", "),
        command_words(program)
    );
    return true;
}

/// Returns the parser's fault, with all unknown words in their order, and the word that follows it:
/// `see` or `See`.
std::string explain(const CLI::App& program, const CLI::ParseError& error) {
    const std::vector<std::string> given = program.remaining(true);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || given.empty()) {
        return std::string(error.what()) + "; see";
    }
    const CLI::App& command = *parsed_commands(program).back();
    const bool takes_files = command.get_option_no_throw("-f") != nullptr;
    const std::string hint =
        takes_files && !given.front().starts_with('-') ? "; name files and folders with -f" : "";
    return with_suggestion_of(
        command,
        fmt::format("unexpected arguments: {}{}", fmt::join(given, " "), hint),
        given.front(),
        "see"
    );
}

/// Returns the words of the command line, last first. `help NAME` becomes `NAME --help`. An option
/// with an empty value (`--name=`) becomes two words: otherwise the parser would take the next word
/// as its value.
std::vector<std::string> make_words(const CLI::App& program, int argc, const char* const* argv) {
    std::vector<std::string> words;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const bool is_empty_option =
            word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1;
        words.emplace_back(is_empty_option ? word.substr(0, word.size() - 1) : word);
        if (is_empty_option) {
            words.emplace_back();
        }
    }
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        // If the word is not a subcommand, lacks_subcommand() reports it.
        const auto is_named = [&words](const CLI::App* subcommand) {
            return subcommand->get_name() == words.front();
        };
        if (words.empty() || !program.get_subcommands(is_named).empty()) {
            words.emplace_back("--help");
        }
    }
    std::ranges::reverse(words);
    return words;
}

/// Flushes the output and reports a failure, which the end of the program would not report.
bool is_output_written() {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
        return true;
    }
    fmt::print(stderr, "error: cannot write the output: {}\n", std::strerror(errno));
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string version = fmt::format("sluice {}", sluice::version());
    CLI::App program{"Sluice, a batch queue controller for Kubernetes", "sluice"};
    program.require_subcommand(1);
    program.set_version_flag("--version", version, "Print the version");
    int exit_code = 0;
    sluice::commands::add_controller(program, exit_code);
    sluice::commands::add_schedule(program, exit_code);
    sluice::commands::add_capacity(program, exit_code);
    sluice::commands::add_why(program, exit_code);
    sluice::commands::add_queue(program, exit_code);
    sluice::commands::add_top(program, exit_code);
    sluice::commands::add_whatif(program, exit_code);
    sluice::commands::add_replay(program, exit_code);
    sluice::commands::add_dev(program, exit_code);
    sluice::commands::add_test(program, exit_code);
    sluice::commands::add_config(program, exit_code);
    program.add_subcommand("version", "Print the version")->callback([&version] {
        fmt::print("{}\n", version);
    });
    try {
        program.parse(make_words(program, argc, argv));
    } catch (const CLI::Success& asked) {
        return program.exit(asked);  // help or the version
    } catch (const CLI::ParseError& error) {
        if (!lacks_subcommand(program)) {
            fmt::print(
                stderr, "error: {} {} --help\n", explain(program, error), command_words(program)
            );
        }
        return kBadUsage;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "error: out of memory\n");
        return kBadUsage;
    }
    return is_output_written() ? exit_code : kOutputLost;
}
