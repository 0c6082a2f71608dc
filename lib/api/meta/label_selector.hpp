// Label selectors of the API, checked and evaluated.
#pragma once

#include "api/meta/meta.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::api {

/// A checked label selector, ready to be evaluated many times. An empty selector matches
/// everything; the caller decides if an absent one matches nothing or everything.
class Selector {
  public:
    Selector() = default;
    /// Errors: Invalid with the faulty part, as in "matchExpressions[0].operator: …".
    static Result<Selector> make(const LabelSelector& selector);

    bool matches(const StringMap& labels) const;

  private:
    enum class Operator : std::uint8_t { In, NotIn, Exists, DoesNotExist };
    struct Requirement {
        std::string key;
        Operator operation;
        std::vector<std::string> values;
    };
    static Result<Requirement> make_requirement(const LabelSelectorRequirement& expression);
    static bool is_met(const Requirement& requirement, const StringMap& labels);

    std::vector<Requirement> requirements_;
};

/// Returns true if the selector is valid and matches the labels.
bool matches(const LabelSelector& selector, const StringMap& labels);

}  // namespace sluice::api
