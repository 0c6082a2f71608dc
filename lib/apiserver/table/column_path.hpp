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

/// A path in kubectl's JSONPath without braces, as the printer columns of definitions have it:
/// `.status.conditions[-1:].type`, `.spec.parts[*].name`,
/// `.status.conditions[?(@.type=="Ready")].status`, `..image`.
class ColumnPath {
  public:
    /// Errors: Invalid for a text that is no such path, saying where.
    static Result<ColumnPath> parse(std::string_view text);

    /// The first value at the path, members of objects in the order of their names; nullptr: there
    /// is none. Lifetime: that of the object.
    const json::Value* find_first(const json::Value& object) const;

  private:
    struct Member {
        std::string name;
    };
    /// A word or a quoted text, which stands for nothing: the search ends there.
    struct Word {};
    /// `[*]` or `.*`
    struct Wildcard {};
    /// `..`: the value itself and all that is in it
    struct Descent {};
    /// `[start:end:step]`; negative: counted from the end. `[n]` is one element, whose absence ends
    /// the search.
    struct Slice {
        std::optional<std::int64_t> start;
        std::optional<std::int64_t> end;
        std::int64_t step = 1;
        bool is_element = false;
    };
    /// `['a','b']` or `[0,1]`: the values of one after those of the other.
    struct Union {
        std::vector<ColumnPath> paths;
    };
    /// `[?(@.a=="b")]`, or `[?(@.a)]` where it is there.
    struct Filter;
    using FilterPointer = std::shared_ptr<const Filter>;
    using Step = std::variant<Member, Word, Wildcard, Descent, Slice, Union, FilterPointer>;
    class Parser;
    class Search;

    std::vector<Step> steps_;
};

}  // namespace sluice::apiserver
