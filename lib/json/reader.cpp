#include "json/reader.hpp"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cstdint>
#include <cstring>
#include <limits>

namespace sluice::json {
namespace {

// RapidJSON's iterative parser does not recurse, so the depth is bounded here and not by the stack.
class Adapter {
  public:
    Adapter(Handler& handler, std::size_t depth_max) : handler_(handler), depth_max_(depth_max) {}

    // RapidJSON calls these by its own names.
    // NOLINTBEGIN(readability-identifier-naming)
    bool Null() { return pass(handler_.on_null()); }
    bool Bool(bool v) { return pass(handler_.on_bool(v)); }
    bool Int(int v) { return pass(handler_.on_int(v)); }
    bool Uint(unsigned v) { return pass(handler_.on_int(v)); }
    bool Int64(std::int64_t v) { return pass(handler_.on_int(v)); }
    bool Uint64(std::uint64_t v) {
        if (v <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            return pass(handler_.on_int(static_cast<std::int64_t>(v)));
        }
        return pass(handler_.on_double(static_cast<double>(v)));
    }
    bool Double(double v) { return pass(handler_.on_double(v)); }
    bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
    bool String(const char* s, rapidjson::SizeType n, bool) {
        return pass(handler_.on_string({s, n}));
    }
    bool Key(const char* s, rapidjson::SizeType n, bool) { return pass(handler_.on_key({s, n})); }
    bool StartObject() { return enter() && pass(handler_.on_start_object()); }
    bool EndObject(rapidjson::SizeType) { return leave() && pass(handler_.on_end_object()); }
    bool StartArray() { return enter() && pass(handler_.on_start_array()); }
    bool EndArray(rapidjson::SizeType) { return leave() && pass(handler_.on_end_array()); }
    // NOLINTEND(readability-identifier-naming)

    bool too_deep() const { return too_deep_; }

  private:
    bool pass(bool ok) { return ok; }
    bool enter() {
        if (++depth_ > depth_max_) {
            too_deep_ = true;
            return false;
        }
        return true;
    }
    bool leave() {
        --depth_;
        return true;
    }

    Handler& handler_;
    std::size_t depth_max_;
    std::size_t depth_ = 0;
    bool too_deep_ = false;
};

/// Reads eight bytes at a time. Most documents are ASCII, so that no further check of their
/// encoding is needed.
bool is_ascii(std::string_view text) {
    std::uint64_t seen = 0;
    std::size_t at = 0;
    for (; at + sizeof seen <= text.size(); at += sizeof seen) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + at, sizeof bytes);
        seen |= bytes;
    }
    for (; at < text.size(); ++at) {
        seen |= static_cast<unsigned char>(text[at]);
    }
    return (seen & 0x8080808080808080U) == 0;
}

template <unsigned More = 0>
rapidjson::ParseResult parse_into(std::string_view text, Adapter& adapter) {
    rapidjson::MemoryStream stream(text.data(), text.size());
    rapidjson::Reader reader;
    constexpr unsigned kFlags =
        rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag | More;
    constexpr unsigned kChecked = kFlags | rapidjson::kParseValidateEncodingFlag;
    // With kParseValidateEncodingFlag, RapidJSON reads each character separately, which is slow.
    return is_ascii(text) ? reader.Parse<kFlags>(stream, adapter)
                          : reader.Parse<kChecked>(stream, adapter);
}

std::string too_deep(const Limits& limits) {
    return fmt::format("nested deeper than {} levels", limits.depth);
}

/// Accepts every event.
class Ignore final : public Handler {
  public:
    bool on_null() override { return true; }
    bool on_bool(bool) override { return true; }
    bool on_int(std::int64_t) override { return true; }
    bool on_double(double) override { return true; }
    bool on_string(std::string_view) override { return true; }
    bool on_start_object() override { return true; }
    bool on_key(std::string_view) override { return true; }
    bool on_end_object() override { return true; }
    bool on_start_array() override { return true; }
    bool on_end_array() override { return true; }
    Error error() const override { return {}; }
};

}  // namespace

Result<void> read(std::string_view text, Handler& handler, const Limits& limits) {
    if (text.size() > limits.bytes) {
        return make_invalid(fmt::format(
            "the document has {} bytes, more than the limit of {}", text.size(), limits.bytes
        ));
    }
    Adapter adapter(handler, limits.depth);
    const auto parsed = parse_into(text, adapter);
    if (!parsed.IsError()) {
        return {};
    }
    if (adapter.too_deep()) {
        return make_invalid(
            fmt::format("the document is {} at byte {}", too_deep(limits), parsed.Offset())
        );
    }
    if (parsed.Code() == rapidjson::kParseErrorTermination) {
        return handler.error();
    }
    return make_invalid(fmt::format(
        "malformed JSON at byte {}: {}", parsed.Offset(), rapidjson::GetParseError_En(parsed.Code())
    ));
}

std::optional<Fault> find_fault(std::string_view text, const Limits& limits) {
    Ignore ignore;
    Adapter adapter(ignore, limits.depth);
    const auto parsed = parse_into<rapidjson::kParseStopWhenDoneFlag>(text, adapter);
    if (!parsed.IsError()) {
        return std::nullopt;
    }
    return Fault{
        .offset = parsed.Offset(),
        .what = adapter.too_deep() ? too_deep(limits)
                                   : std::string(rapidjson::GetParseError_En(parsed.Code())),
    };
}

}  // namespace sluice::json
