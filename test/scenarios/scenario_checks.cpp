// What a scenario expects, compared with what was decided.
#include "scenarios/scenario_world.hpp"
#include "workload/explanation/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::scenarios {

void World::note_explanations(const engine::CycleResult& result) {
    workload::Explanations explanations(state_, result);
    for (std::size_t i = 0; i < result.refused.size(); ++i) {
        auto& lines =
            explanations_[shown(std::string(state_.workload_key(result.refused[i].workload)))];
        lines.clear();
        for (const workload::Constraint& constraint : explanations.of(i)) {
            std::vector<std::string> holders;
            for (const workload::Holder& holder : constraint.holders) {
                holders.push_back(fmt::format(
                    "{}:{}{}{}",
                    shown(holder.workload),
                    holder.amount,
                    holder.evicted ? ":evicted" : "",
                    holder.reserved ? ":reserved" : ""
                ));
            }
            lines.push_back(fmt::format(
                "constraint kind={} podSet={} resource={} flavor={} node={} needed={} free={} "
                "limit={} nominal={} borrowed={} holders={} remedies={}",
                constraint.kind,
                constraint.pod_set,
                constraint.resource,
                constraint.flavor,
                constraint.node,
                constraint.needed,
                constraint.free,
                constraint.limit,
                constraint.nominal,
                constraint.borrowed,
                fmt::join(holders, ","),
                fmt::join(constraint.remedies, ",")
            ));
        }
    }
}

std::optional<std::string> World::match_constraint(const Line& line, std::size_t position) const {
    const auto found = explanations_.find(line.name);
    if (found == explanations_.end()) {
        return line.name + " was not refused";
    }
    const std::vector<std::string>& lines = found->second;
    if (position >= lines.size()) {
        return line.name + " has no further constraint";
    }
    const Line given = parse_line(lines[position]);
    for (const auto& [word, value] : line.parts.front()) {
        const bool same = word == "of" ? value == std::to_string(lines.size())
                                       : given.find(word).value_or("?") == value;
        if (!same) {
            return fmt::format(
                "{} of {} constraints of {} is another: {}",
                position + 1,
                lines.size(),
                line.name,
                lines[position]
            );
        }
    }
    return std::nullopt;
}

std::vector<std::string> World::match_decisions(const std::vector<Line>& expected) {
    std::vector<std::string> differences;
    const std::vector<std::string> decided = std::exchange(decided_, {});
    const auto matches = [](const Line& wanted, const std::string& text) {
        const Line line = parse_line(text);
        // The name of the line is the verb; the workload is its first word.
        const auto& given = line.parts.front();
        return line.name == wanted.name && std::all_of(
                                               wanted.parts.front().begin(),
                                               wanted.parts.front().end(),
                                               [&](const auto& word) {
                                                   const auto found = given.find(word.first);
                                                   return found != given.end() &&
                                                          found->second == word.second;
                                               }
                                           );
    };
    for (std::size_t i = 0; i < std::max(expected.size(), decided.size()); ++i) {
        if (i >= expected.size()) {
            differences.push_back("not expected: " + decided[i]);
        } else if (i >= decided.size()) {
            differences.push_back("did not happen: decision " + std::to_string(i + 1));
        } else if (!matches(expected[i], decided[i])) {
            differences.push_back(fmt::format("decision {} is another: {}", i + 1, decided[i]));
        }
    }
    return differences;
}

std::optional<std::string> World::match_other(const std::string& what, const Line& line) const {
    for (const auto& part : line.parts) {
        for (const auto& [word, value] : part) {
            if (what != "refuse" || (word != "reason" && word != "kind")) {
                return fmt::format("not understood: {} in {} {}", word, what, line.name);
            }
        }
    }
    if (what == "refuse") {
        const auto refusal = refusals_.find(line.name);
        if (refusal == refusals_.end()) {
            return line.name + " was not refused";
        }
        const auto reason = line.find("reason");
        const auto kind = line.find("kind");
        const bool same = (!reason || *reason == support::to_string(refusal->second.reason)) &&
                          (!kind || *kind == support::to_string(refusal->second.kind));
        if (!same) {
            return fmt::format(
                "{} was refused with reason={} kind={}",
                line.name,
                support::to_string(refusal->second.reason),
                support::to_string(refusal->second.kind)
            );
        }
        return std::nullopt;
    }
    const auto workload = workloads_.find(line.name);
    if (workload == workloads_.end()) {
        return "no workload " + line.name;
    }
    const auto local_queue = local_queues_.find(workload->second.local_queue);
    const auto node = local_queue == local_queues_.end()
                          ? engine::NodeIndex{}
                          : state_.find_cluster_queue(local_queue->second.cluster_queue);
    const auto is_in = [&](const std::vector<engine::WorkloadIndex>& list) {
        return std::any_of(list.begin(), list.end(), [&](engine::WorkloadIndex index) {
            return shown(std::string(state_.workload_key(index))) == line.name;
        });
    };
    std::string where = "in no queue";
    if (node.is_valid() && is_in(state_.heap_in_order(node))) {
        where = "active";
    } else if (node.is_valid() && is_in(state_.inadmissible_in_order(node))) {
        where = "inadmissible";
    }
    const std::string wanted = what == "unqueued" ? "in no queue" : what;
    return where == wanted ? std::nullopt : std::optional(line.name + " is " + where);
}

std::vector<std::string> World::check(const json::Value& expected) {
    std::vector<std::string> differences;
    std::vector<Line> decisions;
    std::map<std::string, std::size_t> explained;
    for (const json::Value& item : expected.as_array()) {
        const std::string& text = item.as_string();
        const std::size_t blank = text.find(' ');
        const std::string what = text.substr(0, blank);
        if (what == "admit" || what == "preempt") {
            Line line = parse_line(text);
            // "flavor=x" and "count=2" speak of the first podSet.
            auto& words = line.parts.front();
            for (const auto& [short_word, word] :
                 {std::pair("flavor", "p0.cpu"), std::pair("count", "p0.count")}) {
                if (const auto found = words.find(short_word); found != words.end()) {
                    words[word] = found->second;
                    words.erase(found);
                }
            }
            decisions.push_back(std::move(line));
        } else if (what == "explain") {
            const Line line = parse_line(text.substr(blank + 1));
            if (auto difference = match_constraint(line, explained[line.name]++)) {
                differences.push_back(std::move(*difference));
            }
        } else if (what == "refuse" || what == "active" || what == "inadmissible" ||
                   what == "unqueued") {
            if (auto difference = match_other(what, parse_line(text.substr(blank + 1)))) {
                differences.push_back(std::move(*difference));
            }
        } else {
            differences.push_back("not understood: " + text);
        }
    }
    const auto wrong = match_decisions(decisions);
    differences.insert(differences.begin(), wrong.begin(), wrong.end());
    return differences;
}

}  // namespace sluice::scenarios
