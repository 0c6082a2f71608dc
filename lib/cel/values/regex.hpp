#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace sluice::cel {

/// A regular expression in RE2's syntax, which the API server uses too. Matching takes time linear
/// in the text.
class Regex {
  public:
    explicit Regex(std::string_view pattern);
    Regex(Regex&&) noexcept;
    Regex& operator=(Regex&&) noexcept;
    ~Regex();

    /// How much work reading the pattern was, in steps of its program.
    std::uint64_t size() const;
    /// What is wrong with the pattern; none when nothing is.
    std::optional<std::string> problem() const;
    /// Whether some part of the text matches. Requires: no problem.
    bool is_found_in(std::string_view text) const;
    /// The parts that match, from left to right, at most that many. Requires: no problem.
    std::vector<std::string_view> find_all(std::string_view text, std::size_t limit) const;

  private:
    std::unique_ptr<re2::RE2> regex_;
};

/// Keeps the expressions of one evaluation, so that each is read once.
class RegexCache {
  public:
    const Regex& get(std::string_view pattern);
    /// The sizes of all that were read.
    std::uint64_t effort() const { return effort_; }

  private:
    std::uint64_t effort_ = 0;
    std::map<std::string, Regex, std::less<>> known_;
};

}  // namespace sluice::cel
