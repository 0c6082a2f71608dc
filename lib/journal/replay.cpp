#include "journal/replay.hpp"

#include "engine/engine.hpp"
#include "engine/state/snapshot.hpp"
#include "journal/decision_digest.hpp"
#include "journal/event_codec.hpp"
#include "journal/frames.hpp"
#include "journal/segments.hpp"
#include "json/value.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace sluice::journal {
namespace {

Result<std::int64_t> integer_at(const json::Value& value, std::string_view name) {
    const json::Value* found = value.find(name);
    if (found == nullptr || !found->is_int()) {
        return make_invalid(fmt::format("{} must be a number", name));
    }
    return found->as_int();
}

class Replayer {
  public:
    explicit Replayer(std::optional<Time> until) : until_(until) {}

    /// Returns false once the replay is over.
    Result<bool> run_segment(const std::string& file) {
        segment_ = file.substr(file.rfind('/') + 1);
        auto reader = FrameReader::open(file);
        if (!reader) {
            return reader.error();
        }
        ++report_.segments;
        state_.reset();
        has_header_ = false;
        for (;;) {
            const auto text = reader->next();
            if (!text) {
                return with_context(text.error(), place());
            }
            const std::optional<std::string>& lines = *text;
            if (!lines) {
                break;
            }
            const auto goes_on = run_lines(*lines);
            if (!goes_on) {
                return with_context(goes_on.error(), place());
            }
            if (!*goes_on) {
                return false;
            }
        }
        if (reader->is_torn()) {
            report_.notes.push_back(segment_ + " ends in the middle of a frame");
        }
        return true;
    }

    ReplayReport take() {
        report_.state = std::move(state_);
        return std::move(report_);
    }

  private:
    std::string place() const { return fmt::format("{}, after entry {}", segment_, entry_); }

    Result<bool> run_lines(std::string_view text) {
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            const auto value = json::parse(line, {.bytes = line.size() + 1});
            const auto goes_on = value ? run_entry(*value) : Result<bool>(value.error());
            if (!goes_on || !*goes_on) {
                return goes_on;
            }
        }
        return true;
    }

    Result<bool> run_entry(const json::Value& entry) {
        if (!has_header_) {
            const auto version = integer_at(entry, "v");
            if (!version || *version != 1) {
                return make_invalid("this version of the journal is not known");
            }
            has_header_ = true;
            return true;
        }
        if (!state_) {
            return load_state(entry);
        }
        const auto at = integer_at(entry, "t");
        if (!at) {
            return at.error();
        }
        const Time now{Duration(*at)};
        if (until_ && now > *until_) {
            return false;
        }
        if (const auto number = integer_at(entry, "n")) {
            entry_ = static_cast<std::uint64_t>(*number);
        }
        report_.first = report_.first.value_or(now);
        report_.last = now;
        return perform(*state_, entry, now);
    }

    Result<bool> load_state(const json::Value& entry) {
        const auto bytes = kube::decode_base64(entry.string_at("state"));
        if (!bytes) {
            return bytes.error();
        }
        state_ = engine::load(*bytes);
        if (!state_) {
            return make_invalid("the state of the segment is damaged, or of another build");
        }
        return true;
    }

    Result<bool> perform(engine::State& state, const json::Value& entry, Time now) {
        if (const json::Value* given = entry.find("e")) {
            auto event = read_event(*given);
            if (!event) {
                return event.error();
            }
            ++report_.events;
            engine::apply(state, *event, now);
            return true;
        }
        if (entry.find("clock") != nullptr) {
            const auto by = integer_at(entry, "clock");
            if (!by) {
                return by.error();
            }
            engine::step_clock(state, Duration(*by), now);
            return true;
        }
        const auto cycle = integer_at(entry, "cycle");
        return cycle ? compare(state, entry, now) : Result<bool>(cycle.error());
    }

    Result<bool> compare(engine::State& state, const json::Value& entry, Time now) {
        const auto result = engine::run_cycle(state, now, engine::Recording::Messages);
        report_.cycles += result.cycle == 0 ? 0 : 1;
        report_.admissions += result.admitted.size();
        const std::string digest = fmt::format("{:016x}", digest_of(state, result));
        if (digest == entry.string_at("d")) {
            return true;
        }
        report_.difference = ReplayDifference{
            .segment = segment_,
            .entry = entry_,
            .cycle = result.cycle,
            .at = now,
            .recorded = fmt::format("hash {}\n{}", entry.string_at("d"), entry.string_at("full")),
            .replayed = print_decisions(state, result),
        };
        return false;
    }

    std::optional<Time> until_;
    ReplayReport report_;
    std::optional<engine::State> state_;
    std::string segment_;
    std::uint64_t entry_ = 0;
    bool has_header_ = false;
};

}  // namespace

Result<ReplayReport> replay(const std::string& folder, std::optional<Time> until) {
    const auto segments = find_segments(folder);
    if (segments.empty()) {
        return Error{
            .code = ErrorCode::NotFound,
            .detail = folder + " has no segment of a journal",
            .status = {},
        };
    }
    Replayer replayer(until);
    for (const std::string& segment : segments) {
        const auto goes_on = replayer.run_segment(segment);
        if (!goes_on) {
            return goes_on.error();
        }
        if (!*goes_on) {
            break;
        }
    }
    return replayer.take();
}

}  // namespace sluice::journal
