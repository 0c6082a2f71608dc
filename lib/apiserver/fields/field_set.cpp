#include "apiserver/fields/field_set.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr int kFieldSetDepthMax = 128;

auto lower_bound(auto& children, const PathElement& element) {
    return std::lower_bound(
        children.begin(),
        children.end(),
        element,
        [](const auto& child, const PathElement& e) { return child.element < e; }
    );
}

Result<FieldSet> read(const Value& fields, int depth) {
    if (!fields.is_object() || depth > kFieldSetDepthMax) {
        return make_invalid("fieldsV1 must be objects, nested at most 128 deep");
    }
    FieldSet set;
    // A path without longer ones below it is in the set.
    set.is_member = fields.as_object().empty();
    for (const auto& [name, below] : fields.as_object()) {
        if (name == ".") {
            set.is_member = true;
            continue;
        }
        const auto element = parse_element(name);
        if (!element) {
            continue;
        }
        auto child = read(below, depth + 1);
        if (!child) {
            return child.error();
        }
        if (!child->empty()) {
            set.at(*element) = std::move(child).value();
        }
    }
    return set;
}

void visit_paths(
    const FieldSet& set, FieldPath& path, const std::function<void(const FieldPath&)>& visit
) {
    for (const auto& child : set.children) {
        if (child.set.is_member) {
            path.push_back(child.element);
            visit(path);
            path.pop_back();
        }
    }
    for (const auto& child : set.children) {
        path.push_back(child.element);
        visit_paths(child.set, path, visit);
        path.pop_back();
    }
}

bool is_empty_child(const FieldSet::Child& child) {
    return child.set.empty();
}

void append_unless_empty(FieldSet& to, const PathElement& element, FieldSet child) {
    if (!child.empty()) {
        to.children.push_back({element, std::move(child)});
    }
}

}  // namespace

bool operator==(const FieldSet& a, const FieldSet& b) {
    return a.is_member == b.is_member && a.children == b.children;
}

const FieldSet* FieldSet::find(const PathElement& element) const {
    const auto found = lower_bound(children, element);
    return found != children.end() && found->element == element ? &found->set : nullptr;
}

FieldSet& FieldSet::at(const PathElement& element) {
    if (children.empty() || children.back().element < element) {
        return children.emplace_back(Child{element, {}}).set;
    }
    auto found = lower_bound(children, element);
    if (found == children.end() || found->element != element) {
        found = children.insert(found, Child{element, {}});
    }
    return found->set;
}

void FieldSet::insert(const FieldPath& path) {
    FieldSet* node = this;
    for (const auto& element : path) {
        node = &node->at(element);
    }
    node->is_member = true;
}

bool FieldSet::contains(const FieldPath& path) const {
    const FieldSet* node = this;
    for (const auto& element : path) {
        node = node->find(element);
        if (node == nullptr) {
            return false;
        }
    }
    return node->is_member;
}

Value FieldSet::to_fields_v1() const {
    json::Object fields;
    if (is_member && !children.empty()) {
        fields.emplace_back(".", json::Object{});
    }
    for (const auto& child : children) {
        fields.emplace_back(child.element.encoded(), child.set.to_fields_v1());
    }
    return fields;
}

Result<FieldSet> FieldSet::from_fields_v1(const Value& fields) {
    auto set = read(fields, 0);
    if (set) {
        set->is_member = false;
    }
    return set;
}

void FieldSet::for_each(const std::function<void(const FieldPath&)>& visit) const {
    FieldPath path;
    visit_paths(*this, path, visit);
}

FieldSet set_union(FieldSet a, const FieldSet& b) {
    if (b.empty()) {
        return a;
    }
    if (a.empty()) {
        return b;
    }
    FieldSet out;
    out.is_member = a.is_member || b.is_member;
    out.children.reserve(std::max(a.children.size(), b.children.size()));
    auto left = a.children.begin();
    auto right = b.children.begin();
    while (left != a.children.end() && right != b.children.end()) {
        const auto order = left->element <=> right->element;
        if (order == 0) {
            out.children.push_back(
                {std::move(left->element), set_union(std::move(left->set), right->set)}
            );
            ++left;
            ++right;
        } else if (order < 0) {
            out.children.push_back(std::move(*left++));
        } else {
            out.children.push_back(*right++);
        }
    }
    std::move(left, a.children.end(), std::back_inserter(out.children));
    std::copy(right, b.children.end(), std::back_inserter(out.children));
    return out;
}

FieldSet set_intersection(const FieldSet& a, const FieldSet& b) {
    FieldSet out;
    out.is_member = a.is_member && b.is_member;
    for (const auto& child : a.children) {
        if (const FieldSet* other = b.find(child.element)) {
            append_unless_empty(out, child.element, set_intersection(child.set, *other));
        }
    }
    return out;
}

FieldSet set_difference(FieldSet a, const FieldSet& b) {
    a.is_member = a.is_member && !b.is_member;
    if (b.children.empty()) {
        return a;
    }
    for (FieldSet::Child& child : a.children) {
        if (const FieldSet* other = b.find(child.element)) {
            child.set = set_difference(std::move(child.set), *other);
        }
    }
    std::erase_if(a.children, is_empty_child);
    return a;
}

FieldSet set_difference_below(FieldSet a, const FieldSet& b) {
    if (b.children.empty()) {
        return a;
    }
    for (FieldSet::Child& child : a.children) {
        const FieldSet* other = b.find(child.element);
        if (other != nullptr && other->is_member) {
            child.set = {};
        } else if (other != nullptr) {
            child.set = set_difference_below(std::move(child.set), *other);
        }
    }
    std::erase_if(a.children, is_empty_child);
    return a;
}

FieldSet set_restriction(const FieldSet& a, const FieldSet& b) {
    FieldSet out;
    for (const auto& child : a.children) {
        if (const FieldSet* other = b.find(child.element)) {
            append_unless_empty(
                out,
                child.element,
                other->is_member ? child.set : set_restriction(child.set, *other)
            );
        }
    }
    return out;
}

FieldSet set_of_fields(const std::vector<std::string>& dotted_paths) {
    FieldSet set;
    for (std::string_view rest : dotted_paths) {
        FieldPath path;
        while (!rest.empty()) {
            const auto dot = rest.find('.');
            path.push_back(field_element(rest.substr(0, dot)));
            rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
        }
        set.insert(path);
    }
    return set;
}

}  // namespace sluice::apiserver
