#include "apiserver/fields/typed_walk.hpp"
#include "apiserver/objects/values.hpp"
#include "json/member_index.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

Value merge_values(const FieldType& type, const Value* live, const Value* config, int depth);

/// Merges sets and keyed lists. Items of the configuration come in its order; live items that it
/// does not have keep their places.
class ListMerge {
  public:
    ListMerge(const FieldType& type, const Value* live, const Value* config, int depth)
        : type_(type), of_item_(type.item()), depth_(depth) {
        read(live, live_, live_items_);
        read(config, config_, config_items_);
        for (const auto& entry : config_) {
            if (live_items_.contains(entry.element)) {
                shared_.push_back(entry.element);
            }
        }
    }

    json::Array run() {
        while (at_live_ < live_.size() || at_config_ < config_.size()) {
            if (at_live_ < live_.size() && at_config_ < config_.size() && take_common()) {
                continue;
            }
            if (at_live_ < live_.size() && take_live()) {
                continue;
            }
            if (at_config_ < config_.size()) {
                take_config();
            }
        }
        return std::move(out_);
    }

  private:
    struct Entry {
        PathElement element;
        const Value* item;
    };
    /// Maps the identity of an item to the item; to nullptr if several items have it, which do not
    /// merge.
    using Items = std::map<PathElement, const Value*>;

    void read(const Value* list, std::vector<Entry>& entries, Items& items) const {
        for (const auto& item : items_of(list)) {
            if (auto element = item_element(type_, item)) {
                const auto [found, is_new] = items.emplace(*element, &item);
                if (!is_new) {
                    found->second = nullptr;
                }
                entries.push_back({std::move(*element), &item});
            }
        }
    }

    static const Value* find(const Items& items, const PathElement& element) {
        const auto found = items.find(element);
        return found == items.end() ? nullptr : found->second;
    }

    void advance_shared() { ++at_shared_; }
    const PathElement* next_shared() const {
        return at_shared_ < shared_.size() ? &shared_[at_shared_] : nullptr;
    }

    void put(const Value* live, const Value* config) {
        out_.push_back(merge_values(of_item_, live, config, depth_ + 1));
    }

    /// Takes the next item of both lists if the two have the same identity. Else skips the next
    /// live item if the configuration has it further on. Returns true if it did either.
    bool take_common() {
        const auto& element = live_[at_live_].element;
        if (element == config_[at_config_].element) {
            merged_.insert(element);
            put(find(live_items_, element), find(config_items_, element));
            ++at_live_;
            ++at_config_;
            advance_shared();
            return true;
        }
        const PathElement* shared = next_shared();
        if (config_items_.contains(element) && shared != nullptr && *shared != element) {
            ++at_live_;
            return true;
        }
        return false;
    }

    /// Takes the next live item if the configuration does not have it; returns true if it did.
    bool take_live() {
        const auto& [element, item] = live_[at_live_];
        if (!config_items_.contains(element)) {
            put(item, nullptr);
            ++at_live_;
            return true;
        }
        if (merged_.contains(element)) {
            ++at_live_;
        }
        return false;
    }

    void take_config() {
        const auto& element = config_[at_config_].element;
        merged_.insert(element);
        put(find(live_items_, element), find(config_items_, element));
        ++at_config_;
        if (next_shared() != nullptr && *next_shared() == element) {
            advance_shared();
        }
    }

    const FieldType& type_;
    FieldType of_item_;
    int depth_;
    std::vector<Entry> live_;
    std::vector<Entry> config_;
    Items live_items_;
    Items config_items_;
    std::vector<PathElement> shared_;
    std::set<PathElement> merged_;
    std::size_t at_live_ = 0;
    std::size_t at_config_ = 0;
    std::size_t at_shared_ = 0;
    json::Array out_;
};

Value merge_values(const FieldType& type, const Value* live, const Value* config, int depth) {
    if (config == nullptr || depth > kObjectDepthMax) {
        return live == nullptr ? Value() : *live;
    }
    const bool is_list = config->is_array();
    const bool is_map = config->is_object();
    const bool has_other_form =
        live != nullptr && !live->is_null() && (is_list ? !live->is_array() : !live->is_object());
    const bool is_leaf = (!is_list && !is_map) || has_other_form ||
                         (is_list ? type.is_atomic_list() : type.is_atomic_map()) ||
                         (is_empty_container(live) && is_empty_container(config));
    if (is_leaf) {
        return *config;
    }
    if (is_list) {
        return ListMerge(type, live, config, depth).run();
    }
    json::Object out;
    json::MemberIndex configured(config);
    for (const auto& [name, member] : members_of(live)) {
        const auto of_member = type.member(name).value_or(FieldType());
        out.emplace_back(name, merge_values(of_member, &member, configured.find(name), depth + 1));
    }
    json::MemberIndex live_members(live);
    for (const auto& [name, member] : config->as_object()) {
        if (live_members.find(name) == nullptr) {
            const auto of_member = type.member(name).value_or(FieldType());
            out.emplace_back(name, merge_values(of_member, nullptr, &member, depth + 1));
        }
    }
    return out;
}

}  // namespace

Value merge(const FieldType& type, const Value& live, const Value& config) {
    return merge_values(type, &live, &config, 0);
}

}  // namespace sluice::apiserver
