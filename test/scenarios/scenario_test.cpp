#include "scenarios/scenario_world.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

/// Runs scenario files (README.md beside this): each given cluster, what happens to it, and what
/// must have been decided. Prints what differs; the exit code is 1 when something does.
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

bool run_file(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    auto scenario = yaml::parse_document(text.str());
    if (!file || !scenario || !scenario->is_object()) {
        fmt::print("{}: {}\n", path, scenario ? "cannot be read" : scenario.error().detail);
        return false;
    }
    const auto differences = run(*scenario);
    if (!differences.empty()) {
        fmt::print("{}: {}\n", path, scenario->string_at("description"));
    }
    for (const std::string& difference : differences) {
        fmt::print("  {}\n", difference);
    }
    return differences.empty();
}

}  // namespace

int main(int argc, char** argv) {
    int failed = argc < 2 ? 1 : 0;
    for (int i = 1; i < argc; ++i) {
        failed += run_file(argv[i]) ? 0 : 1;
    }
    return failed == 0 ? 0 : 1;
}
