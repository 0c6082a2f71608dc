#include "workload/pods/text.hpp"

namespace sluice::workload {
namespace {

constexpr std::size_t kConditionMessageMax = 32768;
constexpr std::size_t kEventNoteMax = 1024;

std::string truncated(std::string_view text, std::size_t limit) {
    constexpr std::string_view kEllipsis = " ...";
    if (text.size() <= limit) {
        return std::string(text);
    }
    std::size_t end = limit - kEllipsis.size();
    // A UTF-8 character is never cut: JSON must stay valid UTF-8.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return std::string(text.substr(0, end)).append(kEllipsis);
}

}  // namespace

std::string truncated_condition_message(std::string_view message) {
    return truncated(message, kConditionMessageMax);
}

std::string truncated_event_note(std::string_view note) {
    return truncated(note, kEventNoteMax);
}

}  // namespace sluice::workload
