// Label and field selectors of list and watch requests, parsed and evaluated.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The selectors of list and watch requests.
namespace sluice::apiserver {

/// A label selector as a query parameter contains it: `a=b,c in (d,e),!f`.
class LabelQuery {
  public:
    /// Errors: Invalid, in the words of the API server.
    static Result<LabelQuery> parse(std::string_view text);
    bool matches(const json::Value& object) const;
    bool empty() const { return requirements_.empty(); }

  private:
    enum class Operator : std::uint8_t { In, NotIn, Exists, DoesNotExist, GreaterThan, LessThan };
    struct Requirement {
        std::string key;
        Operator operation = Operator::Exists;
        std::vector<std::string> values;
    };
    friend class LabelQueryParser;

    std::vector<Requirement> requirements_;
};

/// A field selector: `metadata.name=a,spec.nodeName!=b`.
class FieldQuery {
  public:
    /// `fields`: the fields that the selector may name in addition to metadata.name and
    /// metadata.namespace, as in `status.phase`. `is_custom`: the kind is a custom resource, for
    /// which the refusal of an unknown field has other words. Errors: Invalid, in the words of the
    /// API server.
    static Result<FieldQuery> parse(
        std::string_view text, const std::vector<std::string>& fields, bool is_custom
    );
    bool matches(const json::Value& object) const;
    bool empty() const { return requirements_.empty(); }

  private:
    struct Requirement {
        std::string field;
        bool is_equal = true;
        std::string value;
        std::string otherwise{};  ///< a field that is used instead if this one is empty
        std::string missing{};    ///< the text that is assumed for a missing field
    };
    std::vector<Requirement> requirements_;
};

/// Returns the fields of a built-in resource that field selectors may name.
std::vector<std::string> selectable_fields(std::string_view group, std::string_view plural);

/// Returns the value at a path such as `.spec.nodeName` or `status.phase` as text; "" if it is
/// missing.
std::string field_text(const json::Value& object, std::string_view path);

}  // namespace sluice::apiserver
