#include "yaml/block_documents.hpp"

#include <array>
#include <string_view>

namespace sluice::yaml {
namespace {

constexpr auto kKeys = std::to_array<std::string_view>(
    {"a",          "name",  "spec",    "x-y",     "kueue.x-k8s.io/queue-name",
     "\"q\"",      "'s'",   "\"a b\"", "'it''s'", "1",
     "true",       "012",   "y",       "a b",     "key_1",
     "f:metadata", "\".\"", "1.5",     "<<",      "~",
     "a#b",        "\"\"",  "?x",      "a:b",     "k(1)"}
);
constexpr auto kScalars = std::to_array<std::string_view>(
    {"text",
     "two words",
     "1",
     "-1",
     "012",
     "0x1F",
     "1.5",
     "1e3",
     "true",
     "no",
     "~",
     "null",
     "\"quoted\"",
     "'single'",
     "\"es\\\"c\\\\aped\\n\"",
     "'it''s'",
     "\"a: b # c\"",
     "''",
     "\"\"",
     "500m",
     "1Gi",
     "2026-01-01T00:00:00Z",
     "a:b",
     "a#b",
     "x # comment",
     "{}",
     "[]",
     "-x",
     "?x",
     ":x",
     "a, b",
     "(x)",
     "<none>",
     "\"\\u00e9\"",
     "\xC3\xA9t\xC3\xA9",
     "\"\xE2\x82\xAC\"",
     "[a, b]",
     "{a: b}",
     "&a x",
     "*a",
     "!!str 1",
     ".inf",
     "=",
     "@x",
     "`x",
     "%x",
     "1:30",
     "a]",
     "x}",
     "\"a\\/b\\tc\"",
     "'a \"b\" c'",
     "|x",
     "> x",
     "-",
     "- x",
     "a - b",
     "x:",
     "...",
     "---",
     "' lead'",
     "\"trail \""}
);
constexpr std::string_view kCharacters = " -:#'\"\\|>{}[],&*!%@`?\n\t a1~<=.\r\xC3\xA9";

}  // namespace

std::size_t BlockDocuments::below(std::size_t bound) {
    return static_cast<std::size_t>(random_.below(bound));
}

std::string BlockDocuments::key(std::size_t number) {
    const std::string text(kKeys[below(one_in(4) ? kKeys.size() : 9)]);
    return text.back() == '"' || text.back() == '\'' ? text : text + std::to_string(number);
}

std::string BlockDocuments::end_of_line() {
    constexpr auto kEnds = std::to_array<std::string_view>(
        {"\n\n", "\n# comment\n", " # comment\n", " \n", "\n   \n", "\n   # comment\n"}
    );
    return one_in(12) ? std::string(kEnds[below(kEnds.size())]) : "\n";
}

std::string BlockDocuments::scalar(std::size_t indent) {
    const std::string margin(indent + 1 + below(4), ' ');
    switch (below(16)) {
        case 0:
            return "|\n" + margin + "line 1\n" + (one_in(3) ? "\n" : "") + margin + "  line: 2\n";
        case 1:
            return "|-\n" + margin + "# no comment\n" + margin + "x \n" + (one_in(2) ? "\n" : "");
        case 2:
            return "a long text that\n" + margin + "goes on" + end_of_line();
        case 3:
            return "'a long text that\n" + margin + "goes on: it''s'" + end_of_line();
        case 4:
            return "\"a long text that\n" + margin + "goes \\\"on\\\" # x\"" + end_of_line();
        default:
            return std::string(kScalars[below(one_in(3) ? kScalars.size() : 28)]) + end_of_line();
    }
}

std::string BlockDocuments::map(std::size_t indent, std::size_t depth, bool continues) {
    std::string out;
    const std::size_t count = 1 + below(4);
    for (std::size_t i = 0; i < count; ++i) {
        out += std::string(i == 0 && continues ? 0 : indent, ' ') + key(i) + ":";
        const std::size_t kind = depth == 0 ? 2 : below(4);
        if (kind == 0) {
            const std::size_t inner = indent + 1 + below(4);
            out += end_of_line() + map(inner, depth - 1, false);
        } else if (kind == 1) {
            const std::size_t inner = indent + below(4);
            out += end_of_line() + list(inner, depth - 1, false);
        } else if (one_in(10)) {
            out += end_of_line();
        } else {
            out += " " + scalar(indent);
        }
    }
    return out;
}

std::string BlockDocuments::list(std::size_t indent, std::size_t depth, bool continues) {
    std::string out;
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) {
        out += std::string(i == 0 && continues ? 0 : indent, ' ') + "-";
        const std::size_t kind = depth == 0 ? 2 : below(5);
        const std::size_t gap = 1 + (one_in(3) ? below(3) : 0);
        if (kind == 0) {
            out += std::string(gap, ' ') + map(indent + 1 + gap, depth - 1, true);
        } else if (kind == 1) {
            out += std::string(gap, ' ') + list(indent + 1 + gap, depth - 1, true);
        } else if (kind == 3) {
            out += end_of_line() + map(indent + 1 + below(3), depth - 1, false);
        } else if (one_in(10)) {
            out += end_of_line();
        } else {
            out += " " + scalar(indent);
        }
    }
    return out;
}

std::string BlockDocuments::make() {
    return one_in(6) ? list(0, 3, false) : map(0, 3, false);
}

std::string BlockDocuments::make_broken() {
    std::string text = make();
    for (std::size_t i = 1 + below(2); i > 0; --i) {
        const std::size_t at = below(text.size());
        switch (below(4)) {
            case 0:
                text.erase(at, 1 + below(3));
                break;
            case 1:
                text.insert(at, 1, kCharacters[below(kCharacters.size())]);
                break;
            case 2:
                text[at] = kCharacters[below(kCharacters.size())];
                break;
            default:
                text.insert(at, kScalars[below(kScalars.size())]);
        }
        text += text.empty() ? "x" : "";
    }
    return text;
}

}  // namespace sluice::yaml
