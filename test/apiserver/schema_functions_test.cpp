#include "apiserver/schema/schema_functions.hpp"

#include "apiserver/types/builtin_schemas.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice::apiserver {
namespace {

TEST_CASE("every built-in kind has a schema", "[apiserver][schema]") {
    for (const auto& kind : builtin_kinds()) {
        INFO(kind.kind);
        CHECK(builtin_schema(kind.group, kind.version, kind.kind) != nullptr);
    }
}

}  // namespace
}  // namespace sluice::apiserver
