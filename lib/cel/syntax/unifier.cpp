#include "cel/syntax/unifier.hpp"

#include <algorithm>

namespace sluice::cel {
namespace {

bool is_wild(Kind kind) {
    return kind == Kind::Dyn || kind == Kind::Error;
}

bool is_nullable(Kind kind) {
    return kind == Kind::Opaque || kind == Kind::Optional || kind == Kind::Object ||
           kind == Kind::Duration || kind == Kind::Timestamp || kind == Kind::Null;
}

bool is_equal_or_less_specific(const Type& a, const Type& b) {
    if (a.kind == Kind::Dyn || a.kind == Kind::Parameter) {
        return true;
    }
    if (b.kind == Kind::Dyn || b.kind == Kind::Parameter || a.kind != b.kind ||
        a.parameters.size() != b.parameters.size()) {
        return false;
    }
    if (a.kind == Kind::Type) {
        return true;
    }
    if (a.parameters.empty()) {
        return is_same_type(a, b);
    }
    for (std::size_t i = 0; i < a.parameters.size(); ++i) {
        if (!is_equal_or_less_specific(*a.parameters[i], *b.parameters[i])) {
            return false;
        }
    }
    return true;
}

}  // namespace

TypePtr most_general(const TypePtr& a, const TypePtr& b) {
    return is_equal_or_less_specific(*a, *b) ? a : b;
}

TypePtr Unifier::make_variable() {
    auto type = std::make_shared<Type>();
    type->kind = Kind::Parameter;
    type->variable = static_cast<int>(bound_.size());
    bound_.emplace_back();
    return type;
}

TypePtr Unifier::instantiate(const TypePtr& type, std::map<std::string, TypePtr>& names) {
    if (type->kind == Kind::Parameter) {
        TypePtr& variable = names[type->name];
        if (variable == nullptr) {
            variable = make_variable();
        }
        return variable;
    }
    if (type->parameters.empty() || type->kind == Kind::Object) {
        return type;
    }
    auto copy = std::make_shared<Type>(*type);
    for (TypePtr& each : copy->parameters) {
        each = instantiate(each, names);
    }
    return copy;
}

const TypePtr* Unifier::find(const Type& variable) const {
    if (variable.kind != Kind::Parameter || variable.variable < 0) {
        return nullptr;
    }
    const TypePtr& bound = bound_[static_cast<std::size_t>(variable.variable)];
    return bound != nullptr ? &bound : nullptr;
}

bool Unifier::occurs(const Type& variable, const Type& within) const {
    if (is_same_type(variable, within)) {
        return true;
    }
    if (const TypePtr* bound = find(within)) {
        return occurs(variable, **bound);
    }
    return std::ranges::any_of(within.parameters, [&](const TypePtr& each) {
        return occurs(variable, *each);
    });
}

/// Binds a variable to a type. Returns false if they do not match. Sets `was_bound` if the variable
/// already had a type.
bool Unifier::bind(const TypePtr& variable, const TypePtr& type, bool& was_bound) {
    if (is_same_type(*variable, *type)) {
        was_bound = true;
        return true;
    }
    const auto number = static_cast<std::size_t>(variable->variable);
    if (const TypePtr bound = bound_[number]) {
        was_bound = true;
        if (is_same_type(*bound, *type)) {
            return true;
        }
        if (!try_assign(type, bound)) {
            return false;
        }
        const TypePtr general = most_general(type, bound);
        if (!occurs(*variable, *general)) {
            bound_[number] = general;
        }
        return true;
    }
    if (occurs(*variable, *type)) {
        return false;
    }
    bound_[number] = type;
    return true;
}

bool Unifier::try_assign(const TypePtr& a, const TypePtr& b) {
    bool was_bound = false;
    if (b->kind == Kind::Parameter) {
        const bool fits = bind(b, a, was_bound);
        if (fits || was_bound) {
            return fits;
        }
    }
    if (a->kind == Kind::Parameter) {
        return bind(a, b, was_bound);
    }
    if (is_wild(a->kind) || is_wild(b->kind)) {
        return true;
    }
    if (a->kind == Kind::Null || b->kind == Kind::Null) {
        return is_nullable(a->kind) && is_nullable(b->kind);
    }
    if (a->kind != b->kind || a->name != b->name) {
        return false;
    }
    if (a->kind == Kind::Type || a->kind == Kind::Object) {
        return true;
    }
    if (a->parameters.size() != b->parameters.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a->parameters.size(); ++i) {
        if (!try_assign(a->parameters[i], b->parameters[i])) {
            return false;
        }
    }
    return true;
}

bool Unifier::assign(const TypePtr& a, const TypePtr& b) {
    return assign_all(std::span(&a, 1), std::span(&b, 1));
}

bool Unifier::assign_all(std::span<const TypePtr> a, std::span<const TypePtr> b) {
    if (a.size() != b.size()) {
        return false;
    }
    auto before = bound_;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!try_assign(a[i], b[i])) {
            bound_ = std::move(before);
            return false;
        }
    }
    return true;
}

TypePtr Unifier::resolve(const TypePtr& type, bool to_dyn) const {
    if (const TypePtr* bound = find(*type)) {
        return resolve(*bound, to_dyn);
    }
    if (type->kind == Kind::Parameter) {
        return to_dyn ? simple_type(Kind::Dyn) : type;
    }
    if (type->parameters.empty() || type->kind == Kind::Object) {
        return type;
    }
    auto copy = std::make_shared<Type>(*type);
    bool changed = false;
    for (TypePtr& each : copy->parameters) {
        auto resolved = resolve(each, to_dyn);
        changed = changed || resolved != each;
        each = std::move(resolved);
    }
    return changed ? copy : type;
}

}  // namespace sluice::cel
