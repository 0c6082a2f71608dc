#include "controller/commands/why/why_output.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/quantity.hpp"
#include "base/printable.hpp"
#include "controller/commands/schedule/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::commands {
namespace {

namespace condition = api::condition;
namespace state = api::explanation_state;

constexpr std::size_t kLabelWidth = 10;

/// Puts the label before the first line and indents the others.
std::string labelled(std::string_view label, const std::string& lines) {
    std::string made = fmt::format("{:<{}}", label, kLabelWidth);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        made += lines[i];
        if (lines[i] == '\n' && i + 1 < lines.size()) {
            made.append(kLabelWidth, ' ');
        }
    }
    return made;
}

class Printer {
  public:
    Printer(const api::Explanation& given, TimeZone zone) : given_(given), zone_(zone) {}

    std::string run() {
        text_ = heading() + "\n";
        std::string body = needs() + blocked() + tried() + held_by() + remedies() + notes();
        if (!body.empty()) {
            text_ += "\n" + body;
        }
        return std::move(text_);
    }

  private:
    std::string name() const {
        const auto& metadata = given_.metadata;
        if (!given_.job) {
            return fmt::format("{}/{} (Workload)", metadata.namespace_, metadata.name);
        }
        return fmt::format("{}/{} ({})", metadata.namespace_, given_.job->name, given_.job->kind);
    }
    std::string age() const {
        return given_.since ? " for " + print_age(given_.as_of - *given_.since) : "";
    }

    std::string heading() const {
        const std::string queue = given_.cluster_queue.empty()
                                      ? "no ClusterQueue"
                                      : "ClusterQueue " + given_.cluster_queue;
        std::string line = name();
        if (given_.state == state::kPending) {
            line += fmt::format(" waits in {}{}", queue, age());
            if (const auto& at = given_.position) {
                line += fmt::format(
                    "; position {} of {}, {} of {} in LocalQueue {}",
                    at->in_cluster_queue,
                    at->of_cluster_queue,
                    at->in_local_queue,
                    at->of_local_queue,
                    given_.local_queue
                );
            }
            line += ".";
        } else if (given_.state == condition::kAdmitted) {
            line += fmt::format(
                " was admitted to {}{} ago, on {}.",
                queue,
                given_.since ? " " + print_age(given_.as_of - *given_.since) : "",
                given_.flavors.empty() ? "no flavor"
                                       : fmt::format("{}", fmt::join(given_.flavors, ", "))
            );
        } else if (given_.state == state::kReserved) {
            line += fmt::format(" has quota of {}{} and waits: {}.", queue, age(), given_.message);
        } else if (given_.state == condition::kEvicted) {
            line +=
                fmt::format(" is being stopped ({}){}: {}", given_.reason, age(), given_.message);
        } else if (given_.state == condition::kFinished) {
            line += fmt::format(" has finished: {}", given_.message);
        } else {
            line += fmt::format(" is in no queue{}: {}.", age(), given_.message);
        }
        return printable(line);
    }

    /// Prints the resource that binds first before the others.
    std::string needs() const {
        std::vector<std::string> resources;
        for (const auto& pod_set : given_.pod_sets) {
            for (const auto& [resource, amount] : pod_set.total) {
                if (std::ranges::find(resources, resource) == resources.end()) {
                    resources.push_back(resource);
                }
            }
        }
        std::ranges::stable_partition(resources, [&](const std::string& resource) {
            return resource == given_.level_resource;
        });
        std::string lines;
        for (const std::string& resource : resources) {
            std::vector<std::string> parts;
            api::Quantity total;
            for (const auto& pod_set : given_.pod_sets) {
                const auto one = pod_set.requests.find(resource);
                const auto all = pod_set.total.find(resource);
                if (one == pod_set.requests.end() || all == pod_set.total.end()) {
                    continue;
                }
                const auto amount = api::Quantity::parse(all->second);
                total += amount ? *amount : api::Quantity();
                parts.push_back(fmt::format("{} {} x {}", pod_set.name, pod_set.count, one->second)
                );
            }
            lines += printable(fmt::format(
                         "{} {} ({})", total.to_string(), resource, fmt::join(parts, ", ")
                     )) +
                     "\n";
        }
        return lines.empty() ? "" : labelled(given_.flavors.empty() ? "Needs" : "Uses", lines);
    }

    std::string blocked() const {
        if (given_.state != state::kPending) {
            return "";
        }
        if (given_.levels.empty()) {
            const bool fits = given_.constraints.empty();
            const std::string& text = fits ? given_.message : given_.summary;
            return text.empty() ? "" : labelled(fits ? "Waits" : "Blocked", printable(text) + "\n");
        }
        std::vector<TableRow> rows{{"LEVEL", "NOMINAL", "USED", "BORROWED", "MAY STILL TAKE", ""}};
        for (const auto& level : given_.levels) {
            std::string remark = level_remark(level);
            if (level.binding) {
                remark += remark.empty() ? "<- binding" : " <- binding";
            }
            rows.push_back(
                {level.node,
                 level.nominal,
                 level.used,
                 or_dash(level.borrowed),
                 level.may_take.empty() ? "no limit" : level.may_take,
                 remark}
            );
        }
        return labelled("Blocked", printable(given_.summary) + "\n" + print_table(std::move(rows)));
    }
    static std::string level_remark(const api::ExplainedLevel& level) {
        std::vector<std::string> parts;
        if (!level.own.empty()) {
            parts.push_back(level.own + " own");
        }
        if (!level.borrowing_limit.empty()) {
            parts.push_back(level.borrowing_limit + " by borrowingLimit");
        }
        if (!level.lending_limit.empty()) {
            parts.push_back("lends " + level.lending_limit);
        }
        return parts.empty() ? "" : fmt::format("({})", fmt::join(parts, ", "));
    }

    /// Prints a line for each flavor, with all that was found about it.
    std::string tried() const {
        std::vector<std::string> flavors;
        std::map<std::string, std::vector<std::string>> found;
        for (const auto& constraint : given_.constraints) {
            if (constraint.flavor.empty() || constraint.message.empty()) {
                continue;
            }
            auto& of_flavor = found[constraint.flavor];
            if (of_flavor.empty()) {
                flavors.push_back(constraint.flavor);
            }
            const std::string text =
                constraint.resource.empty() || constraint.kind == "priority"
                    ? constraint.message
                    : fmt::format("{}: {}", constraint.resource, constraint.message);
            if (std::ranges::find(of_flavor, text) == of_flavor.end()) {
                of_flavor.push_back(text);
            }
        }
        if (flavors.empty()) {
            return "";
        }
        std::size_t width = 0;
        for (const auto& flavor : flavors) {
            width = std::max(width, flavor.size());
        }
        std::string lines;
        for (const auto& flavor : flavors) {
            lines +=
                printable(fmt::format("{:<{}}  {}", flavor, width, fmt::join(found[flavor], "; "))
                ) +
                "\n";
        }
        return labelled("Tried", lines);
    }

    std::string held_by() const {
        if (given_.constraints.empty() || given_.constraints.front().holders.empty()) {
            return "";
        }
        std::vector<TableRow> rows{{"WORKLOAD", "AMOUNT", "PRIORITY", "FOR", "ENDS"}};
        for (const auto& holder : given_.constraints.front().holders) {
            rows.push_back(
                {holder.workload,
                 or_dash(holder.amount),
                 holder.priority ? std::to_string(*holder.priority) : "-",
                 holder.since ? print_age(given_.as_of - *holder.since) : "-",
                 holder.evicted    ? "being evicted"
                 : holder.reserved ? "reserved for it"
                 : holder.bound    ? fmt::format("by {} (limit)", print_clock(*holder.bound, zone_))
                                   : "unknown"}
            );
        }
        return labelled("Held by", print_table(std::move(rows)));
    }

    std::string remedies() const {
        std::string text;
        for (const bool at_once : {true, false}) {
            std::vector<TableRow> rows;
            for (const auto& remedy : given_.remedies) {
                if (remedy.when.empty() == at_once) {
                    rows.push_back({remedy.change, outcome_of(remedy)});
                }
            }
            if (rows.empty()) {
                continue;
            }
            text += at_once ? "Would be admitted at once (each tried on a copy of the cluster)\n"
                            : "Would be admitted at its turn, but others come first\n";
            text += labelled("", print_table(std::move(rows)));
        }
        return text;
    }
    static std::string outcome_of(const api::ExplainedRemedy& remedy) {
        std::vector<std::string> parts;
        if (!remedy.flavors.empty()) {
            parts.push_back(fmt::format("-> {}", fmt::join(remedy.flavors, ", ")));
        }
        if (!remedy.free.empty()) {
            parts.push_back(remedy.free + " free");
        }
        if (!remedy.evicts.empty()) {
            parts.push_back(fmt::format("evicts {}", fmt::join(remedy.evicts, ", ")));
        }
        if (!remedy.needs.empty()) {
            parts.push_back(remedy.needs);
        }
        return fmt::format("{}", fmt::join(parts, ", "));
    }

    std::string notes() const {
        std::string lines;
        for (const auto& note : given_.notes) {
            lines += printable(note) + "\n";
        }
        if (given_.bound) {
            lines += fmt::format("its limit ends it by {}\n", print_clock(*given_.bound, zone_));
        }
        return lines.empty() ? "" : labelled("Notes", lines);
    }

    const api::Explanation& given_;
    TimeZone zone_;
    std::string text_;
};

}  // namespace

std::string print_explanation(const api::Explanation& explanation, TimeZone zone) {
    return Printer(explanation, zone).run();
}

}  // namespace sluice::commands
