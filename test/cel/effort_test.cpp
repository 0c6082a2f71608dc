#include "cel/evaluation/program.hpp"
#include "cel/values/operations.hpp"
#include "cel/values/schema.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

using namespace sluice;

namespace {

const json::Value& schema_document() {
    static const auto kSchema = json::parse(R"({"type": "object", "properties": {
        "text": {"type": "string"},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "names": {"type": "array", "items": {"type": "string"}},
        "parts": {"type": "array", "items": {"type": "object", "properties": {
            "name": {"type": "string"}, "size": {"type": "integer"}}}}}})");
    return *kSchema;
}

/// Half a megabyte, about the most that a server takes.
const json::Value& large_object() {
    static const json::Value kObject = [] {
        json::Array numbers;
        json::Array names;
        json::Array parts;
        for (int i = 0; i < 4000; ++i) {
            numbers.emplace_back(i);
            names.emplace_back("name-" + std::to_string(i));
            parts.emplace_back(json::Object{{"name", "part-" + std::to_string(i)}, {"size", i}});
        }
        return json::Value(json::Object{
            {"text", std::string(200'000, 'a')},
            {"numbers", std::move(numbers)},
            {"names", std::move(names)},
            {"parts", std::move(parts)}
        });
    }();
    return kObject;
}

struct Run {
    std::string outcome;
    std::uint64_t cost = 0;
    double seconds = 0;  ///< of the processor
};

Run evaluate(std::string_view expression) {
    static const auto kSchema = cel::read_schema(schema_document(), false);
    cel::Declarations declarations;
    declarations.variables["self"] = (*kSchema)->declared;
    declarations.scope = (*kSchema)->scope;
    const auto program = cel::compile(expression, declarations);
    REQUIRE(program);
    cel::Bindings bindings;
    bindings["self"] = cel::make_value(large_object(), kSchema->get());
    Run run;
    const std::clock_t begun = std::clock();
    const auto value = cel::evaluate(*program, bindings, cel::kCallBudget, &run.cost);
    run.seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    run.outcome = value ? cel::show(*value) : value.error().detail;
    return run;
}

}  // namespace

TEST_CASE("what costs little by the count of the API server, but takes long, is ended", "[cel]") {
    for (const std::string_view expression : {
             // Comparisons of lists and objects, which cost one unit however large they are.
             "self.numbers.all(n, self.names == self.names)",
             // Lists that are copied again and again.
             "self.numbers.all(n, (self.numbers + self.numbers).size() > 0)",
             // Texts that are read whole for one unit.
             "self.numbers.all(n, size(self.text) > 0)",
             // Patterns that are large to read.
             "self.names.exists(n, 'x'.matches('(' + n + '){900}'))",
         }) {
        const Run run = evaluate(expression);
        INFO(expression << ": cost " << run.cost);
        CHECK(run.outcome == cel::kBudgetExceeded);
        // Of a debug build; without the bound it would be minutes.
        CHECK(run.seconds < 20);
    }
}

TEST_CASE("what a rule of a definition does with a large object is not ended", "[cel]") {
    for (const std::string_view expression : {
             "self == self",
             "self.numbers.all(n, n >= 0)",
             "self.names.all(n, n.startsWith('name-'))",
             "self.parts.all(p, p.size < 4000 && p.name != '')",
             "size(self.text) == 200000 && self.text.matches('^a+$')",
             "(self.numbers + self.numbers).size() == 8000",
         }) {
        INFO(expression);
        CHECK(evaluate(expression).outcome == "true");
    }
}
