// The JSONPath of a printer column, parsed and evaluated.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::apiserver {

/// A path in kubectl's JSONPath without braces, as printer columns of CustomResourceDefinitions
/// contain it: `.status.conditions[-1:].type`, `.spec.parts[*].name`,
/// `.status.conditions[?(@.type=="Ready")].status`, `..image`.
class ColumnPath {
  public:
    /// Parses a path. Errors: Invalid for a malformed path; the message says where the fault is.
    static Result<ColumnPath> parse(std::string_view text);

    /// Returns the first value at the path; members of objects come in the order of their names.
    /// Returns nullptr if the path does not lead to a value. Lifetime: that of the object.
    const json::Value* find_first(const json::Value& object) const;

  private:
    struct Member {
        std::string name;
    };
    /// A word or a quoted text, which does not select anything: the search ends there.
    struct Word {};
    /// `[*]` or `.*`
    struct Wildcard {};
    /// `..`: the value itself and all values inside it
    struct Descent {};
    /// `[start:end:step]`; negative positions count from the end. `[n]` selects one element; the
    /// search ends if the element is missing.
    struct Slice {
        std::optional<std::int64_t> start;
        std::optional<std::int64_t> end;
        std::int64_t step = 1;
        bool is_element = false;
    };
    /// `['a','b']` or `[0,1]`: the values of each path, one path after the other.
    struct Union {
        std::vector<ColumnPath> paths;
    };
    /// `[?(@.a=="b")]`, or `[?(@.a)]` for items that have `a`.
    struct Filter;
    using FilterPointer = std::shared_ptr<const Filter>;
    using Step = std::variant<Member, Word, Wildcard, Descent, Slice, Union, FilterPointer>;
    class Parser;
    class Search;

    std::vector<Step> steps_;
};

}  // namespace sluice::apiserver
