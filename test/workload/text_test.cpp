#include "workload/pods/text.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice::workload {

TEST_CASE("long notes and messages are cut to what the API takes", "[workload][text]") {
    CHECK(truncated_event_note("short") == "short");
    CHECK(truncated_event_note(std::string(1024, 'a')) == std::string(1024, 'a'));
    CHECK(truncated_event_note(std::string(1025, 'a')) == std::string(1020, 'a') + " ...");
    CHECK(truncated_condition_message(std::string(40000, 'a')).size() == 32768);
}

TEST_CASE("no character is cut in half", "[workload][text]") {
    std::string text(1019, 'a');
    text += "\u00e9";
    text += std::string(100, 'b');
    CHECK(truncated_event_note(text) == std::string(1019, 'a') + " ...");
}

}  // namespace sluice::workload
