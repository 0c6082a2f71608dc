#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <utility>

using namespace sluice;

namespace {

std::string print(const std::string& text) {
    const auto value = yaml::parse_document(text);
    REQUIRE(value);
    return json::print(*value);
}

std::string error_of(const std::string& text) {
    const auto value = yaml::parse_document(text);
    REQUIRE_FALSE(value);
    return value.error().detail;
}

}  // namespace

TEST_CASE("scalars mean what they mean to kubectl", "[yaml]") {
    using Row = std::pair<std::string, std::string>;
    const auto row = GENERATE(
        Row{"yes", "true"},
        Row{"y", "true"},
        Row{"no", "false"},
        Row{"On", "true"},
        Row{"OFF", "false"},
        Row{"tRue", "\"tRue\""},
        Row{"~", "null"},
        Row{"", "null"},
        Row{"012", "10"},
        Row{"0o14", "12"},
        Row{"0x1F", "31"},
        Row{"0b101", "5"},
        Row{"1_000", "1000"},
        Row{"1.5", "1.5"},
        Row{".5", "0.5"},
        Row{"1.", "1"},
        Row{"1e3", "1000"},
        Row{"1E+3", "1000"},
        Row{"+1", "1"},
        Row{"-0", "0"},
        Row{"2001-01-01", "\"2001-01-01\""},
        Row{"'1'", "\"1\""},
        Row{"\"yes\"", "\"yes\""},
        Row{"!!str 1", "\"1\""},
        Row{"!!int '1'", "1"},
        Row{"=", "\"=\""},
        Row{"1:30", "\"1:30\""},
        Row{"08", "8"},
        Row{"-012", "-10"},
        Row{"0x", "\"0x\""},
        Row{"1e400", "\"1e400\""},
        Row{"!foo x", "\"x\""},
        Row{"_1", "\"_1\""},
        Row{"1__0", "10"},
        Row{"+", "\"+\""},
        Row{".", "\".\""},
        Row{"1.2.3", "\"1.2.3\""},
        Row{"1e", "\"1e\""},
        Row{"1.0", "1"},
        Row{"-0x1F", "-31"},
        Row{"500m", "\"500m\""},
        Row{"|\n  x\n  y\n", "\"x\\ny\\n\""},
        Row{">-\n  x\n  y\n", "\"x y\""}
    );
    CAPTURE(row.first);
    CHECK(print("a: " + row.first) == "{\"a\":" + row.second + "}");
}

TEST_CASE("keys become strings and merges fill what is missing", "[yaml]") {
    CHECK(print("1: a\ntrue: b\n1.5: c") == R"({"1":"a","true":"b","1.5":"c"})");
    CHECK(
        print("b: &x {c: 1, d: 0}\na:\n  <<: *x\n  d: 2") ==
        R"({"b":{"c":1,"d":0},"a":{"d":2,"c":1}})"
    );
    CHECK(
        print("a: [&x {c: 1}, &y {c: 2, d: 3}]\nb: {<<: [*x, *y]}") ==
        R"({"a":[{"c":1},{"c":2,"d":3}],"b":{"c":1,"d":3}})"
    );
    CHECK(error_of("a: 1\n[1, 2]: x") == "2: a key must be a string");
    CHECK(error_of("~: x") == "1: a key must be a string");
    CHECK(error_of("a: {<<: 1}") == "1: only maps can be merged");
}

TEST_CASE("a stream is read document by document", "[yaml]") {
    const auto documents = yaml::parse_documents(
        "# head\n%YAML 1.1\n---\n# only a comment\n---\na: 1\n--- # next\n{\"b\": 2}\n---\nc: [\n"
        "---\nd: |\n  x\n---\n--- {e: 5}\n...\nf: 6\n"
    );
    REQUIRE(documents.size() == 6);
    CHECK(json::print(documents[0].value.value()) == R"({"a":1})");
    CHECK(documents[0].line == 6);
    CHECK(json::print(documents[1].value.value()) == R"({"b":2})");
    CHECK(documents[1].line == 8);
    REQUIRE_FALSE(documents[2].value);
    CHECK(documents[2].value.error().detail.find("1") == 0);
    CHECK(json::print(documents[3].value.value()) == R"({"d":"x\n"})");
    CHECK(json::print(documents[4].value.value()) == R"({"e":5})");
    CHECK(json::print(documents[5].value.value()) == R"({"f":6})");
    CHECK(yaml::parse_documents("").empty());
    CHECK(yaml::parse_documents("# nothing\n---\n").empty());
}

TEST_CASE("a comma between documents is one error that says so", "[yaml]") {
    const auto said = [](std::size_t line, std::size_t column) {
        return std::to_string(line) + ": a comma at column " + std::to_string(column) +
               " is outside of any list or map; documents are separated by a line of '---', "
               "not by commas";
    };
    using Row = std::pair<std::string, std::string>;
    const auto row = GENERATE_COPY(
        Row{",", said(1, 1)},
        Row{"{\"a\": 1},", said(1, 9)},
        Row{"[a], b", said(1, 4)},
        Row{"{\"a\": 1},\n{\"b\": 2}\n", said(1, 9)},
        Row{"{\"a\": 1}\n,\n{\"b\": 2}\n", said(2, 1)},
        Row{"# two\n---\n{\n  \"a\": 1\n},\n{\n  \"b\": 2\n},\n", said(5, 2)}
    );
    CAPTURE(row.first);
    CHECK(error_of(row.first) == row.second);
    const auto documents = yaml::parse_documents(row.first + "\n---\nlast: 1\n");
    REQUIRE(documents.size() >= 2);
    CHECK(documents.size() <= 3);
    CHECK_FALSE(documents[documents.size() - 2].value);
    CHECK(json::print(documents.back().value.value()) == R"({"last":1})");
}

TEST_CASE("duplicate keys are refused with their line", "[yaml]") {
    CHECK(error_of("a: 1\nb:\n  c: 1\n  c: 2\n") == "4: duplicate key 'c'");
    CHECK(error_of("{\"a\": 1, \"a\": 2}") == "1: duplicate key 'a'");
    CHECK(print("a: {x: 1}\nb: {x: 1}") == R"({"a":{"x":1},"b":{"x":1}})");
}

TEST_CASE("duplicate keys are noted where there is a place for them", "[yaml]") {
    std::vector<yaml::RepeatedKey> repeated;
    const auto read = [&repeated](std::string_view text) {
        repeated.clear();
        const auto value = yaml::parse_document(text, {.repeated_keys = &repeated});
        return value ? json::print(*value) : value.error().detail;
    };
    CHECK(read("a: 1\nb:\n  c: 1\n  c: 2\na:\n  x: z\n") == R"({"a":{"x":"z"},"b":{"c":2}})");
    REQUIRE(repeated.size() == 2);
    CHECK(repeated[0].line == 4);
    CHECK(repeated[0].key == "c");
    CHECK(repeated[1].line == 6);
    CHECK(read("{\"a\": 1,\n \"a\": 2}") == R"({"a":2})");
    REQUIRE(repeated.size() == 1);
    CHECK(repeated[0].line == 2);
    CHECK(read("a: 1\nb: 2\n") == R"({"a":1,"b":2})");
    CHECK(repeated.empty());
    // What is merged stands behind what the map says itself.
    CHECK(
        read("x: &x {a: 0, c: 3}\nz: {<<: *x, a: 1, b: 1, a: 2}\n") ==
        R"({"x":{"a":0,"c":3},"z":{"a":2,"b":1,"c":3}})"
    );
    CHECK(repeated.size() == 1);
}

TEST_CASE("what would eat memory or the stack is refused", "[yaml]") {
    SECTION("aliases of aliases") {
        std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
        for (int i = 1; i < 12; ++i) {
            const auto previous = "*a" + std::to_string(i - 1);
            bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
            for (int j = 0; j < 10; ++j) {
                bomb += (j == 0 ? "" : ", ") + previous;
            }
            bomb += "]\n";
        }
        CHECK(error_of(bomb).find("aliases repeat too many values") != std::string::npos);
    }
    SECTION("depth") {
        const auto nested = [](std::size_t depth) {
            return "a: " + std::string(depth, '[') + std::string(depth, ']');
        };
        CHECK(yaml::parse_document(nested(100)));
        CHECK(error_of(nested(200)) == "1: nested deeper than 128 levels");
        CHECK_FALSE(yaml::parse_document(nested(100'000)));
        CHECK_FALSE(yaml::parse_document(std::string(100'000, '{')));
    }
    SECTION("size") {
        const auto value = yaml::parse_document("a: 12345", {.bytes = 4});
        REQUIRE_FALSE(value);
        CHECK(value.error().detail == "1: 8 bytes are more than the limit of 4");
    }
    SECTION("an anchor that holds itself") {
        CHECK_FALSE(yaml::parse_document("&a [*a]"));
    }
}

TEST_CASE("a quotation that is never closed is refused", "[yaml]") {
    const std::string what = ": a quotation mark that is never closed";
    CHECK(error_of("name: \"abc\n") == "1" + what);
    CHECK(error_of("a: 1\nname: 'it''s\n\n  ") == "2" + what);
    CHECK(error_of("a: \"x\\\"\nb: 2\n") == "1" + what);
    CHECK(error_of("? \"a\n") == "1" + what);
    CHECK(error_of("- \"a\n- b\n") == "1" + what);
    CHECK(error_of("a: &x !!str 'abc\n") == "1" + what);
    CHECK(error_of("a: !!str # c\n  'abc\n") == "1" + what);
    CHECK_FALSE(yaml::parse_document("{a: \"b\n"));
    CHECK_FALSE(yaml::parse_document("a: \"b"));
    const auto row = GENERATE(
        std::pair{"a: \"x\n  y\n\n  z\"\n", R"({"a":"x y\nz"})"},
        std::pair{"a: 'x\n  it''s'\n", R"({"a":"x it's"})"},
        std::pair{"a: it's\nb: 5\"\n", R"({"a":"it's","b":"5\""})"},
        std::pair{"a: |\n  \"x\n  'y\n", R"({"a":"\"x\n'y\n"})"},
        std::pair{"a: >\n  \"x\n", R"({"a":"\"x\n"})"},
        std::pair{"a: 1 # don't \"\n", R"({"a":1})"},
        std::pair{"a: !!str\n\"b\": \"'\"\n", R"({"a":"","b":"'"})"},
        std::pair{"a: &x\n  'it''s'\nb: *x\n", R"({"a":"it's","b":"it's"})"},
        std::pair{"[&a \"'\", '\"', !!str '']\n", R"(["'","\"",""])"},
        std::pair{"a: \"\\\"\"\nb: \"\\\\\"\n", R"({"a":"\"","b":"\\"})"},
        std::pair{
            "\xEF\xBB\xBF\xEF\xBB\xBF"
            "abc: \"x\"\n",
            R"({"abc":"x"})"
        }
    );
    CAPTURE(row.first);
    CHECK(print(row.first) == row.second);
}

TEST_CASE("what was meant as JSON is told where it stops being JSON", "[yaml]") {
    using Row = std::pair<std::string, std::string>;
    const auto row = GENERATE(
        Row{"{\"a\": 1,\n\"b\": {\n", "2: malformed JSON: Missing a name for object member."},
        Row{"x: 1\n---\n{\"a\": 1\n\"b\": 2}",
            "4: malformed JSON: Missing a comma or '}' after an "
            "object member."},
        Row{"[[1, 2", "1: malformed JSON: Missing a comma or ']' after an array element."},
        Row{std::string(200, '['), "1: malformed JSON: nested deeper than 128 levels"}
    );
    CAPTURE(row.first);
    const auto documents = yaml::parse_documents(row.first);
    REQUIRE_FALSE(documents.empty());
    REQUIRE_FALSE(documents.back().value);
    CHECK(documents.back().value.error().detail == row.second);
}

TEST_CASE("YAML's flow style is not taken for JSON that went wrong", "[yaml]") {
    const auto documents = yaml::parse_documents("{a: 1, b: c: d}");
    REQUIRE(documents.size() == 1);
    REQUIRE_FALSE(documents[0].value);
    CHECK(documents[0].value.error().detail.find("JSON") == std::string::npos);
}

TEST_CASE("a directive out of its place is refused, not dropped", "[yaml]") {
    const std::string what =
        ": a line that begins with '%' is a directive, which is allowed only before the first "
        "'---' or between '...' and '---'";
    using Row = std::pair<std::string, std::string>;
    SECTION("where it would be lost") {
        const auto row = GENERATE_COPY(
            Row{"a: 1\n%junk\n", "2" + what},
            Row{"a: 1\n%\n", "2" + what},
            Row{"a: 1\n%junk 'x\n", "2" + what},
            Row{"a: 1\n%1.2\nb: 2", "2" + what},
            Row{"a: 1\n%YAML 1.2\n---\nb: 2", "2" + what},
            Row{"- a\n-\n%TAG ! x\n- b", "3" + what},
            Row{"%junk\na: 1", "1" + what},
            Row{"# c\n%junk\n\n# c\na: 1", "2" + what},
            Row{"---\n%junk\n", "2" + what},
            Row{"a: 1\n...\n%YAML 1.2\nb: 2", "3" + what},
            Row{"a: 1\n...\n%YAML 1.2\n", "3" + what},
            Row{"--- |\n%!PS\n", "2" + what},
            Row{"{\"a\": 1}\n%x\n", "2" + what}
        );
        CAPTURE(row.first);
        const auto documents = yaml::parse_documents(row.first);
        std::size_t errors = 0;
        for (const auto& document : documents) {
            if (!document.value) {
                ++errors;
                CHECK(document.value.error().detail == row.second);
            }
        }
        CHECK(errors == 1);
    }
    SECTION("where it is text, or in its place") {
        const auto row = GENERATE(
            Row{"a: |\n  %x\n\n  %y\n", R"({"a":"%x\n\n%y\n"})"},
            Row{"a: \"x\n%y\"\n", R"({"a":"x %y"})"},
            Row{"a: 'x\n%YAML %y'\n", R"({"a":"x %YAML %y"})"},
            Row{"a: 5%\nb%: x%y # %\n", R"({"a":"5%","b%":"x%y"})"},
            Row{"a: x\n  %y\n", R"({"a":"x %y"})"},
            Row{"--- scalar\n%YAML 1.2\n", R"("scalar %YAML 1.2")"},
            Row{"--- |\n %!PS\n", R"("%!PS\n")"},
            Row{"x\n%#y\n%\n", R"("x %#y %")"},
            Row{"%YAML 1.2\n%FOO\n# c\n---\na: 1\n...\n# c\n%YAML 1.2\n---\n", R"({"a":1})"},
            Row{"...\n... # c\na: 1\n...\n...\n", R"({"a":1})"}
        );
        CAPTURE(row.first);
        CHECK(print(row.first) == row.second);
    }
}

TEST_CASE("malformed text is an error with a line, never an exception", "[yaml]") {
    for (const auto* text :
         {"a: [1",
          "a: 'x",
          "\ta: 1",
          "a: b: c",
          "*x",
          "a: .inf",
          "a: !!binary aGk=",
          "{a",
          "a\n b: c\n- d",
          "%TAG ! x\n--- a\n",
          "a: \"\\q\"",
          "- - -\n -x: ["}) {
        CAPTURE(text);
        const auto documents = yaml::parse_documents(text);
        for (const auto& document : documents) {
            if (!document.value) {
                CHECK(document.value.error().code == ErrorCode::Invalid);
                CHECK(document.value.error().detail.find(": ") != std::string::npos);
            }
        }
    }
    CHECK(error_of("a: 1\nb: [1\n").find(": ") != std::string::npos);
    CHECK(error_of("a: 1\n---\nb: 1") == "3: a second document, where one was expected");
    CHECK(error_of("") == "1: contains no document");
    for (const auto* text :
         {"a:\n  b: 1\n\tc: 2\n", "a: 0\nb:\n \tc: 2\n", "a: 1\nd: 3\n\te: 4\n"}) {
        CAPTURE(text);
        CHECK(error_of(text) == "3: a tab in the indentation, where YAML allows spaces alone");
    }
    CHECK(error_of("a:\tb: c").find("tab") == std::string::npos);
    const auto cut = yaml::parse_document("a: 1\n---\nb: 1");
    CHECK(
        yaml::in_file(cut.error(), "x.yaml").detail ==
        "x.yaml:3: a second document, where one was expected"
    );
}
