// Paths in a JSON document, in a subset of JSONPath.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::job_kinds {

/// One step from a value of a document to a value inside it.
struct Step {
    enum class Kind : std::uint8_t {
        Member,  ///< `.name`
        Key,     ///< `['name']`, the same member; messages show it in brackets
        Index,   ///< `[3]`
        Each,    ///< `[*]`: all elements of a list, or all members of an object
        Where,   ///< `[?(@.name=='value')]`: elements whose member is that string
    };
    Kind kind = Kind::Member;
    std::string name;
    std::string value;
    std::size_t index = 0;

    friend bool operator==(const Step&, const Step&) = default;
};

/// The place of one value in a document: steps of the kinds Member, Key and Index.
using Location = std::vector<Step>;

/// Returns a location as messages print it. Example: spec.tasks[2].template
std::string to_string(const Location& location);

/// Return the value at the location; nullptr if it is absent.
const json::Value* find(const json::Value& root, const Location& location);
json::Value* find(json::Value& root, const Location& location);

/// Returns the object at the location. Values on the way that are absent or not objects are
/// replaced by objects. Returns nullptr if the location leads through a list element that does not
/// exist.
json::Value* make_object(json::Value& root, const Location& location);

/// A value that a path leads to.
struct Found {
    Location location;  ///< from the root of the path
    const json::Value* value = nullptr;
};

/// A path in a JSON document, in a subset of JSONPath (RFC 9535): `a.b`, `a['b/c']`, `a[0]`,
/// `a[*]`, `a[?(@.name=='value')]`. A leading `$` or `$.` is ignored; "" and "$" are the document
/// itself.
class Path {
  public:
    /// Makes the path of the document itself.
    Path() = default;

    /// Errors: Invalid with the place in the text.
    static Result<Path> compile(std::string_view text);

    const std::string& text() const { return text_; }
    const std::vector<Step>& steps() const { return steps_; }
    /// Returns true if the path leads to at most one value in any document.
    bool is_single() const;
    /// Returns true if the path consists only of member names, so that its value can be created.
    bool is_settable() const;

    /// Returns every value that the path leads to, in the order of the document. Nulls count as
    /// absent.
    std::vector<Found> find_all(const json::Value& root) const;
    /// Returns the first value that the path leads to; nullptr if it leads nowhere.
    const json::Value* find(const json::Value& root) const;

    friend bool operator==(const Path&, const Path&) = default;

  private:
    std::string text_;
    std::vector<Step> steps_;
};

}  // namespace sluice::job_kinds
