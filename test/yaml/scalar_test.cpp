#include "yaml/scalar.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::yaml {
namespace {

bool stands_for_itself(std::string_view text) {
    const auto value = resolve_plain(text);
    return value.is_string() && value.as_string() == text;
}

/// Calls it for each text of at most so many letters.
template <class Check>
void for_each_text(std::size_t letters_max, const std::string& text, const Check& check) {
    if (text.size() == letters_max) {
        return;
    }
    for (const char letter : std::string_view("aAeEfFlLnNoOrRsStTuUxXyY01.-~_")) {
        check(text + letter);
        for_each_text(letters_max, text + letter, check);
    }
}

}  // namespace

TEST_CASE("what is surely text stands for itself", "[yaml]") {
    for_each_text(3, "", [](const std::string& text) {
        if (is_surely_text(text) && !stands_for_itself(text)) {
            FAIL(text);
        }
    });
    for (const auto* word :
         {"null",
          "Null",
          "NULL",
          "true",
          "True",
          "TRUE",
          "yes",
          "Yes",
          "YES",
          "on",
          "false",
          "False",
          "FALSE",
          "off",
          "Off",
          "y"}) {
        CAPTURE(word);
        CHECK_FALSE(is_surely_text(word));
        CHECK_FALSE(stands_for_itself(word));
    }
    for (const auto* word :
         {"name", "kind", "metadata", "spec", "template", "namespace", "flavors"}) {
        CAPTURE(word);
        CHECK(is_surely_text(word));
    }
}

}  // namespace sluice::yaml
