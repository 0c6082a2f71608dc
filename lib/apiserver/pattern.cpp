#include "apiserver/pattern.hpp"

#include <cstdint>
#include <re2/re2.h>
#include <string>

namespace sluice::apiserver {
namespace {

constexpr std::int64_t kMemoryMax = std::int64_t{8} << 20;

std::string_view fault_text(RE2::ErrorCode code) {
    switch (code) {
        case RE2::NoError:
            return "";
        case RE2::ErrorInternal:
            return "regexp/syntax: internal error";
        case RE2::ErrorBadEscape:
            return "invalid escape sequence";
        case RE2::ErrorBadCharClass:
            return "invalid character class";
        case RE2::ErrorBadCharRange:
            return "invalid character class range";
        case RE2::ErrorMissingBracket:
            return "missing closing ]";
        case RE2::ErrorMissingParen:
            return "missing closing )";
        case RE2::ErrorUnexpectedParen:
            return "unexpected )";
        case RE2::ErrorTrailingBackslash:
            return "trailing backslash at end of expression";
        case RE2::ErrorRepeatArgument:
            return "missing argument to repetition operator";
        case RE2::ErrorRepeatSize:
            return "invalid repeat count";
        case RE2::ErrorRepeatOp:
            return "invalid nested repetition operator";
        case RE2::ErrorBadPerlOp:
            return "invalid or unsupported Perl syntax";
        case RE2::ErrorBadUTF8:
            return "invalid UTF-8";
        case RE2::ErrorBadNamedCapture:
            return "invalid named capture";
        case RE2::ErrorPatternTooLarge:
            return "expression too large";
    }
    return "";
}

class Re2Pattern final : public Pattern {
  public:
    explicit Re2Pattern(std::string_view expression)
        : regex_(re2::StringPiece(expression.data(), expression.size()), options()) {}

    bool is_found_in(std::string_view text) const override {
        return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex_);
    }
    bool ok() const { return regex_.ok(); }
    /// The fault and the part that has it, as Go's regexp tells them.
    std::string fault() const {
        return std::string(fault_text(regex_.error_code())) + ": `" + regex_.error_arg() + "`";
    }

  private:
    static RE2::Options options() {
        RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(kMemoryMax);
        return options;
    }
    RE2 regex_;
};

}  // namespace

Result<std::shared_ptr<const Pattern>> Pattern::make(std::string_view expression) {
    auto pattern = std::make_shared<Re2Pattern>(expression);
    if (!pattern->ok()) {
        return make_invalid(pattern->fault());
    }
    return std::shared_ptr<const Pattern>(std::move(pattern));
}

}  // namespace sluice::apiserver
