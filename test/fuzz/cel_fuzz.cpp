#include "base/assert.hpp"
#include "cel/evaluation/cost_estimate.hpp"
#include "cel/evaluation/program.hpp"
#include "cel/values/operations.hpp"
#include "cel/values/schema.hpp"
#include "fuzz/fuzz_target.hpp"
#include "json/value.hpp"

#include <string_view>

namespace {

using namespace sluice;

const json::Value& schema_document() {
    static const auto kSchema = json::parse(R"({"type": "object", "properties": {
        "n": {"type": "integer"}, "d": {"type": "number"}, "s": {"type": "string"},
        "b": {"type": "boolean"}, "port": {"x-kubernetes-int-or-string": true},
        "list": {"type": "array", "items": {"type": "integer"}},
        "names": {"type": "array", "items": {"type": "string"}},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "items": {"type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object",
            "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}},
        "when": {"type": "string", "format": "date-time"},
        "wait": {"type": "string", "format": "duration"},
        "raw": {"type": "string", "format": "byte"}}})");
    return *kSchema;
}

const json::Value& object() {
    static const auto kObject = json::parse(R"({"n": 7, "d": 1.5, "s": "hello", "b": true,
        "port": "80%", "list": [3, 1, 2], "names": ["b", "a"], "map": {"one": 1, "two": 2},
        "items": [{"name": "p", "size": 1}, {"name": "q"}], "when": "2024-02-29T12:30:05.25Z",
        "wait": "1h30m", "raw": "aGk="})");
    return *kObject;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view source(reinterpret_cast<const char*>(data), size);
    static const auto kSchema = cel::read_schema(schema_document(), false);
    cel::Declarations declarations;
    declarations.variables["self"] = (*kSchema)->declared;
    declarations.scope = (*kSchema)->scope;
    const auto program = cel::compile(source, declarations);
    if (!program) {
        SLUICE_ASSERT(!program.error().detail.empty());
        return 0;
    }
    (void)cel::find_failing_constant(*program);
    cel::Bindings bindings;
    bindings["self"] = cel::make_value(object(), kSchema->get());
    std::uint64_t cost = 0;
    const auto value = cel::evaluate(*program, bindings, cel::kCallBudget, &cost);
    SLUICE_ASSERT(value || !value.error().detail.empty());
    // The same again, and so much is enough.
    std::uint64_t again = 0;
    const auto second = cel::evaluate(*program, bindings, cel::kCallBudget, &again);
    SLUICE_ASSERT(value.has_value() == second.has_value() && cost == again);
    SLUICE_ASSERT(!value || cost <= cel::kCallBudget);
    (void)cel::estimate_cost(program->expression(), *(*kSchema)->declared);
    return 0;
}
