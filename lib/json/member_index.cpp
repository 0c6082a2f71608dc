#include "json/member_index.hpp"

#include <algorithm>
#include <numeric>

namespace sluice::json {
namespace {

constexpr std::size_t kFew = 16;

const Object& members_of(const Value* value) {
    static const Object kNone;
    return value != nullptr && value->is_object() ? value->as_object() : kNone;
}

}  // namespace

MemberIndex::MemberIndex(const Value* value) : members_(members_of(value)) {}

std::size_t MemberIndex::place(std::string_view key) {
    if (next_ < members_.size() && members_[next_].first == key) {
        return next_++;
    }
    std::size_t found = members_.size();
    if (members_.size() <= kFew) {
        const auto at = std::find_if(members_.begin(), members_.end(), [&](const auto& member) {
            return member.first == key;
        });
        found = static_cast<std::size_t>(at - members_.begin());
    } else {
        if (sorted_.empty()) {
            sorted_.resize(members_.size());
            std::iota(sorted_.begin(), sorted_.end(), std::size_t{0});
            std::sort(sorted_.begin(), sorted_.end(), [&](std::size_t a, std::size_t b) {
                return members_[a].first < members_[b].first;
            });
        }
        const auto at = std::lower_bound(
            sorted_.begin(),
            sorted_.end(),
            key,
            [&](std::size_t place, std::string_view name) { return members_[place].first < name; }
        );
        if (at != sorted_.end() && members_[*at].first == key) {
            found = *at;
        }
    }
    if (found != members_.size()) {
        next_ = found + 1;
    }
    return found;
}

const Value* MemberIndex::find(std::string_view key) {
    const auto found = place(key);
    return found == members_.size() ? nullptr : &members_[found].second;
}

}  // namespace sluice::json
