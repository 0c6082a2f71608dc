// Unifies types: binds type variables while an expression is checked.
#pragma once

#include "cel/values/type.hpp"

#include <span>
#include <vector>

namespace sluice::cel {

/// The types that type variables are bound to while an expression is checked.
class Unifier {
  public:
    /// Makes a free type variable.
    TypePtr make_variable();
    /// Returns the type with its parameters replaced by fresh variables, one for each name.
    TypePtr instantiate(const TypePtr& type, std::map<std::string, TypePtr>& names);
    /// Returns true if a value of one type is accepted where the other is expected, and binds
    /// variables accordingly.
    bool assign(const TypePtr& a, const TypePtr& b);
    /// Unifies several types at once; binds nothing unless all match.
    bool assign_all(std::span<const TypePtr> a, std::span<const TypePtr> b);
    /// Returns the type with bound variables replaced; free ones become Dyn if `to_dyn`.
    TypePtr resolve(const TypePtr& type, bool to_dyn) const;

  private:
    bool try_assign(const TypePtr& a, const TypePtr& b);
    bool bind(const TypePtr& variable, const TypePtr& type, bool& was_bound);
    bool occurs(const Type& variable, const Type& within) const;
    const TypePtr* find(const Type& variable) const;

    std::vector<TypePtr> bound_;
};

/// Returns the less specific of two types that match.
TypePtr most_general(const TypePtr& a, const TypePtr& b);

}  // namespace sluice::cel
