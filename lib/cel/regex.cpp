#include "cel/regex.hpp"

#include <re2/re2.h>

namespace sluice::cel {
namespace {

re2::RE2::Options make_options() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    return options;
}

}  // namespace

Regex::Regex(std::string_view pattern)
    : regex_(std::make_unique<re2::RE2>(
          re2::StringPiece(pattern.data(), pattern.size()), make_options()
      )) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

std::optional<std::string> Regex::problem() const {
    return regex_->ok() ? std::nullopt : std::optional(regex_->error());
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
        // An empty match right behind the one before it does not count.
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
    return known_.emplace(std::string(pattern), Regex(pattern)).first->second;
}

}  // namespace sluice::cel
