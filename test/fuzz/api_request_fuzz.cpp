#include "fuzz/api_state.hpp"
#include "fuzz/fuzz_target.hpp"

#include <algorithm>
#include <string_view>

namespace {

/// The text up to the end of its line, which is taken off.
std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

}  // namespace

/// A line with method and target, one with the media type, and the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string_view first = take_line(text);
    const std::string_view media_type = take_line(text);
    const std::size_t blank = std::min(first.find(' '), first.size());
    const auto server = sluice::test::make_filled_server();
    sluice::test::send(
        *server,
        first.substr(0, blank),
        first.substr(std::min(blank + 1, first.size())),
        media_type,
        text
    );
    sluice::test::check_stored(*server);
    return 0;
}
