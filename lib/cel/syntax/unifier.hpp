#pragma once

#include "cel/values/type.hpp"

#include <span>
#include <vector>

namespace sluice::cel {

/// What the parameters of types stand for, as found out while an expression is checked.
class Unifier {
  public:
    TypePtr make_variable();
    /// The type with fresh variables in place of its parameters: one for each name.
    TypePtr instantiate(const TypePtr& type, std::map<std::string, TypePtr>& names);
    /// Whether a value of one type may stand where the other is wanted; if so, variables are bound.
    bool assign(const TypePtr& a, const TypePtr& b);
    /// The same for several at once; nothing is bound unless all fit.
    bool assign_all(std::span<const TypePtr> a, std::span<const TypePtr> b);
    /// The type with bound variables replaced, and free ones by dyn when `to_dyn`.
    TypePtr resolve(const TypePtr& type, bool to_dyn) const;

  private:
    bool try_assign(const TypePtr& a, const TypePtr& b);
    bool bind(const TypePtr& variable, const TypePtr& type, bool& was_bound);
    bool occurs(const Type& variable, const Type& within) const;
    const TypePtr* find(const Type& variable) const;

    std::vector<TypePtr> bound_;
};

/// The less specific of two types that fit.
TypePtr most_general(const TypePtr& a, const TypePtr& b);

}  // namespace sluice::cel
