#include "controller/commands/live_view/live_lines.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {
namespace {

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};  // 22:13:20

api::Quantity quantity(std::string_view text) {
    return *api::Quantity::parse(text);
}

QuotaState quota(
    std::string_view resource,
    std::string_view nominal,
    std::string_view used,
    std::string_view borrowed
) {
    return {
        .flavor = "default",
        .resource = std::string(resource),
        .nominal = quantity(nominal),
        .used = quantity(used),
        .borrowed = quantity(borrowed)
    };
}

ClusterState two_queues() {
    ClusterState state;
    state.nodes = 4;
    state.capacity = "cpu 64";
    state.pods = 6;
    state.succeeded = 3;
    state.queues = {
        {.name = "team-a",
         .cohort = "research",
         .obstacle = "",
         .quotas = {quota("cpu", "4", "6", "2"), quota("memory", "8Gi", "6Gi", "0")}},
        {.name = "team-b",
         .cohort = "research",
         .obstacle = "",
         .quotas = {quota("cpu", "4", "0", "0")}},
    };
    state.running = {
        {.name = "default/train",
         .kind = "Job",
         .queue = "team-a",
         .amounts = "cpu 6",
         .since = kNow - std::chrono::seconds(75)}
    };
    state.waiting = {
        {.name = "default/late",
         .kind = "JobSet",
         .queue = "a",
         .reason = "insufficient unused quota for cpu in flavor default, 1 more needed"}
    };
    return state;
}

DomainState rack(std::string_view name, std::string_view used, std::size_t lost) {
    return {
        .flavor = "b200",
        .domain = std::string(name),
        .resource = "nvidia.com/gpu",
        .nodes = 3,
        .lost = lost,
        .allocatable = quantity("24"),
        .used = quantity(used)
    };
}

LiveTexts texts() {
    return {
        .server = "https://127.0.0.1:6443",
        .speed = "60x",
        .commands = {"export KUBECONFIG=/tmp/k", "kubectl get pods"},
        .log = {}
    };
}

std::vector<std::string> draw(const ClusterState& state, const Window& window) {
    return draw_live_view(state, texts(), kNow, window);
}

bool has(const std::vector<std::string>& lines, std::string_view part) {
    return std::ranges::any_of(lines, [part](const std::string& line) {
        return line.find(part) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("a live view shows queues, jobs and what to type next", "[commands][live]") {
    CHECK(
        draw(two_queues(), {.columns = 80, .rows = 24}) ==
        std::vector<std::string>{
            "sluice dev  22:13:20  60x  4 nodes: cpu 64  https://127.0.0.1:6443",
            "1 running  1 waiting  3 succeeded  0 failed  6 pods",
            "",
            "QUEUES  used, borrowed and free quota",
            "  team-a  research  default  cpu     ################++++++++  6 / 4  2 borrowed",
            "                    default  memory  ##################......  6Gi / 8Gi",
            "  team-b  research  default  cpu     ........................  0 / 4",
            "",
            "RUNNING 1",
            "  default/train  Job  team-a  1m15s   cpu 6",
            "",
            "WAITING 1",
            "  default/late  JobSet  insufficient unused quota for cpu in flavor default, 1..",
            "",
            "  export KUBECONFIG=/tmp/k",
            "  kubectl get pods",
            "Ctrl-C ends it",
        }
    );
}

TEST_CASE("pods without a node are told in a live view", "[commands][live]") {
    ClusterState state = two_queues();
    state.unplaced = 2;
    CHECK(has(draw(state, {.columns = 80, .rows = 24}), "6 pods  2 without a node"));
}

TEST_CASE("a live view fits into every window", "[commands][live]") {
    ClusterState state = two_queues();
    for (int i = 0; i < 50; ++i) {
        state.queues.push_back(state.queues.front());
        state.running.push_back(state.running.front());
        state.waiting.push_back(state.waiting.front());
    }
    LiveTexts all = texts();
    all.log = std::vector<std::string>(9, std::string(300, 'e'));
    for (std::size_t rows = 0; rows < 70; ++rows) {
        for (std::size_t columns = 0; columns < 130; columns += 3) {
            const auto lines = draw_live_view(state, all, kNow, {.columns = columns, .rows = rows});
            CAPTURE(rows, columns);
            REQUIRE(lines.size() <= rows);
            REQUIRE(std::ranges::all_of(lines, [columns](const std::string& line) {
                return line.size() <= columns;
            }));
        }
    }
}

TEST_CASE("what has no room in a live view is counted", "[commands][live]") {
    ClusterState state = two_queues();
    state.running.resize(100, state.running.front());
    state.waiting.resize(1000, state.waiting.front());
    const auto lines = draw(state, {.columns = 80, .rows = 24});
    CHECK(lines.size() == 24);
    CHECK(has(lines, "RUNNING 100"));
    CHECK(has(lines, "... 97 more lines"));
    CHECK(has(lines, "WAITING 1000"));
    CHECK(has(lines, "... 996 more lines"));
    CHECK(has(lines, "team-b"));
    CHECK(lines.back() == "Ctrl-C ends it");
}

TEST_CASE("a narrow live view leaves columns out before the numbers", "[commands][live]") {
    const auto narrow = draw(two_queues(), {.columns = 50, .rows = 24});
    CHECK(has(narrow, "  team-a  cpu     "));
    CHECK(has(narrow, "6 / 4  2 borrowed"));
    CHECK_FALSE(has(narrow, "research"));
    const auto tiny = draw(two_queues(), {.columns = 20, .rows = 4});
    CHECK(tiny.size() <= 4);
    CHECK(tiny.front().starts_with("sluice dev"));
}

TEST_CASE("names and messages cannot move the cursor of a live view", "[commands][live]") {
    ClusterState state = two_queues();
    state.waiting.front().reason = "a\x1b[2Jb\nc\xc3\xa9\xff";
    LiveTexts all = texts();
    all.log = {"\x1b]0;title\x07"};
    const auto lines = draw_live_view(state, all, kNow, {.columns = 120, .rows = 30});
    CHECK(has(lines, "a\\x1b[2Jb\\x0ac?\\xff"));
    CHECK(has(lines, "\\x1b]0;title\\x07"));
    CHECK_FALSE(has(lines, "\x1b"));
}

TEST_CASE("colours end with what they colour", "[commands][live]") {
    const auto lines =
        draw(two_queues(), {.columns = 80, .rows = 24, .has_color = true, .has_unicode = true});
    CHECK(has(lines, "\x1b[32m████████████████\x1b[0m\x1b[35m▓▓▓▓▓▓▓▓\x1b[0m"));
    CHECK(std::ranges::all_of(lines, [](const std::string& line) {
        const auto last = line.rfind('\x1b');
        return last == std::string::npos || line.substr(last, 4) == "\x1b[0m";
    }));
}

TEST_CASE("a queue that admits nothing says why, an empty cluster is told", "[commands][live]") {
    ClusterState state;
    CHECK(has(draw(state, {}), "no ClusterQueue yet"));
    state.queues = {
        {.name = "q",
         .cohort = "",
         .obstacle = "Can't admit new workloads: FlavorNotFound",
         .quotas = {}},
        {.name = "r", .cohort = "", .obstacle = "", .quotas = {}},
    };
    const auto lines = draw(state, {});
    CHECK(has(lines, "  q  Can't admit new workloads: FlavorNotFound"));
    CHECK(has(lines, "  r  without quota"));
}

TEST_CASE("some of a quota is seen however little it is", "[commands][live]") {
    ClusterState state = two_queues();
    state.queues = {
        {.name = "q",
         .cohort = "",
         .obstacle = "",
         .quotas = {quota("cpu", "1000", "1", "0"), quota("gpu", "0", "0", "0")}}
    };
    const auto lines = draw(state, {});
    CHECK(has(lines, "cpu  #..."));
    CHECK(has(lines, "gpu  ...."));
    CHECK(has(lines, "0 / 0"));
}

TEST_CASE("racks are drawn with their use and lost nodes", "[commands][live]") {
    ClusterState state = two_queues();
    CHECK_FALSE(has(draw(state, {.columns = 100, .rows = 40}), "DOMAINS"));
    state.domains = {rack("block-1/a", "16", 0), rack("block-1/b", "24", 1)};
    const auto lines = draw(state, {.columns = 100, .rows = 40});
    CHECK(has(lines, "DOMAINS"));
    CHECK(has(lines, "block-1/a  b200  nvidia.com/gpu"));
    CHECK(has(lines, "16 / 24  3 nodes"));
    CHECK(has(lines, "24 / 24  3 nodes, 1 lost"));
    const auto narrow = draw(state, {.columns = 60, .rows = 40});
    CHECK(has(narrow, "24 / 24  3 node"));
}

}  // namespace sluice::commands
