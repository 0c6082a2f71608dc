#pragma once

#include <string_view>

namespace sluice::api {

/// A rule of the CRD schemas in the API server's expression language, and what it says when it is
/// broken.
struct SchemaRule {
    std::string_view rule;
    std::string_view message;
};

/// The rule that the tables of fields call C<number>, from 1.
const SchemaRule& schema_rule(int number);

}  // namespace sluice::api
