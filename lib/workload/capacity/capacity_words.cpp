#include "workload/capacity/capacity_words.hpp"

#include "workload/pods/amounts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace sluice::workload {
namespace {

using engine::Amount;

constexpr std::size_t kLossesShown = 4;

}  // namespace

std::string request_words(const Amounts& request) {
    std::vector<std::string> extended;
    std::vector<std::string> others;
    for (const auto& [resource, amount] : request) {
        if (resource != "pods" && amount > Amount()) {
            const bool is_extended = resource.find('/') != std::string::npos;
            (is_extended ? extended : others)
                .push_back(fmt::format("{} {}", to_text(resource, amount), resource));
        }
    }
    return extended.empty() && others.empty()
               ? "one pod"
               : fmt::format("{}", fmt::join(extended.empty() ? others : extended, ", "));
}

std::string verdict_of(const FlavorCapacity& capacity) {
    const auto text = [&](Amount amount) { return to_text(capacity.resource, amount); };
    std::vector<std::string> shown;
    if (capacity.quota > capacity.nodes) {
        shown.push_back(
            fmt::format("{} more than all nodes have", text(capacity.quota - capacity.nodes))
        );
    }
    for (std::size_t i = 0; i < capacity.losses.size(); ++i) {
        if (i == kLossesShown && capacity.losses.size() > kLossesShown + 1) {
            Amount rest;
            for (std::size_t j = i; j < capacity.losses.size(); ++j) {
                rest += capacity.losses[j].amount;
            }
            shown.push_back(
                fmt::format("{} on {} more nodes", text(rest), capacity.losses.size() - i)
            );
            break;
        }
        const auto& loss = capacity.losses[i];
        shown.push_back(fmt::format("{} on {} ({})", text(loss.amount), loss.node, loss.reason));
    }
    if (const Amount taken = capacity.usable - capacity.can_give; taken > Amount()) {
        shown.push_back(fmt::format("{} used by others", text(taken)));
    }
    std::string words = capacity.missing() > Amount() ? fmt::format(
                                                            "{} of quota without a node{}{}",
                                                            text(capacity.missing()),
                                                            shown.empty() ? "" : ": ",
                                                            fmt::join(shown, ", ")
                                                        )
                                                      : "nodes have all of it";
    if (capacity.may_come > 0) {
        words += fmt::format("; {} nodes may come", capacity.may_come);
    }
    if (!capacity.shares_with.empty()) {
        words += fmt::format("; same nodes as {}", fmt::join(capacity.shares_with, ", "));
    }
    return words;
}

std::string excess_words(const QuotaExcess& excess) {
    return fmt::format(
        "quota {}, but the nodes of flavor {} can give {}",
        to_text(excess.resource, excess.quota),
        excess.flavor,
        to_text(excess.resource, max(Amount(), excess.usable))
    );
}

std::string unplaceable_words(const UnplaceablePods& pods) {
    if (pods.is_admitted) {
        return fmt::format(
            "needs {} x {} on one node each; {} {} no node",
            pods.pods,
            request_words(pods.request),
            pods.pods - pods.fit,
            pods.pods - pods.fit == 1 ? "finds" : "find"
        );
    }
    return fmt::format(
        "needs {} x {} on one node each; nodes have {} such, {} of them free",
        pods.pods,
        request_words(pods.request),
        pods.could < pods.pods ? fmt::format("{}", pods.could) : "enough",
        pods.fit
    );
}

std::string beyond_nodes_words(const UnplaceablePods& pods) {
    return fmt::format(
        "needs {} x {} on one node each; nodes have {} such",
        pods.pods,
        request_words(pods.request),
        pods.could
    );
}

}  // namespace sluice::workload
