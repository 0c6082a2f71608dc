#include "apiserver/recorded_pipeline.hpp"
#include "apiserver/types/builtin_schemas.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace sluice::apiserver {
namespace {

using json::Value;

Value read_recording(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    auto parsed = json::parse(text.str());
    REQUIRE(parsed);
    return std::move(parsed).value();
}

std::vector<std::filesystem::path> recordings() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(SLUICE_RECORDINGS)) {
        if (entry.path().extension() == ".json") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// The youngest time that managedFields hold.
std::string youngest(const Value& object) {
    std::string time;
    const Value* managed = object.find_path({"metadata", "managedFields"});
    if (managed != nullptr) {
        for (const auto& entry : managed->as_array()) {
            time = std::max(time, std::string(entry.string_at("time")));
        }
    }
    return time;
}

/// A reply without what an API server draws by lot, or what only other parts of it know.
Value comparable(const Value& object) {
    auto text = json::print_sorted(object, true);
    const auto at = text.find("kube-api-access-");
    if (at != std::string::npos) {
        const auto name = text.substr(at, std::string_view("kube-api-access-xxxxx").size());
        for (auto next = at; next != std::string::npos; next = text.find(name, next + 1)) {
            text.replace(next, name.size(), "kube-api-access-xxxxx");
        }
    }
    auto value = json::parse(text);
    REQUIRE(value);
    if (Value* spec = value->find("spec"); spec != nullptr && object.string_at("kind") == "Pod") {
        spec->erase("priority");
        spec->erase("preemptionPolicy");
    }
    if (object.string_at("kind") == "PersistentVolumeClaim") {
        value->find("metadata")->erase("finalizers");
    }
    return std::move(value).value();
}

/// A message without the values that the API server prints as its own Go structs, without the
/// differences that it prints behind a line's end, and with one uid in place of all.
std::string comparable_message(const Cause& cause) {
    static const std::regex kUid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    auto message = std::regex_replace(cause.message.substr(0, cause.message.find('\n')), kUid, "U");
    const bool shows_struct = cause.field == "patch" || cause.field == "spec.template" ||
                              cause.field == "spec.template.spec";
    if (!shows_struct) {
        return message;
    }
    const auto end = message.find_last_of("}\"");
    return message.substr(end == std::string::npos ? 0 : end + 1);
}

std::vector<std::string> sorted_causes(const std::vector<Cause>& causes) {
    std::vector<std::string> lines;
    for (const auto& cause : causes) {
        lines.push_back(cause.field + ": " + cause.reason + ": " + comparable_message(cause));
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

std::vector<Cause> causes_of(const Value& reply) {
    std::vector<Cause> causes;
    const Value* list = reply.find_path({"details", "causes"});
    if (list != nullptr) {
        for (const auto& cause : list->as_array()) {
            causes.push_back({
                std::string(cause.string_at("reason")),
                std::string(cause.string_at("message")),
                std::string(cause.string_at("field")),
            });
        }
    }
    return causes;
}

RecordedKind kind_of(const Value& recording) {
    RecordedKind kind{
        .group = std::string(recording.string_at("group")),
        .version = std::string(recording.string_at("version")),
        .kind = std::string(recording.string_at("kind")),
        .namespaced = true,
        .schema = nullptr,
    };
    const Value* cluster = recording.find("cluster");
    kind.namespaced = cluster == nullptr || !cluster->as_bool();
    if (const Value* schema = recording.find("schema")) {
        auto compiled = compile_schema(*schema);
        REQUIRE(compiled);
        kind.schema = std::move(compiled).value();
    } else {
        kind.schema = builtin_schema(kind.group, kind.version, kind.kind);
    }
    REQUIRE(kind.schema != nullptr);
    return kind;
}

void compare_refusal(const Value& reply, const Outcome& outcome) {
    if (reply.find("code")->as_int() == 422 && !causes_of(reply).empty()) {
        CHECK(sorted_causes(outcome.causes) == sorted_causes(causes_of(reply)));
    } else if (reply.find("code")->as_int() == 422) {
        CHECK(!outcome.message.empty());
    } else {
        CHECK(outcome.message == reply.string_at("message"));
    }
}

TEST_CASE("recorded requests come to what a real API server made of them", "[apiserver]") {
    for (const auto& file : recordings()) {
        const auto recording = read_recording(file);
        const auto kind = kind_of(recording);
        Value live;
        int number = 0;
        for (const auto& step : recording.find("steps")->as_array()) {
            const Value& reply = *step.find("reply");
            INFO(file.filename().string() << " step " << number++);
            INFO("body " << json::print(*step.find("body")).substr(0, 300));
            if (step.string_at("verb") == "create") {
                live = {};
            }
            const bool is_stored = step.find("code")->as_int() < 300;
            const auto before = youngest(live);
            const auto after = is_stored ? youngest(reply) : "";
            const auto now = after > before ? after : std::string("2999-01-01T00:00:00Z");
            const auto outcome = run_request(kind, step, live, reply, now);
            if (step.find("skip") != nullptr) {
                continue;
            }
            if (is_stored) {
                INFO("causes " << aggregate_text(outcome.causes) << outcome.message);
                CHECK(
                    json::print_sorted(comparable(outcome.object), true) ==
                    json::print_sorted(comparable(reply), true)
                );
                live = reply;
            } else {
                compare_refusal(reply, outcome);
            }
        }
    }
}

}  // namespace
}  // namespace sluice::apiserver
