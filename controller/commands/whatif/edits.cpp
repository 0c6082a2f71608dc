#include "controller/commands/whatif/edits.hpp"

#include "controller/commands/why/workload_reference.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::commands {
namespace {

bool is_queue(std::string_view text) {
    return text.starts_with("clusterqueue/") || text.starts_with("cohort/");
}

}  // namespace

Result<NamedWorkload> parse_named_workload(std::string_view text, std::string_view default_ns) {
    const auto reference = parse_reference(text);
    const std::size_t slash = reference.name.find('/');
    NamedWorkload made{
        .kind = reference.kind,
        .ns = std::string(default_ns),
        .name = reference.name.substr(slash == std::string::npos ? 0 : slash + 1),
    };
    if (slash != std::string::npos) {
        made.ns = reference.name.substr(0, slash);
    }
    if (made.kind.empty() || made.ns.empty() || made.name.empty() ||
        made.name.find('/') != std::string::npos) {
        return make_invalid(
            fmt::format("\"{}\" must be KIND/NAMESPACE/NAME, such as job/nlp/train", text)
        );
    }
    return made;
}

Result<std::vector<api::WhatIfEdit>> parse_quota_edits(const std::vector<std::string>& arguments) {
    std::vector<api::WhatIfEdit> edits;
    std::string node;
    for (const std::string& argument : arguments) {
        if (is_queue(argument)) {
            node = argument;
            continue;
        }
        const std::size_t equals = argument.rfind('=');
        const std::size_t colon = argument.find(':');
        if (node.empty() || equals == std::string::npos || colon == std::string::npos ||
            colon > equals) {
            return make_invalid(fmt::format(
                "\"{}\" must be {}",
                argument,
                node.empty() ? "clusterqueue/NAME or cohort/NAME"
                             : "FLAVOR:RESOURCE=+AMOUNT, =-AMOUNT or =AMOUNT"
            ));
        }
        api::WhatIfEdit edit;
        edit.kind = api::what_if::kQuota;
        edit.node = node;
        edit.flavor = argument.substr(0, colon);
        edit.resource = argument.substr(colon + 1, equals - colon - 1);
        const std::string amount = argument.substr(equals + 1);
        const bool is_relative = amount.starts_with('+') || amount.starts_with('-');
        edit.amount = is_relative ? amount : "=" + amount;
        edits.push_back(std::move(edit));
    }
    if (edits.empty()) {
        return make_invalid("name a quota, such as clusterqueue/nlp a100:nvidia.com/gpu=+16");
    }
    return edits;
}

}  // namespace sluice::commands
