#include "base/printable.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice {

TEST_CASE("text of any language is printed as it is", "[base]") {
    CHECK(printable("").empty());
    CHECK(printable("a-b.c/d é 日本 😀") == "a-b.c/d é 日本 😀");
}

TEST_CASE("what moves the cursor or turns text around is written in letters", "[base]") {
    CHECK(printable("a\n\x1b[31m\x7f") == "a\\x0a\\x1b[31m\\x7f");
    CHECK(printable("\u009b31m") == "\\u009b31m");
    CHECK(printable("a\u202eb\u2066c\u2028d\u200fe") == "a\\u202eb\\u2066c\\u2028d\\u200fe");
}

TEST_CASE("bytes that are no UTF-8 are written one by one", "[base]") {
    CHECK(printable("a\xff\xfe z") == "a\\xff\\xfe z");
    CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // longer than need be
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
    CHECK(printable("x\xe6\x97") == "x\\xe6\\x97");         // cut off
    CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

}  // namespace sluice
