#include "json/patch.hpp"

#include "json/member_index.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::json {

namespace {

/// Escapes a part of a JSON pointer (RFC 6901).
std::string escaped(std::string_view key) {
    std::string text;
    for (const char c : key) {
        if (c == '~') {
            text += "~0";
        } else if (c == '/') {
            text += "~1";
        } else {
            text += c;
        }
    }
    return text;
}

void add_differences(Array& out, const std::string& path, const Value& from, const Value& to) {
    if (from == to) {
        return;
    }
    if (!from.is_object() || !to.is_object()) {
        out.emplace_back(Object{{"op", "replace"}, {"path", path}, {"value", to}});
        return;
    }
    for (const auto& [key, member] : from.as_object()) {
        if (to.find(key) == nullptr) {
            out.emplace_back(Object{{"op", "remove"}, {"path", path + "/" + escaped(key)}});
        }
    }
    for (const auto& [key, member] : to.as_object()) {
        const std::string at = path + "/" + escaped(key);
        const Value* old = from.find(key);
        if (old == nullptr) {
            out.emplace_back(Object{{"op", "add"}, {"path", at}, {"value", member}});
        } else {
            add_differences(out, at, *old, member);
        }
    }
}

}  // namespace

void apply_merge_patch(Value& target, const Value& patch) {
    if (!patch.is_object()) {
        target = patch;
        return;
    }
    if (!target.is_object()) {
        target = Object{};
    }
    auto& members = target.as_object();
    std::vector<bool> removed(members.size(), false);
    Object added;
    {
        MemberIndex places(&target);
        for (const auto& [key, member] : patch.as_object()) {
            const auto place = places.place(key);
            if (place == members.size()) {
                if (!member.is_null()) {
                    apply_merge_patch(added.emplace_back(key, Value()).second, member);
                }
            } else if (member.is_null()) {
                removed[place] = true;
            } else {
                apply_merge_patch(members[place].second, member);
            }
        }
    }
    std::size_t place = 0;
    std::erase_if(members, [&](const Member&) { return removed[place++]; });
    std::move(added.begin(), added.end(), std::back_inserter(members));
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

Array make_json_patch(const Value& from, const Value& to) {
    Array patch;
    add_differences(patch, "", from, to);
    return patch;
}

}  // namespace sluice::json
