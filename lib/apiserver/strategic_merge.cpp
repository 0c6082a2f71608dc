#include "apiserver/strategic_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr int kDepthMax = 100;
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList/";
constexpr std::string_view kOrder = "$setElementOrder/";

/// The merge key of a list by the name of its field; "": the list is replaced, or, in a list of
/// kSets, joined.
std::string_view merge_key(std::string_view field) {
    static const std::map<std::string_view, std::string_view> kKeys = {
        {"addresses", "type"},
        {"conditions", "type"},
        {"containers", "name"},
        {"env", "name"},
        {"ephemeralContainers", "name"},
        {"hostAliases", "ip"},
        {"imagePullSecrets", "name"},
        {"initContainers", "name"},
        {"matchConditions", "name"},
        {"ownerReferences", "uid"},
        {"podIPs", "ip"},
        {"ports", "containerPort"},
        {"resourceClaims", "name"},
        {"schedulingGates", "name"},
        {"secrets", "name"},
        {"taints", "key"},
        {"topologySpreadConstraints", "topologyKey"},
        {"volumeDevices", "devicePath"},
        {"volumeMounts", "mountPath"},
        {"volumes", "name"},
        {"webhooks", "name"},
    };
    const auto found = kKeys.find(field);
    return found == kKeys.end() ? std::string_view() : found->second;
}

bool is_joined(std::string_view field) {
    return field == "finalizers";
}

/// The key of a list as it is: the ports of a Service have another than those of a container.
std::string_view merge_key_of(std::string_view field, const json::Array& list) {
    const bool is_of_service =
        field == "ports" && !list.empty() && list.front().find("port") != nullptr;
    return is_of_service ? "port" : merge_key(field);
}

Result<void> merge_object(json::Value& target, const json::Value& patch, int depth);

json::Value* find_by(json::Array& list, std::string_view key, const json::Value& value) {
    const auto found = std::ranges::find_if(list, [&](const json::Value& element) {
        const json::Value* own = element.find(key);
        return own != nullptr && *own == value;
    });
    return found == list.end() ? nullptr : &*found;
}

Result<void> merge_list(
    json::Array& target, const json::Array& patch, std::string_view key, int depth
) {
    const bool replaces = std::ranges::any_of(patch, [](const json::Value& element) {
        return element.string_at("$patch") == "replace";
    });
    if (replaces) {
        target.clear();
    }
    for (const json::Value& element : patch) {
        const std::string_view directive = element.string_at("$patch");
        if (directive == "replace") {
            continue;
        }
        const json::Value* id = element.find(key);
        if (id == nullptr) {
            return make_invalid(fmt::format(
                "map: {} does not contain declared merge key: {}", json::print(element), key
            ));
        }
        json::Value* present = find_by(target, key, *id);
        if (directive == "delete") {
            std::erase_if(target, [&](const json::Value& each) {
                const json::Value* own = each.find(key);
                return own != nullptr && *own == *id;
            });
        } else if (present != nullptr) {
            if (const auto done = merge_object(*present, element, depth + 1); !done) {
                return done;
            }
        } else {
            json::Value made = json::Object();
            if (const auto done = merge_object(made, element, depth + 1); !done) {
                return done;
            }
            target.push_back(std::move(made));
        }
    }
    return {};
}

void order_list(json::Array& list, const json::Array& order, std::string_view key) {
    const auto place = [&](const json::Value& element) {
        for (std::size_t i = 0; i < order.size(); ++i) {
            const json::Value* wanted = key.empty() ? &order[i] : order[i].find(key);
            const json::Value* own = key.empty() ? &element : element.find(key);
            if (wanted != nullptr && own != nullptr && *wanted == *own) {
                return i;
            }
        }
        return order.size();
    };
    std::ranges::stable_sort(list, {}, place);
}

void retain_keys(json::Value& target, const json::Value& keys) {
    if (keys.is_array() && target.is_object()) {
        std::erase_if(target.as_object(), [&keys](const json::Member& member) {
            return std::ranges::find(keys.as_array(), json::Value(member.first)) ==
                   keys.as_array().end();
        });
    }
}

Result<void> merge_member(
    json::Value& target, const std::string& name, const json::Value& patch, int depth
) {
    json::Value* present = target.find(name);
    if (patch.is_null()) {
        target.erase(name);
        return {};
    }
    if (patch.is_object()) {
        if (present == nullptr || !present->is_object()) {
            present = &target.set(name, json::Object());
        }
        if (patch.string_at("$patch") == "delete") {
            target.erase(name);
            return {};
        }
        return merge_object(*present, patch, depth + 1);
    }
    if (patch.is_array()) {
        const std::string_view key = merge_key_of(name, patch.as_array());
        const bool are_objects = std::ranges::all_of(patch.as_array(), &json::Value::is_object);
        if (!key.empty() && are_objects) {
            if (present == nullptr || !present->is_array()) {
                present = &target.set(name, json::Array());
            }
            return merge_list(present->as_array(), patch.as_array(), key, depth + 1);
        }
        if (is_joined(name) && present != nullptr && present->is_array()) {
            for (const json::Value& element : patch.as_array()) {
                json::Array& list = present->as_array();
                if (std::ranges::find(list, element) == list.end()) {
                    list.push_back(element);
                }
            }
            return {};
        }
    }
    target.set(name, patch);
    return {};
}

Result<void> merge_object(json::Value& target, const json::Value& patch, int depth) {
    if (depth > kDepthMax) {
        return make_invalid("the patch is nested too deep");
    }
    if (const json::Value* directive = patch.find("$patch")) {
        if (*directive == json::Value("replace")) {
            target = patch;
            target.erase("$patch");
            return {};
        }
        if (*directive != json::Value("merge")) {
            return make_invalid(fmt::format("unknown patch type: {}", json::print(*directive)));
        }
    }
    for (const auto& [name, value] : patch.as_object()) {
        if (name == "$retainKeys") {
            retain_keys(target, value);
        } else if (name.starts_with(kDeleteFrom)) {
            json::Value* list = target.find(std::string_view(name).substr(kDeleteFrom.size()));
            if (list != nullptr && list->is_array() && value.is_array()) {
                std::erase_if(list->as_array(), [&value](const json::Value& element) {
                    const json::Array& gone = value.as_array();
                    return std::ranges::find(gone, element) != gone.end();
                });
            }
        } else if (!name.starts_with('$')) {
            if (const auto done = merge_member(target, name, value, depth); !done) {
                return done;
            }
        }
    }
    for (const auto& [name, value] : patch.as_object()) {
        if (!name.starts_with(kOrder) || !value.is_array()) {
            continue;
        }
        const std::string_view field = std::string_view(name).substr(kOrder.size());
        json::Value* list = target.find(field);
        if (list != nullptr && list->is_array()) {
            order_list(list->as_array(), value.as_array(), merge_key_of(field, value.as_array()));
        }
    }
    return {};
}

}  // namespace

Result<void> apply_strategic_merge_patch(json::Value& target, const json::Value& patch) {
    if (!patch.is_object() || !target.is_object()) {
        return make_invalid("a patch is an object");
    }
    return merge_object(target, patch, 0);
}

}  // namespace sluice::apiserver
