#include "controller/commands/schedule/schedule_output.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::commands {
namespace {

WaitingWorkloads waiting(const std::string& details, std::vector<std::string> workloads) {
    return {
        .cluster_queue = "cq",
        .reason = "Suspended",
        .details = details,
        .is_only_turn = false,
        .workloads = std::move(workloads),
    };
}

}  // namespace

TEST_CASE("notes name one of those that wait for the same", "[commands][schedule]") {
    ScheduleReport report;
    report.waiting = {waiting("one", {"ns/a"}), waiting("two", {"ns/b", "ns/c", "ns/d"})};
    report.waiting.push_back(waiting("its turn has not come", {"ns/e"}));
    report.waiting.back().is_only_turn = true;
    CHECK(
        waiting_notes(report) ==
        std::vector<std::string>{
            "ns/a waits, Suspended: one",
            "ns/b and 2 more wait, Suspended: two",
        }
    );
}

TEST_CASE("notes are few, however many reasons there are", "[commands][schedule]") {
    ScheduleReport report;
    for (int i = 0; i < 1000; ++i) {
        report.waiting.push_back(waiting(std::to_string(i), {"ns/a"}));
    }
    const auto notes = waiting_notes(report);
    REQUIRE(notes.size() == 21);
    CHECK(notes.back() == "980 more such notes; -o table shows all");
}

TEST_CASE("what objects say cannot forge lines of the table", "[commands][schedule]") {
    ScheduleReport report;
    report.waiting = {waiting("a\nadmitted  d/fake \x1b[31m", {"ns/\xc3\xa4"})};
    CHECK(to_table(report).ends_with("  Suspended  a\\x0aadmitted  d/fake \\x1b[31m\n"));
}

TEST_CASE(
    "the table does not say that nothing waits when objects were left out", "[commands][schedule]"
) {
    ScheduleReport report;
    CHECK(to_table(report) == "Queues\nnothing waits\n");
    report.skipped = 2;
    CHECK(
        to_table(report) ==
        "Queues\nno valid workload waits\n\nSkipped, so in no table: 2 bad "
        "objects\n"
    );
}

}  // namespace sluice::commands
