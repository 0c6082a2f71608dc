#include "controller/commands/test/junit.hpp"

#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::commands {

namespace {

/// Escapes a text for an XML attribute. XML cannot represent control characters.
std::string escape(std::string_view text) {
    std::string made;
    for (const char c : printable(text)) {
        switch (c) {
            case '&':
                made += "&amp;";
                break;
            case '<':
                made += "&lt;";
                break;
            case '>':
                made += "&gt;";
                break;
            case '"':
                made += "&quot;";
                break;
            default:
                made += c;
        }
    }
    return made;
}

}  // namespace

std::string print_junit(
    std::string_view suite, const std::vector<Verdict>& verdicts, double seconds
) {
    const auto failures = std::ranges::count_if(verdicts, [](const Verdict& verdict) {
        return !verdict.failure.empty();
    });
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites>\n"
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" time=\"{:.3f}\">\n",
        escape(suite),
        verdicts.size(),
        failures,
        seconds
    );
    for (const Verdict& verdict : verdicts) {
        text += fmt::format(
            "    <testcase classname=\"{}\" name=\"{}\"", escape(suite), escape(verdict.name)
        );
        text += verdict.failure.empty()
                    ? "/>\n"
                    : fmt::format(
                          ">\n      <failure message=\"{}\"/>\n    </testcase>\n",
                          escape(verdict.failure)
                      );
    }
    return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace sluice::commands
