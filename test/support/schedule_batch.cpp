#include "controller/commands/schedule/schedule.hpp"
#include "json/value.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

/// Runs `sluice schedule` once for each line of the input, a JSON list of its words, all in one
/// process. After each a line of the record separator and the exit code goes to stdout, and one to
/// stderr (schedule_batch.py reads them).
namespace {

constexpr int kBadUsage = 2;

/// What the program does with these words.
int run(std::vector<std::string> words) {
    CLI::App program{"Sluice, a batch queue controller for Kubernetes", "sluice"};
    int exit_code = 0;
    sluice::commands::add_schedule(program, exit_code);
    words.insert(words.begin(), "schedule");
    std::reverse(words.begin(), words.end());  // CLI11 takes a list from its end
    try {
        program.parse(words);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return kBadUsage;
    }
    return exit_code;
}

}  // namespace

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        const auto words = sluice::json::parse(line);
        if (!words || !words->is_array()) {
            fmt::print(stderr, "error: not a list of words: {}\n", line);
            return kBadUsage;
        }
        std::vector<std::string> texts;
        for (const auto& word : words->as_array()) {
            texts.push_back(word.as_string());
        }
        const int exit_code = run(std::move(texts));
        for (std::FILE* file : {stdout, stderr}) {
            fmt::print(file, "\x1e{}\n", exit_code);
            std::fflush(file);
        }
    }
    return 0;
}
