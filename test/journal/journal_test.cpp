// Journals of random runs, replayed, cut off and damaged.
#include "journal/journal.hpp"

#include "engine/driver/driver.hpp"
#include "engine/random_clusters.hpp"
#include "journal/frames.hpp"
#include "journal/replay.hpp"
#include "journal/segments.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace sluice::journal {
namespace {

using namespace std::chrono_literals;

constexpr engine::Time kStart(std::chrono::seconds(1'000'000));

std::string read_all(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_all(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// Plays a random case with a driver, recorded into the folder. Returns the cycles.
std::uint64_t record(std::uint64_t seed, SegmentOptions options) {
    const auto made = reference::make_case(seed);
    engine::State state(made.options);
    engine::Driver driver(state, {.retry_min = 0ns, .retry_max = 0ns, .idle = 0ns});
    Journal journal(state, std::move(options));
    driver.set_observer(&journal);
    reference::View view;
    engine::Time now = kStart;
    std::uint64_t cycles = 0;
    for (const auto& step : made.steps) {
        if (step.kind == reference::Step::Kind::Advance) {
            now += engine::Duration(step.number);
        }
        if (step.number % 7 == 3) {
            driver.step_clock(engine::Duration(step.number), now);
        }
        for (const engine::Event& event : view.events_of(step, now)) {
            driver.deliver(event, now);
        }
        cycles += driver.step(engine::moment_at(now)).result.cycle == 0 ? 0 : 1;
    }
    driver.set_observer(nullptr);
    return cycles;
}

}  // namespace

TEST_CASE("a journal replays with every decision the same", "[journal]") {
    std::uint64_t cycles = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        INFO("seed " << seed);
        const test::TemporaryFolder folder;
        const std::uint64_t recorded = record(seed, {.folder = folder.path()});
        const auto report = replay(folder.path());
        REQUIRE(report);
        CHECK(!report->difference);
        CHECK(report->cycles == recorded);
        CHECK(report->notes.empty());
        cycles += recorded;
    }
    CHECK(cycles > 500);
}

TEST_CASE("each segment begins with the state, and replays alone", "[journal]") {
    const test::TemporaryFolder folder;
    // Each frame fills a segment.
    SegmentOptions options{.folder = folder.path(), .segment_bytes = 1};
    const std::uint64_t recorded = record(5, options);
    const auto whole = replay(folder.path());
    REQUIRE(whole);
    CHECK(!whole->difference);
    CHECK(whole->cycles == recorded);
}

TEST_CASE("a state larger than a segment is not written at each entry", "[journal]") {
    const test::TemporaryFolder folder;
    const auto made = reference::make_case(6);
    engine::State state(made.options);
    engine::Driver driver(state);
    Journal journal(state, {.folder = folder.path(), .segment_bytes = 1});
    driver.set_observer(&journal);
    for (int i = 0; i < 20; ++i) {
        driver.deliver(engine::FlavorDeleted{"y"}, kStart + std::chrono::seconds(i));
        journal.flush();
    }
    CHECK(find_segments(folder.path()).size() < 10);
    CHECK(replay(folder.path())->events == 20);
}

TEST_CASE("a cut end of a segment is a note", "[journal]") {
    const test::TemporaryFolder folder;
    record(3, {.folder = folder.path()});
    const std::string file = find_segments(folder.path()).at(0);
    const std::string bytes = read_all(file);
    for (const std::size_t kept : {bytes.size() - 1, bytes.size() - 9, bytes.size() / 2}) {
        write_all(file, bytes.substr(0, kept));
        const auto report = replay(folder.path());
        REQUIRE(report);
        CHECK(!report->difference);
        CHECK(report->notes.size() == 1);
    }
}

TEST_CASE("one flipped bit anywhere is found", "[journal]") {
    const test::TemporaryFolder folder;
    record(3, {.folder = folder.path()});
    const std::string file = find_segments(folder.path()).at(0);
    const std::string bytes = read_all(file);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
        write_all(file, damaged);
        INFO("byte " << at << " of " << bytes.size());
        CHECK(!replay(folder.path()));
    }
}

TEST_CASE("a decision that differs is reported with its cycle", "[journal]") {
    const test::TemporaryFolder folder;
    record(4, {.folder = folder.path(), .full = true});
    const auto whole = replay(folder.path());
    REQUIRE(whole);
    REQUIRE(whole->cycles > 2);
    // Until a moment in the middle, the replay ends there.
    const auto middle = replay(folder.path(), whole->first);
    REQUIRE(middle);
    CHECK(middle->cycles <= whole->cycles);
    CHECK(middle->state);
}

TEST_CASE("a decision with another hash ends the replay, with both", "[journal]") {
    const test::TemporaryFolder folder;
    record(4, {.folder = folder.path(), .full = true});
    const std::string file = find_segments(folder.path()).at(0);
    auto reader = FrameReader::open(file);
    REQUIRE(reader);
    std::string text;
    for (auto frame = reader->next(); frame && *frame; frame = reader->next()) {
        text += **frame;
    }
    const std::size_t at = text.find(R"("d":")", text.size() / 2);
    REQUIRE(at != std::string::npos);
    text[at + 5] = text[at + 5] == '0' ? '1' : '0';
    write_all(file, compress_frame(text));
    const auto report = replay(folder.path());
    REQUIRE(report);
    REQUIRE(report->difference);
    CHECK(report->difference->recorded.starts_with("hash "));
    // The journal has the decisions as they were.
    CHECK(report->difference->recorded.ends_with(report->difference->replayed));
}

TEST_CASE("a folder without segments is not found", "[journal]") {
    const test::TemporaryFolder folder;
    CHECK(replay(folder.path()).error().code == ErrorCode::NotFound);
}

TEST_CASE("a full queue makes a gap, and a new segment follows", "[journal]") {
    const test::TemporaryFolder folder;
    const auto made = reference::make_case(6);
    engine::State state(made.options);
    engine::Driver driver(state);
    Journal journal(state, {.folder = folder.path(), .queue_bytes = 200});
    driver.set_observer(&journal);
    for (int i = 0; i < 50; ++i) {
        driver.deliver(engine::FlavorDeleted{std::string(40, 'x')}, kStart);
    }
    journal.flush();
    // It does not try again at each event.
    driver.deliver(engine::FlavorDeleted{"y"}, kStart + 9s);
    CHECK(journal.counts().gaps == 1);
    CHECK(!journal.counts().is_recording);
    driver.deliver(engine::FlavorDeleted{"y"}, kStart + 10s);
    journal.flush();
    CHECK(journal.counts().gaps == 1);
    CHECK(journal.counts().is_recording);
    const auto report = replay(folder.path());
    REQUIRE(report);
    CHECK(!report->difference);
    CHECK(report->segments >= 2);
}

TEST_CASE("the oldest segments go when the folder is full", "[journal]") {
    const test::TemporaryFolder folder;
    const auto made = reference::make_case(6);
    engine::State state(made.options);
    engine::Driver driver(state);
    Journal journal(
        state, {.folder = folder.path(), .folder_bytes = 5'000, .segment_bytes = 1'000}
    );
    driver.set_observer(&journal);
    for (int i = 0; i < 200; ++i) {
        std::string name;
        for (int part = 0; part < 40; ++part) {
            name += std::to_string((i * 7919 + part * 104729) % 99991);
        }
        driver.deliver(engine::FlavorDeleted{name}, kStart + std::chrono::seconds(i));
        if (i % 10 == 9) {
            journal.flush();
        }
    }
    journal.flush();
    std::uintmax_t total = 0;
    for (const auto& segment : find_segments(folder.path())) {
        total += std::filesystem::file_size(segment);
    }
    CHECK(total < 7'000);
    CHECK(replay(folder.path()));
}

}  // namespace sluice::journal
