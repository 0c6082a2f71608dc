// Faults of a document, each with the path of the field.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::config {

/// A fault of a document, with the path of the field.
struct Problem {
    std::string path;  ///< such as `integrations.frameworks[2]`; empty for the document itself
    std::string why;

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Returns the path of a member of the object at `parent`. `parent`: empty for the document itself.
std::string join_path(std::string_view parent, std::string_view name);

/// Returns `path: why`.
std::string to_string(const Problem& problem);

/// Returns all problems in one sentence.
std::string to_string(const std::vector<Problem>& problems);

/// Collects problems in the order in which they are found.
class Problems {
  public:
    /// Adds a problem. `path`: the field; empty for the whole document.
    void add(std::string_view path, std::string_view why) {
        all_.emplace_back(std::string(path), std::string(why));
    }
    bool empty() const { return all_.empty(); }
    /// Returns the problems and removes them from this object.
    std::vector<Problem> take() { return std::exchange(all_, {}); }

  private:
    std::vector<Problem> all_;
};

}  // namespace sluice::config
