#include "scenarios/scenario_world.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// Runs scenario files (README.md beside this), or all of a folder: each given cluster, what
/// happens to it, and what must have been decided. Names each file, with what differs in it, and
/// ends with `N passed, N failed`; the exit code is 1 when something differs or a file cannot be
/// read.
namespace {

using namespace sluice;

std::vector<std::string> run(const json::Value& scenario) {
    for (const auto& [word, value] : scenario.as_object()) {
        if (word != "description" && word != "options" && word != "given" && word != "when" &&
            word != "then") {
            return {"a scenario has no " + word};
        }
    }
    auto options = scenarios::parse_options(scenario.find("options"));
    if (!options) {
        return {options.error().detail};
    }
    scenarios::World world(std::move(*options));
    json::Array steps;
    if (const json::Value* given = scenario.find("given")) {
        steps.push_back(*given);
    }
    if (const json::Value* when = scenario.find("when")) {
        if (when->is_array()) {
            steps.insert(steps.end(), when->as_array().begin(), when->as_array().end());
        } else {
            steps.push_back(*when);
        }
    }
    std::vector<std::string> differences;
    std::size_t position = 0;
    for (json::Value& step : steps) {
        ++position;
        json::Value expected;
        if (json::Value* then = step.find("then")) {
            expected = std::move(*then);
            step.erase("then");
        }
        if (auto taken = world.take(step); !taken) {
            return {fmt::format("step {}: {}", position, taken.error().detail)};
        }
        if (expected.is_array()) {
            for (const std::string& difference : world.check(expected)) {
                differences.push_back(fmt::format("step {}: {}", position, difference));
            }
        }
    }
    const json::Value* then = scenario.find("then");
    if (then == nullptr || !then->is_array()) {
        return {"a scenario ends with a list 'then'"};
    }
    const auto last = world.check(*then);
    differences.insert(differences.end(), last.begin(), last.end());
    return differences;
}

bool run_file(const std::filesystem::path& path) {
    // First, so that the last line of a run that crashes names the file.
    fmt::print("{}: ", path.string());
    std::fflush(stdout);
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) {
        fmt::print("FAILED: cannot be read\n");
        return false;
    }
    const auto scenario = yaml::parse_document(text.str());
    if (!scenario || !scenario->is_object()) {
        fmt::print("FAILED: {}\n", scenario ? "is no object" : scenario.error().detail);
        return false;
    }
    const auto differences = run(*scenario);
    fmt::print("{}\n", differences.empty() ? "passed" : "FAILED");
    for (const std::string& difference : differences) {
        fmt::print("  {}\n", difference);
    }
    return differences.empty();
}

/// The scenarios of a folder by name; a path that is no folder is taken as a file.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path)) {
        return {path};
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
        if (entry.path().extension() == ".yaml") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t passed = 0;
    std::vector<std::string> failed;
    for (int i = 1; i < argc; ++i) {
        const auto files = files_of(argv[i]);
        if (files.empty()) {
            failed.push_back(fmt::format("{}: no scenario is there", argv[i]));
        }
        for (const auto& file : files) {
            if (run_file(file)) {
                ++passed;
            } else {
                failed.push_back(file.string());
            }
        }
    }
    for (const std::string& file : failed) {
        fmt::print("FAILED: {}\n", file);
    }
    fmt::print("{} passed, {} failed\n", passed, failed.size());
    return passed > 0 && failed.empty() ? 0 : 1;
}
