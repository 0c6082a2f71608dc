// The rules of a schema in compiled form.
#pragma once

#include "cel/evaluation/program.hpp"
#include "cel/values/schema.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::cel {

/// The expression for a rule's message.
struct CompiledMessage {
    std::string source;
    Program program;
};

/// A rule and its compiled expressions.
struct CompiledRule {
    SchemaRule source;
    std::optional<Program> program;
    std::optional<CompiledMessage> message;
    std::string problem;     ///< why it was not compiled; "" if it was, or if the rule is empty
    std::uint64_t cost = 0;  ///< estimate for one evaluation
    std::uint64_t message_cost = 0;
    bool uses_old_self = false;
    std::string field_path;  ///< `.name` or `[key]` parts, appended to the path of the object
};

/// The rules at one place of a schema and below it.
struct CompiledSchema {
    const Schema* schema = nullptr;
    std::vector<CompiledRule> rules;
    std::unique_ptr<CompiledSchema> items;
    std::unique_ptr<CompiledSchema> additional;
    std::map<std::string, std::unique_ptr<CompiledSchema>, std::less<>> properties;
    std::unique_ptr<Schema> owned;  ///< set at the root: all parts refer to it
};

}  // namespace sluice::cel
