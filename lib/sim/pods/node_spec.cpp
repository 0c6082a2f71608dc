#include "sim/pods/node_spec.hpp"

#include "api/meta/names.hpp"
#include "api/meta/quantity.hpp"
#include "base/nearest_name.hpp"
#include "sim/objects/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

constexpr int kNodesMax = 10'000;

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

/// Cuts `4x ` off the beginning and returns the number; 1 if the text does not begin with a number.
std::optional<int> take_count(std::string_view& text) {
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || length >= text.size() || text[length] != 'x') {
        return 1;
    }
    text = trimmed(text.substr(length + 1));
    return count > 0 && count <= kNodesMax ? std::optional(count) : std::nullopt;
}

Result<json::Value> read_taint(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const std::string_view effect =
        colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (effect != "NoSchedule" && effect != "NoExecute" && effect != "PreferNoSchedule") {
        return make_invalid(fmt::format(
            "taint:{}: the effect is not NoSchedule, NoExecute or PreferNoSchedule", text
        ));
    }
    const std::string_view pair = text.substr(0, colon);
    const std::size_t equals = pair.find('=');
    const std::string_view key = pair.substr(0, equals);
    if (const auto wrong = api::check_qualified_name(key)) {
        return make_invalid(fmt::format("taint:{}: the key: {}", text, *wrong));
    }
    json::Value taint = json::Object{{"key", key}, {"effect", effect}};
    if (equals != std::string_view::npos) {
        const std::string_view value = pair.substr(equals + 1);
        if (const auto wrong = api::check_label_value(value)) {
            return make_invalid(fmt::format("taint:{}: the value: {}", text, *wrong));
        }
        taint.set("value", value);
    }
    return taint;
}

Result<void> read_label(std::string_view key, std::string_view value, NodeParts& parts) {
    if (const auto wrong = api::check_qualified_name(key)) {
        return make_invalid(fmt::format("label:{}={}: the key: {}", key, value, *wrong));
    }
    if (const auto wrong = api::check_label_value(value)) {
        return make_invalid(fmt::format("label:{}={}: the value: {}", key, value, *wrong));
    }
    parts.labels.set(key, value);
    return {};
}

constexpr std::array<std::string_view, 4> kNodeResources{
    "cpu", "memory", "pods", "ephemeral-storage"
};

/// Returns the resource that an unknown name probably means; "" if none is close.
std::string_view nearest_resource(std::string_view name) {
    const auto* const whole = std::ranges::find_if(kNodeResources, [name](std::string_view each) {
        return each.starts_with(name);
    });
    if (whole != kNodeResources.end()) {
        return *whole;
    }
    std::array<std::string_view, kNodeResources.size() + 1> known{};
    std::ranges::copy(kNodeResources, known.begin());
    known.back() = "gpu";
    const std::string_view nearest = nearest_name(name, known);
    return nearest == "gpu" ? "nvidia.com/gpu" : nearest;
}

Result<void> read_amount(std::string_view resource, std::string_view value, NodeParts& parts) {
    if (const auto wrong = api::check_qualified_name(resource)) {
        return make_invalid(fmt::format("{}={}: the resource's name: {}", resource, value, *wrong));
    }
    const auto amount = api::Quantity::parse(value);
    if (!amount) {
        return make_invalid(fmt::format("{}={}: the amount cannot be read", resource, value));
    }
    if (amount->sign() < 0) {
        return make_invalid(fmt::format("{}={}: the amount is negative", resource, value));
    }
    const bool is_known = std::ranges::find(kNodeResources, resource) != kNodeResources.end() ||
                          resource.find('/') != std::string_view::npos ||
                          resource.starts_with("hugepages-");
    if (!is_known) {
        const std::string_view meant = nearest_resource(resource);
        return make_invalid(fmt::format(
            "{}={}: nodes have no such resource{}",
            resource,
            value,
            meant.empty() ? "; an extended resource has a domain, as in nvidia.com/gpu=1"
                          : fmt::format("; did you mean \"{}={}\"?", meant, value)
        ));
    }
    if (!parts.said.insert(std::string(resource)).second) {
        return make_invalid(fmt::format("{}={}: the resource is there twice", resource, value));
    }
    parts.room.set(resource, value);
    return {};
}

Result<void> read_part(std::string_view part, NodeParts& parts);

/// Reads several labels or taints, such as `labels=a=b;c=d`, each like a separate part.
Result<void> read_each(std::string_view list, std::string_view prefix, NodeParts& parts) {
    while (!list.empty()) {
        const std::string_view one = list.substr(0, list.find(';'));
        list.remove_prefix(std::min(list.size(), one.size() + 1));
        if (auto read = read_part(std::string(prefix) + std::string(one), parts); !read) {
            return read;
        }
    }
    return {};
}

Result<void> read_part(std::string_view part, NodeParts& parts) {
    constexpr std::string_view kLabel = "label:";
    constexpr std::string_view kTaint = "taint:";
    constexpr std::string_view kLabels = "labels=";
    constexpr std::string_view kTaints = "taints=";
    if (part.starts_with(kLabels)) {
        return read_each(part.substr(kLabels.size()), kLabel, parts);
    }
    if (part.starts_with(kTaints)) {
        return read_each(part.substr(kTaints.size()), kTaint, parts);
    }
    if (part.starts_with(kTaint)) {
        auto taint = read_taint(part.substr(kTaint.size()));
        if (!taint) {
            return taint.error();
        }
        const bool is_known = std::ranges::any_of(parts.taints, [&](const json::Value& other) {
            return other.string_at("key") == taint->string_at("key") &&
                   other.string_at("effect") == taint->string_at("effect");
        });
        if (is_known) {
            return make_invalid(fmt::format("{}: there is another of this key and effect", part));
        }
        parts.taints.push_back(std::move(*taint));
        return {};
    }
    const bool is_label = part.starts_with(kLabel);
    const std::string_view pair = is_label ? part.substr(kLabel.size()) : part;
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        return make_invalid(fmt::format(
            "\"{}\": it is not resource=amount, label:key=value or taint:key=value:effect", part
        ));
    }
    if (part.find(' ') != std::string_view::npos) {
        return make_invalid(fmt::format(
            "\"{}\": it holds a space; after the number of nodes, such as 4x, parts are separated "
            "by commas",
            part
        ));
    }
    const std::string_view key = pair.substr(0, equals);
    const std::string_view value = pair.substr(equals + 1);
    return is_label ? read_label(key, value, parts) : read_amount(key, value, parts);
}

/// Returns the conditions of a healthy node, as a kubelet reports them.
json::Array node_conditions() {
    struct Condition {
        std::string_view type;
        bool status = false;
        std::string_view reason;
        std::string_view message;
    };
    constexpr std::array<Condition, 4> kConditions{
        {{.type = "MemoryPressure",
          .reason = "KubeletHasSufficientMemory",
          .message = "simulated nodes have memory enough"},
         {.type = "DiskPressure",
          .reason = "KubeletHasNoDiskPressure",
          .message = "simulated nodes have no disks"},
         {.type = "PIDPressure",
          .reason = "KubeletHasSufficientPID",
          .message = "simulated nodes have PIDs enough"},
         {.type = "Ready",
          .status = true,
          .reason = "Simulated",
          .message = "the kubelet is simulated"}}
    };
    json::Array conditions;
    for (const Condition& each : kConditions) {
        conditions.emplace_back(json::Object{
            {"type", each.type},
            {"status", each.status ? "True" : "False"},
            {"reason", each.reason},
            {"message", each.message}
        });
    }
    return conditions;
}

}  // namespace

json::Value make_node(const std::string& name, NodeParts parts) {
    constexpr std::string_view kArchitecture = "kubernetes.io/arch";
    parts.labels.set("kubernetes.io/os", "linux");
    if (parts.labels.find(kArchitecture) == nullptr) {
        parts.labels.set(kArchitecture, "amd64");
    }
    const json::Value architecture = *parts.labels.find(kArchitecture);
    if (parts.labels.find("kubernetes.io/hostname") == nullptr) {
        parts.labels.set("kubernetes.io/hostname", name);
    }
    json::Value spec = json::Object();
    if (!parts.taints.empty()) {
        spec.set("taints", std::move(parts.taints));
    }
    return json::Object{
        {"apiVersion", "v1"},
        {"kind", "Node"},
        {"metadata", json::Object{{"name", name}, {"labels", std::move(parts.labels)}}},
        {"spec", std::move(spec)},
        {"status",
         json::Object{
             {"capacity", parts.room},
             {"allocatable", parts.room},
             {"conditions", node_conditions()},
             {"nodeInfo",
              json::Object{
                  {"architecture", architecture},
                  {"containerRuntimeVersion", "simulated"},
                  {"kubeletVersion", "simulated"},
                  {"operatingSystem", "linux"},
                  {"osImage", "simulated"}
              }}
         }}
    };
}

std::optional<json::Value> join_node(const json::Value& node) {
    const json::Value* room = node.find_path({"status", "allocatable"});
    if (room == nullptr || !room->is_object()) {
        room = node.find_path({"status", "capacity"});
    }
    if (room == nullptr || room->find("cpu") == nullptr ||
        !list_at(node, {"status", "conditions"}).empty()) {
        return std::nullopt;
    }
    NodeParts parts;
    for (const auto& [resource, amount] : room->as_object()) {
        parts.room.set(resource, amount);
    }
    if (const json::Value* labels = node.find_path({"metadata", "labels"})) {
        parts.labels = *labels;
    }
    json::Value joined = make_node(std::string(text_at(node, {"metadata", "name"})), parts);
    // Fields that the user set are kept.
    json::Value& status = *joined.find("status");
    for (const auto& [name, value] : node.find("status")->as_object()) {
        if (name == "nodeInfo" && value.is_object()) {
            json::Value& info = *status.find("nodeInfo");
            for (const auto& [part, text] : value.as_object()) {
                if (text != json::Value("")) {
                    info.set(part, text);
                }
            }
        } else if (name != "conditions" && name != "allocatable") {
            status.set(name, value);
        }
    }
    return joined;
}

Result<std::vector<json::Value>> make_nodes(std::string_view description) {
    const std::size_t colon = description.find(':');
    const std::string name(trimmed(description.substr(0, colon)));
    if (colon == std::string_view::npos || api::check_dns1123_label(name)) {
        return make_invalid(fmt::format(
            "\"{}\": it does not begin with a name in small letters and a colon, as in 'gpu: 2x "
            "cpu=8'",
            description
        ));
    }
    std::string_view rest = trimmed(description.substr(colon + 1));
    const auto count = take_count(rest);
    if (!count) {
        return make_invalid(
            fmt::format("{}: the number of nodes is not between 1 and {}", name, kNodesMax)
        );
    }
    const std::string last = fmt::format("{}-{}", name, *count);
    if (const auto wrong = api::check_dns1123_label(last)) {
        return make_invalid(fmt::format("\"{}\": {}", last, *wrong));
    }
    NodeParts parts;
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        if (const auto read = read_part(trimmed(part), parts); !read) {
            return with_context(read.error(), name);
        }
    }
    std::vector<json::Value> nodes;
    for (int i = 1; i <= *count; ++i) {
        nodes.push_back(make_node(fmt::format("{}-{}", name, i), parts));
    }
    return nodes;
}

}  // namespace sluice::sim
