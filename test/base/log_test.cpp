#include "base/log.hpp"

#include <catch2/catch_test_macros.hpp>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace sluice::log {
namespace {

std::string line(std::string_view phrase, std::initializer_list<Field> fields = {}) {
    return format_line(phrase, std::span(fields.begin(), fields.size()));
}

}  // namespace

TEST_CASE("values are quoted where a reader could not tell where they end", "[base]") {
    CHECK(line("ready") == "ready");
    CHECK(line("ready", {{"jobs", 3}, {"queue", "team/a-b.c"}}) == "ready jobs=3 queue=team/a-b.c");
    CHECK(line("x", {{"a", ""}, {"b", "c d"}, {"e", "f=g"}}) == R"(x a="" b="c d" e="f=g")");
    CHECK(line("x", {{"a", R"(say "no" \)"}}) == R"(x a="say \"no\" \\")");
    CHECK(line("x", {{"a", "日本"}}) == "x a=日本");
}

TEST_CASE("a log entry is one line, whatever a value holds", "[base]") {
    CHECK(line("x", {{"a", "b\nc"}}) == R"(x a="b\nc")");
    CHECK(line("x", {{"a", "b\rc"}}) == R"(x a="b\x0dc")");
    CHECK(line("x", {{"a", "b\u2028c\u0085d"}}) == R"(x a="b\u2028c\u0085d")");
    CHECK(line("x\ny\rz") == R"(x\x0ay\x0dz)");
    CHECK(line("x", {{"a\nb", "c"}}) == R"(x a\x0ab=c)");
}

TEST_CASE("no value moves a terminal's cursor or turns text around", "[base]") {
    CHECK(line("x", {{"a", "\x1b[2Jb"}}) == R"(x a="\x1b[2Jb")");
    CHECK(line("x", {{"a", "b\u009b2Jc\x7f"}}) == R"(x a="b\u009b2Jc\x7f")");
    CHECK(line("x", {{"a", "b\u202ec"}}) == R"(x a="b\u202ec")");
    CHECK(line("x\x1b[1m") == R"(x\x1b[1m)");
    CHECK(line("x", {{"a", "b\xff"}}) == R"(x a="b\xff")");
    CHECK(line("x", {{"a", std::string("b\0c", 3)}}) == R"(x a="b\x00c")");
}

TEST_CASE("a value cannot be mistaken for an escaped one", "[base]") {
    CHECK(line("x", {{"a", R"(b\x1b)"}}) == R"(x a=b\x1b)");
    CHECK(line("x", {{"a", R"(b \x1b)"}}) == R"(x a="b \\x1b")");
}

}  // namespace sluice::log
