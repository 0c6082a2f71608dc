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

/// The expression that makes a rule's message.
struct CompiledMessage {
    std::string source;
    Program program;
};

/// A rule and what it was compiled to.
struct CompiledRule {
    SchemaRule source;
    std::optional<Program> program;
    std::optional<CompiledMessage> message;
    std::string problem;     ///< why it was not compiled; "" when it was, or when it is empty
    std::uint64_t cost = 0;  ///< the estimate for one evaluation
    std::uint64_t message_cost = 0;
    bool uses_old_self = false;
    std::string field_path;  ///< `.name` or `[key]` parts, to be added to the path of the object
};

/// The rules at one place of a schema and below it.
struct CompiledSchema {
    const Schema* schema = nullptr;
    std::vector<CompiledRule> rules;
    std::unique_ptr<CompiledSchema> items;
    std::unique_ptr<CompiledSchema> additional;
    std::map<std::string, std::unique_ptr<CompiledSchema>, std::less<>> properties;
    std::unique_ptr<Schema> owned;  ///< at the root: what all parts refer to
};

}  // namespace sluice::cel
