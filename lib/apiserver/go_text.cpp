#include "apiserver/go_text.hpp"

#include <algorithm>
#include <vector>

namespace sluice::apiserver {
namespace {

constexpr int kDepthMax = 64;

void append(std::string& out, const json::Value& value, int depth) {
    if (depth > kDepthMax) {
        out += "...";
    } else if (value.is_null()) {
        out += "<nil>";
    } else if (value.is_string()) {
        out += value.as_string();
    } else if (value.is_array()) {
        out += "[";
        for (std::size_t i = 0; i < value.as_array().size(); ++i) {
            out += i == 0 ? "" : " ";
            append(out, value.as_array()[i], depth + 1);
        }
        out += "]";
    } else if (value.is_object()) {
        std::vector<const json::Member*> members;
        for (const auto& member : value.as_object()) {
            members.push_back(&member);
        }
        std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
            return a->first < b->first;
        });
        out += "map[";
        for (std::size_t i = 0; i < members.size(); ++i) {
            out += (i == 0 ? "" : " ") + members[i]->first + ":";
            append(out, members[i]->second, depth + 1);
        }
        out += "]";
    } else {
        out += json::print(value);
    }
}

}  // namespace

std::string go_text(const json::Value& value) {
    std::string out;
    append(out, value, 0);
    return out;
}

}  // namespace sluice::apiserver
