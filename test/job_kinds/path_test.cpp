#include "job_kinds/path.hpp"

#include "job_kinds/document.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace sluice::job_kinds {
namespace {

/// Where the path leads and what is there, one a line.
std::string follow(const char* path, const json::Value& root) {
    const auto compiled = Path::compile(path);
    REQUIRE(compiled);
    std::string all;
    for (const Found& found : compiled->find_all(root)) {
        all += to_string(found.location) + "=" + json::print(*found.value) + "\n";
    }
    return all;
}

}  // namespace

TEST_CASE("a path leads to members, elements and elements that say something", "[job-kinds]") {
    const json::Value root = test::document(R"(
spec:
  tasks:
  - {name: a, size: 1}
  - {name: b, size: 2}
  roles:
    Master: {size: 3}
    x/y: {size: 4}
  nothing: null
)");
    CHECK(follow("spec.tasks[1].size", root) == "spec.tasks[1].size=2\n");
    CHECK(follow("$.spec.tasks[1].size", root) == "spec.tasks[1].size=2\n");
    CHECK(
        follow("spec.tasks[*].name", root) == "spec.tasks[0].name=\"a\"\nspec.tasks[1].name=\"b\"\n"
    );
    CHECK(follow("spec.tasks[?(@.name=='b')].size", root) == "spec.tasks[1].size=2\n");
    CHECK(follow("spec.roles['x/y'].size", root) == "spec.roles[x/y].size=4\n");
    CHECK(
        follow("spec.roles[*].size", root) == "spec.roles[Master].size=3\nspec.roles[x/y].size=4\n"
    );
    CHECK(follow("", root) == "=" + json::print(root) + "\n");
    CHECK(follow("$", root) == follow("", root));
}

TEST_CASE("a path leads nowhere where something is missing or of another type", "[job-kinds]") {
    const json::Value root = test::document("spec: {text: x, list: [1], nothing: null}");
    for (const char* path :
         {"status",
          "spec.nothing",
          "spec.text.more",
          "spec.text[0]",
          "spec.list[1]",
          "spec.list.name",
          "spec.list[?(@.name=='x')]"}) {
        INFO(path);
        CHECK(follow(path, root).empty());
    }
}

TEST_CASE("a path that cannot be read is refused with the place", "[job-kinds]") {
    const std::vector<std::pair<const char*, const char*>> cases = {
        {"spec..x", "character 6"},
        {"spec.", "character 6"},
        {"spec x", "character 5"},
        {"spec[", "character 6"},
        {"spec[x]", "character 6"},
        {"spec['x]", "character 6"},
        {"spec[0", "character 7"},
        {"spec[?(@.a=1)]", "character 11"},
        {"spec[?(@.a==1)]", "character 13"},
        {"spec[99999999999999999999999]", "character 6"},
    };
    for (const auto& [path, place] : cases) {
        INFO(path);
        const auto compiled = Path::compile(path);
        REQUIRE(!compiled);
        CHECK(compiled.error().detail.find(place) != std::string::npos);
    }
}

TEST_CASE("objects are made on the way to a location, list elements are not", "[job-kinds]") {
    json::Value root = test::document("spec: {list: [{}], text: x}");
    const auto made = [&root](const char* path) {
        json::Value* at = make_object(root, Path::compile(path)->steps());
        if (at != nullptr) {
            at->set("here", true);
        }
        return at != nullptr;
    };
    CHECK(made("spec.list[0].template"));
    CHECK(made("spec.text.inside"));
    CHECK(!made("spec.list[1].template"));
    CHECK(
        json::print(root) ==
        R"({"spec":{"list":[{"template":{"here":true}}],"text":{"inside":{"here":true}}}})"
    );
}

}  // namespace sluice::job_kinds
