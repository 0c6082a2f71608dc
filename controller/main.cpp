#include "base/version.hpp"
#include "controller/commands/config/config.hpp"
#include "controller/commands/controller/controller.hpp"
#include "controller/commands/dev/dev.hpp"
#include "controller/commands/schedule/schedule.hpp"
#include "controller/commands/test/test.hpp"

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

/// Whether the line names no subcommand, or one that there is not; then says so.
bool lacks_subcommand(const CLI::App& program) {
    if (!program.get_subcommands().empty()) {
        return false;
    }
    std::vector<std::string> known;
    for (const CLI::App* subcommand :
         program.get_subcommands([](const CLI::App*) { return true; })) {
        known.push_back(subcommand->get_name());
    }
    const std::vector<std::string> given = program.remaining();
    const bool is_option = !given.empty() && given.front().starts_with('-');
    const std::string fault =
        given.empty()
            ? std::string("a subcommand is needed")
            : fmt::format(
                  "\"{}\" is no {} of sluice", given.front(), is_option ? "option" : "subcommand"
              );
    fmt::print(
        stderr,
        "error: {}; the subcommands are {}; see sluice --help\n",
        fault,
        fmt::join(known, ", ")
    );
    return true;
}

/// What is wrong with the line; of words that nothing takes, all in their order.
std::string explain(const CLI::App& program, const CLI::ParseError& error) {
    const std::vector<std::string> given = program.remaining(true);
    return dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || given.empty()
               ? std::string(error.what())
               : fmt::format("not expected: {}", fmt::join(given, " "));
}

/// The words of the command line, last first. `help NAME` is `NAME --help`. An option with an empty
/// value (`--name=`) becomes two words: the parser would take the word that follows for the value.
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
        // A word that is no subcommand is told as such.
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

/// Output that cannot be written is lost, and the end of the program would not report it.
bool is_output_written() {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
        return true;
    }
    fmt::print(stderr, "error: the output cannot be written: {}\n", std::strerror(errno));
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string version = fmt::format("sluice {}", sluice::version());
    CLI::App program{"Sluice, a batch queue controller for Kubernetes", "sluice"};
    program.require_subcommand(1);
    program.set_version_flag("--version", version, "Prints the version");
    int exit_code = 0;
    sluice::commands::add_controller(program, exit_code);
    sluice::commands::add_schedule(program, exit_code);
    sluice::commands::add_dev(program, exit_code);
    sluice::commands::add_test(program, exit_code);
    sluice::commands::add_config(program, exit_code);
    program.add_subcommand("version", "Prints the version")->callback([&version] {
        fmt::print("{}\n", version);
    });
    try {
        program.parse(make_words(program, argc, argv));
    } catch (const CLI::Success& asked) {
        return program.exit(asked);  // help or the version
    } catch (const CLI::ParseError& error) {
        if (!lacks_subcommand(program)) {
            fmt::print(
                stderr,
                "error: {}; see sluice {} --help\n",
                explain(program, error),
                program.get_subcommands().front()->get_name()
            );
        }
        return kBadUsage;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "error: out of memory\n");
        return kBadUsage;
    }
    return is_output_written() ? exit_code : kOutputLost;
}
