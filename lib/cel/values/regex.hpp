// Regular expressions in RE2's syntax.
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

/// A regular expression in RE2's syntax, which the API server also uses. Matching takes time linear
/// in the text.
class Regex {
  public:
    explicit Regex(std::string_view pattern);
    Regex(Regex&&) noexcept;
    Regex& operator=(Regex&&) noexcept;
    ~Regex();

    /// Returns the work of compiling the pattern, in instructions of its program.
    std::uint64_t size() const;
    /// Returns the fault of the pattern; nullopt if it is valid.
    std::optional<std::string> problem() const;
    /// Returns true if some part of the text matches. Requires: problem() is nullopt.
    bool is_found_in(std::string_view text) const;
    /// Returns the parts that match, from left to right, at most `limit`. Requires: problem() is
    /// nullopt.
    std::vector<std::string_view> find_all(std::string_view text, std::size_t limit) const;

  private:
    std::unique_ptr<re2::RE2> regex_;
};

/// Caches the expressions of one evaluation, so that each is usually compiled once.
class RegexCache {
  public:
    /// Returns the compiled expression. Lifetime: until the next call of get().
    const Regex& get(std::string_view pattern);
    /// The total size of all compiled expressions.
    std::uint64_t effort() const { return effort_; }

  private:
    std::uint64_t effort_ = 0;
    std::map<std::string, Regex, std::less<>> known_;
};

}  // namespace sluice::cel
