#include "apiserver/fields/strategic_merge.hpp"

#include "apiserver/objects/go_text.hpp"
#include "apiserver/objects/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr int kPatchDepthMax = 128;
constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeletions = "$deleteFromPrimitiveList/";
constexpr std::string_view kOrder = "$setElementOrder/";

bool is_directive(std::string_view key) {
    return key == kDirective || key == kRetainKeys || key.starts_with(kDeletions) ||
           key.starts_with(kOrder);
}

Error unknown_directive(const Value& directive, const Value& patch) {
    return Error{
        ErrorCode::Internal,
        fmt::format("unknown patch type: {} in map: {}", go_text(directive), go_text(patch)),
        {}
    };
}

Error no_merge_key(const Value& item, std::string_view key) {
    return make_invalid(
        fmt::format("map: {} does not contain declared merge key: {}", go_text(item), key)
    );
}

/// Returns a part of a patch as a value: without directives and the items that they delete, and
/// without nulls, since the object has nothing to remove.
Value without_directives(const Value& patch, int depth) {
    if (depth > kPatchDepthMax) {
        return {};
    }
    if (patch.is_array()) {
        Array kept;
        for (const auto& item : patch.as_array()) {
            if (!item.is_object() || item.string_at(kDirective) != "delete") {
                kept.push_back(without_directives(item, depth + 1));
            }
        }
        return kept;
    }
    if (!patch.is_object()) {
        return patch;
    }
    Object kept;
    for (const auto& [key, member] : patch.as_object()) {
        const bool is_deleted = member.is_object() && member.string_at(kDirective) == "delete";
        if (!is_directive(key) && !is_deleted && !member.is_null()) {
            kept.emplace_back(key, without_directives(member, depth + 1));
        }
    }
    return kept;
}

/// Returns the identity of an item: the value of its merge key, or the item itself if the list has
/// no merge key.
std::string identity(const Value& item, std::string_view merge_key) {
    if (merge_key.empty()) {
        return json::print_sorted(item);
    }
    const Value* key = item.find(merge_key);
    return key == nullptr ? "" : json::print_sorted(*key);
}

using Places = std::map<std::string, std::size_t>;

Places places_of(const Array& items, std::string_view merge_key) {
    Places places;
    for (std::size_t i = 0; i < items.size(); ++i) {
        places.emplace(identity(items[i], merge_key), i);
    }
    return places;
}

void sort_by(Array& items, const Places& places, std::string_view merge_key) {
    const auto place = [&](const Value& item) {
        const auto found = places.find(identity(item, merge_key));
        return found == places.end() ? places.size() : found->second;
    };
    std::stable_sort(items.begin(), items.end(), [&](const Value& a, const Value& b) {
        return place(a) < place(b);
    });
}

/// Returns the merged items: those that `order` names in that order, the other items in the places
/// that they had in `before`.
Array ordered(
    const Array& merged, const Array& order, const Array& before, std::string_view merge_key
) {
    const Places wanted = places_of(order, merge_key);
    const Places was = places_of(before, merge_key);
    Array named;
    Array others;
    for (const auto& item : merged) {
        (wanted.contains(identity(item, merge_key)) ? named : others).push_back(item);
    }
    sort_by(named, wanted, merge_key);
    sort_by(others, was, merge_key);
    Array out;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < others.size() || j < named.size()) {
        bool takes_other = j == named.size();
        if (i < others.size() && j < named.size()) {
            const auto left = was.find(identity(others[i], merge_key));
            const auto right = was.find(identity(named[j], merge_key));
            takes_other = left != was.end() && right != was.end() && left->second < right->second;
        }
        out.push_back(std::move(takes_other ? others[i++] : named[j++]));
    }
    return out;
}

const Schema* member_of(const Schema* schema, std::string_view name) {
    return schema == nullptr ? nullptr : schema->member(name);
}

Result<void> retain_keys(Value& original, Value& patch) {
    const Value* found = patch.find(kRetainKeys);
    if (found == nullptr) {
        return {};
    }
    Error malformed = make_invalid("invalid patch format of retainKeys");
    if (!found->is_array()) {
        return malformed;
    }
    const Array keys = found->as_array();
    patch.erase(kRetainKeys);
    const auto is_kept = [&](std::string_view name) {
        return std::any_of(keys.begin(), keys.end(), [&](const Value& key) {
            return key.is_string() && key.as_string() == name;
        });
    };
    for (const auto& [name, member] : patch.as_object()) {
        const bool is_exempt =
            member.is_null() || name.starts_with(kDeletions) || name.starts_with(kOrder);
        if (!is_exempt && !is_kept(name)) {
            return malformed;
        }
    }
    std::erase_if(original.as_object(), [&](const json::Member& member) {
        return !is_kept(member.first);
    });
    return {};
}

class Merger {
  public:
    Result<Value> merge_map(const Schema* schema, Value original, Value patch, int depth) {
        if (depth > kPatchDepthMax) {
            return make_invalid("the patch is nested too deeply");
        }
        if (const Value* directive = patch.find(kDirective)) {
            const Value kind = *directive;
            if (kind == Value("replace")) {
                patch.erase(kDirective);
                return patch;
            }
            return kind == Value("delete") ? Result<Value>(Object{})
                                           : unknown_directive(kind, patch);
        }
        if (const auto kept = retain_keys(original, patch); !kept) {
            return kept.error();
        }
        if (const auto done = apply_orders(schema, original, patch, depth); !done) {
            return done.error();
        }
        for (const auto& [key, member] : patch.as_object()) {
            const auto done = merge_member(schema, original, key, member, depth);
            if (!done) {
                return done.error();
            }
        }
        return original;
    }

  private:
    Result<void> merge_member(
        const Schema* schema, Value& original, std::string_view key, const Value& patch, int depth
    ) {
        const bool is_deletions = key.starts_with(kDeletions);
        if (is_deletions) {
            key.remove_prefix(kDeletions.size());
        }
        if (patch.is_null()) {
            original.erase(key);
            return {};
        }
        Value* before = original.find(key);
        const bool merges = before != nullptr && ((before->is_object() && patch.is_object()) ||
                                                  (before->is_array() && patch.is_array()));
        if (!merges) {
            if (is_deletions) {
                return {};
            }
            original.set(key, without_directives(patch, depth));
            return {};
        }
        const Schema* of_member = member_of(schema, key);
        auto merged = patch.is_object()
                          ? merge_map(of_member, std::move(*before), patch, depth + 1)
                          : merge_list(of_member, *before, patch, is_deletions, depth + 1);
        if (!merged) {
            return merged.error();
        }
        *before = std::move(merged).value();
        return {};
    }

    Result<Value> merge_list(
        const Schema* schema,
        const Value& original,
        const Value& patch,
        bool is_deletions,
        int depth
    ) {
        const bool merges = schema != nullptr && schema->merges_on_patch;
        if (!merges && !is_deletions) {
            return patch;
        }
        const Array& before = original.as_array();
        const Array& items = patch.as_array();
        if (before.empty() && items.empty()) {
            return original;
        }
        const Value& sample = items.empty() ? before.front() : items.front();
        if (!sample.is_object()) {
            return merge_scalars(before, items, is_deletions);
        }
        const auto& key = schema == nullptr ? std::string() : schema->patch_merge_key;
        if (key.empty()) {
            return make_invalid("cannot merge lists without merge key");
        }
        return merge_items(*schema, before, items, depth);
    }

    static Value merge_scalars(const Array& before, const Array& items, bool is_deletions) {
        const Places in_patch = places_of(items, "");
        Array merged;
        Places seen;
        for (const auto* list : {&before, &items}) {
            for (const auto& item : *list) {
                const auto text = identity(item, "");
                if (is_deletions ? list == &before && !in_patch.contains(text)
                                 : seen.emplace(text, 0).second) {
                    merged.push_back(item);
                }
            }
        }
        return is_deletions ? merged : ordered(merged, items, before, "");
    }

    Result<Value> merge_items(const Schema& schema, Array before, const Array& items, int depth) {
        const auto& key = schema.patch_merge_key;
        const Array server_order = before;
        Array wanted;
        bool replaces = false;
        for (const auto& item : items) {
            const Value* directive = item.find(kDirective);
            if (directive == nullptr) {
                wanted.push_back(item);
            } else if (*directive == Value("delete")) {
                if (item.find(key) == nullptr) {
                    return no_merge_key(item, key);
                }
                const auto gone = identity(item, key);
                std::erase_if(before, [&](const Value& one) { return identity(one, key) == gone; });
            } else if (*directive == Value("replace")) {
                replaces = true;
            } else if (*directive == Value("merge")) {
                return make_invalid("merging lists cannot yet be specified in the patch");
            } else {
                return unknown_directive(*directive, item);
            }
        }
        if (replaces) {
            return Value(std::move(wanted));
        }
        for (const auto& item : wanted) {
            const auto done = merge_item(schema, before, item, depth);
            if (!done) {
                return done.error();
            }
        }
        return Value(ordered(before, wanted, server_order, key));
    }

    Result<void> merge_item(const Schema& schema, Array& merged, const Value& item, int depth) {
        const auto& key = schema.patch_merge_key;
        if (item.find(key) == nullptr) {
            return no_merge_key(item, key);
        }
        const auto name = identity(item, key);
        const auto found = std::find_if(merged.begin(), merged.end(), [&](const Value& one) {
            return identity(one, key) == name;
        });
        if (found == merged.end()) {
            merged.push_back(without_directives(item, depth));
            return {};
        }
        auto made = merge_map(schema.items, std::move(*found), item, depth + 1);
        if (!made) {
            return made.error();
        }
        *found = std::move(made).value();
        return {};
    }

    /// Merges the lists whose order the patch sets, and removes them from the patch.
    Result<void> apply_orders(const Schema* schema, Value& original, Value& patch, int depth) {
        std::vector<std::string> directives;
        for (const auto& [key, member] : patch.as_object()) {
            if (key.starts_with(kOrder)) {
                directives.push_back(key);
            }
        }
        for (const auto& directive : directives) {
            const Value order = *patch.find(directive);
            patch.erase(directive);
            const auto name = directive.substr(kOrder.size());
            const Value* before = original.find(name);
            const Value* items = patch.find(name);
            const bool is_list = order.is_array() && (before == nullptr || before->is_array()) &&
                                 (items == nullptr || items->is_array());
            if (!is_list) {
                return make_invalid(fmt::format("expected a list for {}", directive));
            }
            const auto done =
                apply_order(member_of(schema, name), original, patch, name, order, depth);
            if (!done) {
                return done;
            }
        }
        return {};
    }

    Result<void> apply_order(
        const Schema* schema,
        Value& original,
        Value& patch,
        const std::string& name,
        const Value& order,
        int depth
    ) {
        const std::string key = schema == nullptr ? "" : schema->patch_merge_key;
        const Array before = items_of(original.find(name));
        Value merged = before;
        if (const Value* items = patch.find(name)) {
            const auto checked = check_order(items->as_array(), order.as_array(), key);
            if (!checked) {
                return checked.error();
            }
            if (original.find(name) == nullptr) {
                merged = without_directives(*items, depth);
            } else {
                auto made = merge_list(schema, before, *items, false, depth + 1);
                if (!made) {
                    return made.error();
                }
                merged = std::move(made).value();
            }
        } else if (original.find(name) == nullptr) {
            return {};
        }
        original.set(name, ordered(merged.as_array(), order.as_array(), before, key));
        patch.erase(name);
        return {};
    }

    /// Requires the items of a patch to be in the order that the same patch sets.
    static Result<void> check_order(
        const Array& items, const Array& order, const std::string& key
    ) {
        std::size_t at = 0;
        for (const auto& item : items) {
            if (item.string_at(kDirective) == "delete") {
                continue;
            }
            if (!key.empty() && item.find(key) == nullptr) {
                return no_merge_key(item, key);
            }
            const auto name = identity(item, key);
            while (at < order.size() && identity(order[at], key) != name) {
                ++at;
            }
            if (at == order.size()) {
                return make_invalid(fmt::format(
                    "The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                    go_text(items),
                    go_text(order)
                ));
            }
            ++at;
        }
        return {};
    }
};

}  // namespace

Result<Value> apply_strategic_merge_patch(
    const Schema& schema, const Value& object, const Value& patch
) {
    if (!object.is_object() || !patch.is_object()) {
        return make_invalid("a strategic merge patch must be an object");
    }
    return Merger().merge_map(&schema, object, patch, 0);
}

}  // namespace sluice::apiserver
