#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The selectors of list and watch requests.
namespace sluice::apiserver {

/// A label selector as a query parameter has it: `a=b,c in (d,e),!f`.
class LabelQuery {
  public:
    /// Errors: Invalid, as the API server words it.
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
    /// `fields`: those that may be asked for beside name and namespace, as in `status.phase`; of a
    /// custom resource (`is_custom`) the refusal of others reads differently.
    /// Errors: Invalid, as the API server words it.
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
        std::string otherwise{};  ///< the field that counts where this one is empty
        std::string missing{};    ///< the text of a field that is not there
    };
    std::vector<Requirement> requirements_;
};

/// The fields of a built-in resource that field selectors may name.
std::vector<std::string> selectable_fields(std::string_view group, std::string_view plural);

/// The value at a path such as `.spec.nodeName` or `status.phase` as a text; "": there is none.
std::string field_text(const json::Value& object, std::string_view path);

}  // namespace sluice::apiserver
