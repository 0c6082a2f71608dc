#pragma once

#include "base/prng.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::yaml {

/// Makes documents that are in plain block style or nearly so. The same seed, the same documents.
class BlockDocuments {
  public:
    explicit BlockDocuments(std::uint64_t seed) : random_(seed) {}

    /// A well-formed document, mostly in plain block style.
    std::string make();
    /// The same with a few characters or lines changed, mostly to something malformed.
    std::string make_broken();

  private:
    std::size_t below(std::size_t bound);
    bool one_in(std::size_t count) { return below(count) == 0; }
    std::string key(std::size_t number);
    std::string scalar(std::size_t indent);
    std::string end_of_line();
    /// Lines of a container; the first is not indented when it continues a line.
    std::string map(std::size_t indent, std::size_t depth, bool continues);
    std::string list(std::size_t indent, std::size_t depth, bool continues);

    Prng random_;
};

}  // namespace sluice::yaml
