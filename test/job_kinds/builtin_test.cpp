#include "job_kinds/builtin.hpp"

#include "config/validation.hpp"
#include "job_kinds/builtin_files.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

namespace sluice::job_kinds {

TEST_CASE("the descriptions that are built in have no faults", "[job-kinds]") {
    for (const BuiltinFile& file : builtin_files()) {
        INFO(file.name);
        const auto document = yaml::parse_document(file.text);
        REQUIRE(document);
        config::Problems problems;
        read_description(*document, "", problems);
        CHECK(config::to_string(problems.take()).empty());
    }
}

TEST_CASE("a built-in description is of a framework, as that names its kind", "[job-kinds]") {
    const auto frameworks = config::known_frameworks();
    for (const Description& one : builtin_descriptions()) {
        INFO(one.framework);
        const auto found = std::ranges::find(frameworks, one.framework, &config::Framework::name);
        REQUIRE(found != frameworks.end());
        CHECK(found->kind == one.kind + "." + one.version + "." + one.group);
    }
}

}  // namespace sluice::job_kinds
