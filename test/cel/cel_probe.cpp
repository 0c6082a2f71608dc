// Reads requests from stdin, one JSON document a line, and answers each with a line of JSON:
//   {"schema": …}                            the faults of the rules of a schema
//   {"schema": …, "object": …, "old": …}     what the object breaks; "old" may be left out
// An answer is a list of lines as the API server prints them.
#include "cel/schema_rules.hpp"
#include "json/value.hpp"

#include <fmt/format.h>

#include <iostream>
#include <string>

using namespace sluice;

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        const auto request = json::parse(line);
        if (!request || request->find("schema") == nullptr) {
            fmt::print(stderr, "cel_probe: a line must be an object with a schema\n");
            return 2;
        }
        std::vector<cel::RuleViolation> found;
        const auto rules = cel::compile_rules(*request->find("schema"), "openAPIV3Schema", &found);
        if (!rules && found.empty()) {
            found.push_back({"", "InternalError", "", rules.error().detail});
        }
        const json::Value* object = request->find("object");
        if (rules && object != nullptr) {
            found = cel::check(*rules, *object, request->find("old"));
        }
        json::Array answer;
        for (const auto& each : found) {
            answer.emplace_back(cel::print_violation(each));
        }
        fmt::print("{}\n", json::print(json::Value(std::move(answer))));
    }
    return 0;
}
