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

/// Schemas of kueue.x-k8s.io by kind and version, by which objects from files are judged as an API
/// server would judge them.
namespace sluice::commands {

/// Compiles each schema once, when an object of its kind comes first. One thread.
class ObjectSchemas {
  public:
    /// Fills in defaults. Then judges the object by the schema and its rules (CEL), and its
    /// metadata. `unknown` gets the fields that the schema does not know.
    /// Errors: Invalid for a kind or version without a schema; Invalid with all faults in one line.
    Result<void> complete(
        std::string_view kind,
        std::string_view version,
        json::Value& object,
        std::vector<std::string>& unknown
    );

    /// Returns true if the version of the kind has the field, which the object names.
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
