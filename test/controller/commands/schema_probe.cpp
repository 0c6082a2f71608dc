#include "controller/commands/schedule/object_schemas.hpp"
#include "json/value.hpp"

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <vector>

// Reads one object of kueue.x-k8s.io a line, and answers each with a line: "ok", or why the schema
// refuses it. schema_cases.py asks it what the e2e suite asks the real API server.
int main() {
    using namespace sluice;
    commands::ObjectSchemas schemas;
    for (std::string line; std::getline(std::cin, line);) {
        auto object = json::parse(line);
        if (!object) {
            fmt::print("{}\n", object.error().detail);
            continue;
        }
        const std::string kind(object->string_at("kind"));
        const std::string api_version(object->string_at("apiVersion"));
        const auto version = api_version.substr(api_version.find('/') + 1);
        std::vector<std::string> unknown;
        auto done = schemas.complete(kind, version, *object, unknown);
        if (!unknown.empty()) {
            done = make_invalid("unknown field " + unknown.front());
        }
        fmt::print("{}\n", done ? "ok" : done.error().detail);
    }
    return 0;
}
