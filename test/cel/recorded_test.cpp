// Holds lib/cel against what a real API server said; compare.py asked it.
#include "cel/rules/schema_rules.hpp"
#include "json/patch.hpp"
#include "json/value.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

using namespace sluice;

namespace {

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    INFO(path);
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), {}};
}

const json::Value& recorded() {
    static const json::Value kRecorded = [] {
        auto read = json::parse(read_file(SLUICE_SOURCE_DIR "/test/cel/recorded.json"));
        REQUIRE(read.has_value());
        return *read;
    }();
    return kRecorded;
}

using Causes = std::vector<std::string>;

Causes recorded_causes(const json::Value& list) {
    Causes lines;
    for (const json::Value& each : list.as_array()) {
        const auto& parts = each.as_array();
        lines.push_back(fmt::format(
            "{} {} {}", parts[0].as_string(), parts[1].as_string(), parts[2].as_string()
        ));
    }
    std::ranges::sort(lines);
    return lines;
}

Causes shown(const std::vector<cel::RuleViolation>& violations) {
    Causes lines;
    for (const auto& each : violations) {
        lines.push_back(fmt::format(
            "{} {} {}", each.path.empty() ? "<nil>" : each.path, each.reason, print_message(each)
        ));
    }
    std::ranges::sort(lines);
    return lines;
}

json::Value at_spec(const json::Value& value) {
    return json::Object{{"spec", value}};
}

/// Of a syntax error the place alone: the server's parser goes on behind it in its own way.
Causes without_syntax(Causes lines) {
    for (std::string& line : lines) {
        line.resize(std::min(line.find("Syntax error"), line.size()));
    }
    return lines;
}

/// The rules of a schema, and why the schema is refused.
struct Judge {
    std::optional<cel::RuleSet> rules;
    Causes causes;

    explicit Judge(const json::Value& schema) {
        std::vector<cel::RuleViolation> faults;
        auto compiled = cel::compile_rules(schema, "spec.validation.openAPIV3Schema", &faults);
        causes = shown(faults);
        if (compiled) {
            rules = std::move(*compiled);
        }
    }
    Causes operator()(const json::Value& object, const json::Value* old = nullptr) const {
        REQUIRE(rules.has_value());
        return shown(cel::check(*rules, object, old));
    }
};

}  // namespace

TEST_CASE("Each rule is refused, met and broken as on a real API server", "[cel][recorded]") {
    const json::Value& table = *recorded().find("table");
    const auto& objects = table.find("objects")->as_array();
    const auto& updates = table.find("updates")->as_array();
    for (const json::Value& row : table.find("rules")->as_array()) {
        CAPTURE(json::print(*row.find("rule")));
        json::Value schema = *table.find("schema");
        schema.set("x-kubernetes-validations", json::Array{*row.find("rule")});
        const Judge judge(
            json::Object{{"type", "object"}, {"properties", json::Object{{"spec", schema}}}}
        );
        CHECK(without_syntax(judge.causes) == without_syntax(recorded_causes(*row.find("causes"))));
        if (!judge.causes.empty() || row.find("objects") == nullptr) {
            continue;
        }
        for (std::size_t i = 0; i < objects.size(); ++i) {
            CAPTURE(i);
            CHECK(
                judge(at_spec(objects[i])) == recorded_causes(row.find("objects")->as_array()[i])
            );
        }
        for (std::size_t i = 0; i < updates.size(); ++i) {
            CAPTURE(i);
            const json::Value old = at_spec(updates[i].as_array()[0]);
            CHECK(
                judge(at_spec(updates[i].as_array()[1]), &old) ==
                recorded_causes(row.find("updates")->as_array()[i])
            );
        }
    }
}

TEST_CASE("A function that lib/cel does not have is named", "[cel][recorded]") {
    const json::Value& table = *recorded().find("table");
    for (const json::Value& row : table.find("beyond")->as_array()) {
        CAPTURE(json::print(row));
        json::Value schema = *table.find("schema");
        schema.set(
            "x-kubernetes-validations", json::Array{json::Object{{"rule", row.string_at("rule")}}}
        );
        const Judge judge(
            json::Object{{"type", "object"}, {"properties", json::Object{{"spec", schema}}}}
        );
        REQUIRE(judge.causes.size() == 1);
        CHECK(
            judge.causes[0].find(
                fmt::format("undeclared reference to '{}' ", row.string_at("function"))
            ) != std::string::npos
        );
    }
}

TEST_CASE("Schemas of all forms are judged as on a real API server", "[cel][recorded]") {
    for (const json::Value& row : recorded().find("schemas")->as_array()) {
        CAPTURE(row.string_at("name"));
        const Judge judge(*row.find("schema"));
        CHECK(judge.causes == recorded_causes(*row.find("causes")));
        if (!judge.causes.empty() || row.find("objects") == nullptr) {
            continue;
        }
        for (const json::Value& each : row.find("objects")->as_array()) {
            CAPTURE(json::print(each));
            CHECK(judge(*each.find("object")) == recorded_causes(*each.find("causes")));
        }
        for (const json::Value& each : row.find("updates")->as_array()) {
            CAPTURE(json::print(each));
            CHECK(
                judge(*each.find("new"), each.find("old")) == recorded_causes(*each.find("causes"))
            );
        }
    }
}

namespace {

json::Value schema_of(const std::string& file, std::string_view version) {
    const auto definition = yaml::parse_document(read_file(SLUICE_SOURCE_DIR "/crds/" + file));
    REQUIRE(definition.has_value());
    for (const json::Value& each : definition->find_path({"spec", "versions"})->as_array()) {
        if (each.string_at("name") == version) {
            return *each.find_path({"schema", "openAPIV3Schema"});
        }
    }
    FAIL("no version " << version << " in " << file);
    return {};
}

}  // namespace

TEST_CASE("Kueue's own kinds are judged as on a real API server", "[cel][recorded]") {
    for (const json::Value& row : recorded().find("kinds")->as_array()) {
        CAPTURE(row.string_at("kind"), row.string_at("version"));
        const Judge judge(schema_of(std::string(row.string_at("file")), row.string_at("version")));
        REQUIRE(judge.causes == Causes{});
        const json::Value& full = *row.find("full");
        for (const json::Value& each : row.find("cases")->as_array()) {
            CAPTURE(each.string_at("name"));
            const auto object = json::apply_json_patch(full, *each.find("change"));
            REQUIRE(object.has_value());
            const bool is_update = each.find("is_update")->as_bool();
            CHECK(
                judge(*object, is_update ? &full : nullptr) == recorded_causes(*each.find("causes"))
            );
        }
        for (const json::Value& each : row.find("updates")->as_array()) {
            CAPTURE(each.string_at("name"));
            CHECK(
                judge(*each.find("new"), each.find("old")) == recorded_causes(*each.find("causes"))
            );
        }
    }
}
