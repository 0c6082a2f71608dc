#include "apiserver/schema/decoding.hpp"
#include "apiserver/schema/schema.hpp"
#include "apiserver/schema/schema_functions.hpp"
#include "apiserver/schema/schema_structure.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {
namespace {

using json::Value;

Value read_recording(const char* name) {
    std::ifstream stream(std::string(SLUICE_RECORDINGS "/") + name);
    std::ostringstream text;
    text << stream.rdbuf();
    auto parsed = json::parse(text.str());
    REQUIRE(parsed);
    return std::move(parsed).value();
}

const Value& recorded() {
    static const Value kRecorded = read_recording("definitions.rec");
    return kRecorded;
}

std::vector<std::string> lines_of(const std::vector<Cause>& causes) {
    std::vector<std::string> lines;
    for (const auto& cause : causes) {
        lines.push_back(cause.field + ": " + cause.reason + ": " + cause.message);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::vector<Cause> causes_of(const Value& row) {
    std::vector<Cause> causes;
    for (const auto& cause : row.find("causes")->as_array()) {
        causes.push_back({
            std::string(cause.string_at("reason")),
            std::string(cause.string_at("message")),
            std::string(cause.string_at("field")),
        });
    }
    return causes;
}

TEST_CASE("a schema is refused with the words of the API server", "[apiserver][schema]") {
    for (const auto& row : recorded().find("schemas")->as_array()) {
        INFO(json::print(*row.find("schema")).substr(0, 300));
        const auto causes =
            check_structural(*row.find("schema"), "spec.validation.openAPIV3Schema");
        CHECK(lines_of(causes) == lines_of(causes_of(row)));
        if (causes.empty()) {
            CHECK(compile_schema(*row.find("schema")).has_value());
        }
    }
}

TEST_CASE(
    "an object is pruned, defaulted and refused as by the API server", "[apiserver][schema]"
) {
    const auto schema = compile_schema(*recorded().find("schema"));
    REQUIRE(schema);
    for (const auto& row : recorded().find("objects")->as_array()) {
        Value object = *row.find("body");
        INFO(json::print(object).substr(0, 300));
        if (row.find("code")->as_int() == 400) {
            continue;
        }
        prune(**schema, object);
        apply_defaults(**schema, object);
        CHECK(lines_of(validate(**schema, object)) == lines_of(causes_of(row)));
        if (const Value* stored = row.find("stored")) {
            REQUIRE(object.find("spec") != nullptr);
            CHECK(json::print_sorted(*object.find("spec")) == json::print_sorted(*stored));
        }
    }
}

TEST_CASE("what an update leaves as it was is not refused", "[apiserver][schema]") {
    const auto recording = read_recording("ratcheting.rec");
    const auto schema = compile_schema(*recording.find("schema"));
    REQUIRE(schema);
    const Value& old_object = *recording.find("old");
    for (const auto& row : recording.find("rows")->as_array()) {
        Value object = old_object;
        object.set("spec", *row.find("spec"));
        INFO(json::print(*row.find("spec")));
        CHECK(lines_of(validate(**schema, object, &old_object)) == lines_of(causes_of(row)));
    }
}

}  // namespace
}  // namespace sluice::apiserver
