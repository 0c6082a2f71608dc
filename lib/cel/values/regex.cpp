#include "cel/values/regex.hpp"

#include <fmt/format.h>

#include <re2/re2.h>

namespace sluice::cel {
namespace {

re2::RE2::Options make_options() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    return options;
}

/// Returns the API server's name of the fault.
std::string_view name_error(re2::RE2::ErrorCode code) {
    using re2::RE2;
    switch (code) {
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
        case RE2::NoError:
        case RE2::ErrorInternal:
            break;
    }
    return "regexp/syntax: internal error";
}

}  // namespace

Regex::Regex(std::string_view pattern)
    : regex_(std::make_unique<re2::RE2>(
          re2::StringPiece(pattern.data(), pattern.size()), make_options()
      )) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

std::uint64_t Regex::size() const {
    // A pattern that is too large was compiled up to RE2's limit.
    constexpr std::uint64_t kLargest = 100'000;
    return regex_->ok() ? static_cast<std::uint64_t>(regex_->ProgramSize())
           : regex_->error_code() == re2::RE2::ErrorPatternTooLarge ? kLargest
                                                                    : 1;
}

std::optional<std::string> Regex::problem() const {
    if (regex_->ok()) {
        return std::nullopt;
    }
    return fmt::format("{}: `{}`", name_error(regex_->error_code()), regex_->error_arg());
}

bool Regex::is_found_in(std::string_view text) const {
    return regex_->Match(
        re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0
    );
}

std::vector<std::string_view> Regex::find_all(std::string_view text, std::size_t limit) const {
    std::vector<std::string_view> found;
    const re2::StringPiece whole(text.data(), text.size());
    std::size_t at = 0;
    const char* last_end = nullptr;
    while (found.size() < limit && at <= text.size()) {
        re2::StringPiece part;
        if (!regex_->Match(whole, at, text.size(), re2::RE2::UNANCHORED, &part, 1)) {
            break;
        }
        const auto start = static_cast<std::size_t>(part.data() - text.data());
        // Ignore an empty match directly after the previous match.
        if (!part.empty() || part.data() != last_end) {
            found.push_back(text.substr(start, part.size()));
        }
        last_end = part.data() + part.size();
        at = start + part.size();
        if (part.empty()) {
            ++at;
            while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) {
                ++at;
            }
        }
    }
    return found;
}

const Regex& RegexCache::get(std::string_view pattern) {
    constexpr std::size_t kMax = 64;
    const auto found = known_.find(pattern);
    if (found != known_.end()) {
        return found->second;
    }
    if (known_.size() >= kMax) {
        known_.clear();
    }
    const Regex& read = known_.emplace(std::string(pattern), Regex(pattern)).first->second;
    effort_ += read.size();
    return read;
}

}  // namespace sluice::cel
