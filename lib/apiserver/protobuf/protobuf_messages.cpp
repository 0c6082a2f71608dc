#include "apiserver/protobuf/protobuf_messages.hpp"

#include "apiserver/protobuf/protobuf_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::apiserver {

namespace {

constexpr std::string_view kAggregation = "k8s.io.kube_aggregator.pkg.apis.apiregistration.v1.";

ProtobufField read_field(std::string_view mark, std::string_view name, std::string_view type) {
    constexpr std::string_view kMap = "map:";
    ProtobufField field{.name = std::string(name), .type = {}};
    field.is_list = mark == "*";
    field.may_be_absent = mark == "?";
    field.is_inline = mark == "=";
    field.is_map = type.starts_with(kMap);
    field.type = field.is_map ? type.substr(kMap.size()) : type;
    return field;
}

}  // namespace

const std::map<std::string, ProtobufMessage, std::less<>>& protobuf_messages() {
    using Messages = std::map<std::string, ProtobufMessage, std::less<>>;
    static const Messages kMessages = [] {
        Messages all;
        ProtobufMessage* at = nullptr;
        std::string_view text = protobuf_fields();
        while (!text.empty()) {
            std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            if (!line.starts_with(' ')) {
                at = &all[std::string(line)];
                continue;
            }
            line.remove_prefix(1);
            const std::size_t name = line.find(' ');
            const std::size_t type = line.find(' ', name + 1);
            std::uint64_t number = 0;
            std::size_t digits = 0;
            for (; digits < name && line[digits] >= '0' && line[digits] <= '9'; ++digits) {
                number = number * 10 + static_cast<std::uint64_t>(line[digits] - '0');
            }
            at->emplace(
                number,
                read_field(
                    line.substr(digits, name - digits),
                    line.substr(name + 1, type - name - 1),
                    line.substr(type + 1)
                )
            );
        }
        return all;
    }();
    return kMessages;
}

std::string protobuf_message_of(std::string_view api_version, std::string_view kind) {
    const std::size_t slash = api_version.find('/');
    const std::string_view version =
        slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
    std::string_view group =
        slash == std::string_view::npos ? std::string_view("core") : api_version.substr(0, slash);
    group = group.substr(0, group.find('.'));
    if (kind == "DeleteOptions" || group == "meta" || (group == "core" && kind == "Status")) {
        return fmt::format("{}{}", kMetaMessages, kind);
    }
    if (group == "apiextensions" || group == "apiregistration") {
        return fmt::format(
            "{}{}", group == "apiextensions" ? kDefinitionMessages : kAggregation, kind
        );
    }
    return fmt::format("k8s.io.api.{}.{}.{}", group, version, kind);
}

}  // namespace sluice::apiserver
