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

/// Where one value of a document is: steps of the kinds Member, Key and Index.
using Location = std::vector<Step>;

/// A location as messages name it. Example: spec.tasks[2].template
std::string to_string(const Location& location);

/// The value there, or nullptr.
const json::Value* find(const json::Value& root, const Location& location);
json::Value* find(json::Value& root, const Location& location);

/// The object there; what is missing on the way, or is no object, becomes one. nullptr when the way
/// leads through a list element that is not there.
json::Value* make_object(json::Value& root, const Location& location);

/// A value that a path leads to.
struct Found {
    Location location;  ///< from the root of the path
    const json::Value* value = nullptr;
};

/// A path in a JSON document, in a subset of JSONPath (RFC 9535): `a.b`, `a['b/c']`, `a[0]`,
/// `a[*]`, `a[?(@.name=='value')]`. A leading `$` or `$.` changes nothing; "" and "$" are the
/// document itself.
class Path {
  public:
    /// The document itself.
    Path() = default;

    /// Errors: Invalid with the place in the text.
    static Result<Path> compile(std::string_view text);

    const std::string& text() const { return text_; }
    const std::vector<Step>& steps() const { return steps_; }
    /// Whether it names at most one value of any document.
    bool is_single() const;
    /// Whether it consists of member names alone, so that what it names can be made.
    bool is_settable() const;

    /// Every value that it leads to, in the order of the document. Nulls are absent.
    std::vector<Found> find_all(const json::Value& root) const;
    /// The first of them, or nullptr.
    const json::Value* find(const json::Value& root) const;

    friend bool operator==(const Path&, const Path&) = default;

  private:
    std::string text_;
    std::vector<Step> steps_;
};

}  // namespace sluice::job_kinds
