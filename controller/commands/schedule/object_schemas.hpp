// Validates objects from files with the schemas of kueue.x-k8s.io, as an API server would.
#pragma once

#include "apiserver/schema/schema.hpp"
#include "base/error.hpp"
#include "cel/rules/schema_rules.hpp"
#include "json/value.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::commands {

/// The schemas by kind and version. Compiles a schema when the first object of its kind is read.
/// Thread: one.
class ObjectSchemas {
  public:
    /// Fills in defaults, then validates the object by its schema, the schema's rules (CEL), and
    /// the rules of metadata. Sets `unknown` to the fields that the schema does not know. Errors:
    /// Invalid for a kind or version without a schema; Invalid with all faults in one line.
    Result<void> complete(
        std::string_view kind,
        std::string_view version,
        json::Value& object,
        std::vector<std::string>& unknown
    );

    /// Returns true if that version of the kind has the field, a path that occurs in the object.
    bool knows(
        std::string_view kind,
        std::string_view version,
        const json::Value& object,
        const std::string& field
    );

  private:
    struct Compiled {
        std::shared_ptr<const apiserver::Schema> schema;
        cel::RuleSet rules;
        bool is_namespaced = false;
    };
    const Compiled* find(std::string_view kind, std::string_view version);

    std::map<std::pair<std::string, std::string>, Compiled, std::less<>> compiled_;
};

}  // namespace sluice::commands
