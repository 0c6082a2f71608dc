#include "api/schema/schema_validation.hpp"
#include "json/value.hpp"

#include <fmt/format.h>

#include <iostream>
#include <string>

// Reads one object of kueue.x-k8s.io a line, and answers each with a line: "ok", or why the schema
// refuses it. schema_cases.py asks it what the e2e suite asks the real API server.
int main() {
    using namespace sluice;
    for (std::string line; std::getline(std::cin, line);) {
        auto object = json::parse(line);
        if (!object) {
            fmt::print("{}\n", object.error().detail);
            continue;
        }
        const std::string kind(object->string_at("kind"));
        const std::string api_version(object->string_at("apiVersion"));
        const auto version = api_version.substr(api_version.find('/') + 1);
        auto done = api::apply_defaults(kind, version, *object);
        if (done) {
            done = api::validate_schema(kind, version, *object);
        }
        if (const auto unknown = api::find_unknown_fields(kind, version, *object);
            !unknown.empty()) {
            done = make_invalid("unknown field " + unknown.front());
        }
        fmt::print("{}\n", done ? "ok" : done.error().detail);
    }
    return 0;
}
