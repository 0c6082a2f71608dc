#include "json/patch.hpp"

namespace sluice::json {

void apply_merge_patch(Value& target, const Value& patch) {
    if (!patch.is_object()) {
        target = patch;
        return;
    }
    if (!target.is_object()) {
        target = Object{};
    }
    for (const auto& [key, member] : patch.as_object()) {
        if (member.is_null()) {
            target.erase(key);
            continue;
        }
        Value* existing = target.find(key);
        apply_merge_patch(existing != nullptr ? *existing : target.set(key, Value()), member);
    }
}

Value make_merge_patch(const Value& from, const Value& to) {
    if (!from.is_object() || !to.is_object()) {
        return to;
    }
    Value patch = Object{};
    for (const auto& [key, member] : from.as_object()) {
        if (to.find(key) == nullptr) {
            patch.set(key, Value());
        }
    }
    for (const auto& [key, member] : to.as_object()) {
        const Value* old = from.find(key);
        if (old == nullptr) {
            patch.set(key, member);
        } else if (!(*old == member)) {
            patch.set(key, make_merge_patch(*old, member));
        }
    }
    return patch;
}

}  // namespace sluice::json
