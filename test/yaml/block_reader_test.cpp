#include "yaml/block_reader.hpp"

#include "json/tree_builder.hpp"
#include "yaml/block_documents.hpp"
#include "yaml/library_reader.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace sluice;

namespace {

/// What the block reader makes of it; nothing where it leaves the text to yaml-cpp.
std::optional<std::string> read_quickly(const std::string& text) {
    json::TreeBuilder builder;
    if (!yaml::read_block(text, 128, builder) || builder.repeated_key()) {
        return std::nullopt;
    }
    REQUIRE(builder.is_complete());
    return json::print(builder.take());
}

std::string read_with_library(const std::string& text) {
    std::string made;
    yaml::read_with_library(text, 1, {}, [&](const yaml::Document& document) {
        made += made.empty() ? "" : "\n";
        made += document.value ? json::print(*document.value) : document.value.error().detail;
    });
    return made;
}

}  // namespace

TEST_CASE("plain block style is read without yaml-cpp and means the same", "[yaml]") {
    for (const std::string text :
         {"a: 1\n",
          "a: 1",
          "- a\n- b\n",
          "a:\n- b\n- c: 1\n  d: 2\n-\n  e: 3\n-\nf: ~\n",
          "a:\n  - - x\n    - y\n  - - z\nb:\n",
          "a: {}\nb: []\nc: ''\nd: \"x\\ty\"\ne: 'it''s'\n",
          "# head\n\na: b # c\n  # further in\nd:  # nothing\n  e: f\n",
          "a: |\n  {\"x\": 1}\n\n   more\nb: |-\n  # text\nc: x\n",
          "a: one text\n  on two lines\nb: 'two\n  lines'\nc: \"two\n  lines\"\n",
          "\"a b\": 1\n'c': 2\n1: 3\ntrue: 4\n",
          "a: \xC3\xA9t\xC3\xA9\n",
          "a: x:y\nb: x#y\nc: -1\nd: <none>\n"}) {
        CAPTURE(text);
        const auto made = read_quickly(text);
        REQUIRE(made);
        CHECK(*made == read_with_library(text));
    }
}

TEST_CASE("what is more than plain block style is left to yaml-cpp", "[yaml]") {
    for (const std::string text :
         {"",
          "x",
          "a: &x 1\nb: *x\n",
          "a: !!str 1\n",
          "a: {b: c}\n",
          "<<: {}\n",
          "? a\n: b\n",
          "a: >\n  x\n",
          "a: |2\n   x\n",
          "a: |\n  x",
          "a: \"\\q\"\n",
          "a: \"\\u0041\"\n",
          "a:\tb\n",
          "a: b\r\n",
          "a: \xFF\n",
          "a: b: c\n",
          "a: 'x\n",
          "a: 1\n b: 2\n",
          "  a: 1\nb: 2\n",
          "- a\nb: 1\n",
          "a: 1\n- b\n",
          "a: .inf\n",
          "~: a\n",
          "a: 1\n...\nb: 2\n",
          "--- a\n",
          "a: 1\na: 2\n",
          "%YAML 1.2\n"}) {
        CAPTURE(text);
        CHECK_FALSE(read_quickly(text));
    }
    std::string deep;
    for (std::size_t i = 0; i < 130; ++i) {
        deep += std::string(i, ' ') + "a:\n";
    }
    CHECK_FALSE(read_quickly(deep));
    CHECK_FALSE(read_quickly(std::string(1100, 'k') + ": 1\n"));
}

TEST_CASE("random documents mean the same to the block reader and to yaml-cpp", "[yaml]") {
    constexpr std::uint64_t kSeed = 20261122;
    constexpr int kDocuments = 1500;
    yaml::BlockDocuments documents(kSeed);
    int read = 0;
    for (int i = 0; i < kDocuments; ++i) {
        for (const auto& text : {documents.make(), documents.make_broken()}) {
            if (const auto made = read_quickly(text)) {
                CAPTURE(kSeed, i, text);
                REQUIRE(*made == read_with_library(text));
                ++read;
            }
        }
    }
    CHECK(read > kDocuments / 4);
}
