#include "controller/commands/live_view/live_lines.hpp"

#include "api/meta/micro_time.hpp"
#include "controller/commands/live_view/styled_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace sluice::commands {

namespace {

using Lines = std::vector<StyledLine>;

constexpr std::size_t kBarMin = 8;
constexpr std::size_t kBarMax = 40;
constexpr std::size_t kLogMax = 3;
constexpr std::size_t kGap = 2;

struct Section {
    StyledLine title;
    Lines lines;
};

std::string print_duration(Duration duration) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
    if (seconds < 60) {
        return fmt::format("{}s", std::max<long long>(seconds, 0));
    }
    if (seconds < 3600) {
        return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
    }
    return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

/// Returns the number of columns for an amount: at least one for an amount above zero.
std::size_t share_of(const api::Quantity& amount, const api::Quantity& whole, std::size_t columns) {
    if (amount.sign() <= 0 || whole.sign() <= 0) {
        return 0;
    }
    const double share = amount.as_double() / whole.as_double() * static_cast<double>(columns);
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(share)), 1, columns);
}

/// Draws the used, borrowed and free parts of a quota. Borrowed quota extends the bar beyond the
/// nominal quota.
void add_bar(StyledLine& line, const QuotaState& quota, std::size_t columns, bool has_unicode) {
    const api::Quantity whole = std::max(quota.nominal, quota.used);
    const api::Quantity own = quota.used - quota.borrowed;
    const std::size_t borrowed = share_of(quota.borrowed, whole, columns);
    const std::size_t used = std::min(share_of(own, whole, columns), columns - borrowed);
    const std::size_t rest = columns - used - borrowed;
    line.add_signs(has_unicode ? "█" : "#", used, Style::Used);
    line.add_signs(has_unicode ? "▓" : "+", borrowed, Style::Borrowed);
    line.add_signs(has_unicode ? "░" : ".", rest, Style::Faint);
}

std::string print_usage(const QuotaState& quota) {
    std::string text = fmt::format("{} / {}", quota.used.to_string(), quota.nominal.to_string());
    if (quota.borrowed.sign() > 0) {
        text += fmt::format("  {} borrowed", quota.borrowed.to_string());
    }
    return text;
}

/// Widths of the columns in the table of quotas; 0: not shown.
struct QuotaColumns {
    std::size_t queue = 0;
    std::size_t cohort = 0;
    std::size_t flavor = 0;
    std::size_t resource = 0;
    std::size_t usage = 0;
    std::size_t bar = 0;
};

QuotaColumns measure_quotas(const std::vector<QueueState>& queues, std::size_t columns) {
    QuotaColumns made;
    const auto widen = [](std::size_t& width, const std::string& text) {
        width = std::max(width, text.size() + kGap);
    };
    for (const QueueState& queue : queues) {
        widen(made.queue, queue.name);
        if (!queue.cohort.empty()) {
            widen(made.cohort, queue.cohort);
        }
        for (const QuotaState& quota : queue.quotas) {
            widen(made.flavor, quota.flavor);
            widen(made.resource, quota.resource);
            widen(made.usage, print_usage(quota));
        }
    }
    const auto taken = [&made] {
        return 2 + made.queue + made.cohort + made.flavor + made.resource + made.usage;
    };
    for (std::size_t* width : {&made.cohort, &made.flavor}) {
        if (taken() + kBarMin > columns) {
            *width = 0;
        }
    }
    if (taken() + kBarMin > columns) {
        made.queue = std::min(made.queue, std::max<std::size_t>(columns / 4, 4));
        made.resource = std::min(made.resource, std::max<std::size_t>(columns / 4, 4));
    }
    if (taken() + kBarMin <= columns) {
        made.bar = std::min(columns - taken(), kBarMax);
    }
    return made;
}

StyledLine draw_quota(
    const QueueState& queue,
    const QuotaState& quota,
    bool is_first,
    const QuotaColumns& columns,
    bool has_unicode
) {
    StyledLine line;
    line.add("  ");
    line.add_cell(is_first ? queue.name : "", columns.queue, Style::Strong);
    line.add_cell(is_first ? queue.cohort : "", columns.cohort);
    line.add_cell(quota.flavor, columns.flavor);
    line.add_cell(quota.resource, columns.resource);
    if (columns.bar > 0) {
        add_bar(line, quota, columns.bar, has_unicode);
        line.add("  ");
    }
    line.add(print_usage(quota), quota.borrowed.sign() > 0 ? Style::Borrowed : Style::Plain);
    return line;
}

Section draw_queues(const ClusterState& state, const Window& window) {
    Section section;
    const QuotaColumns columns = measure_quotas(state.queues, window.columns);
    section.title.add("QUEUES", Style::Strong);
    section.title.add("  used, borrowed and free quota", Style::Faint);
    for (const QueueState& queue : state.queues) {
        bool is_first = true;
        if (!queue.obstacle.empty() || queue.quotas.empty()) {
            StyledLine line;
            line.add("  ").add_cell(queue.name, columns.queue, Style::Strong);
            line.add(queue.obstacle.empty() ? "without quota" : queue.obstacle, Style::Failing);
            section.lines.push_back(std::move(line));
            is_first = false;
        }
        for (const QuotaState& quota : queue.quotas) {
            section.lines.push_back(draw_quota(queue, quota, is_first, columns, window.has_unicode)
            );
            is_first = false;
        }
    }
    if (state.queues.empty()) {
        section.lines.emplace_back().add("  no ClusterQueue yet", Style::Faint);
    }
    return section;
}

/// Returns the width of a column for these texts, at most a third of the window.
template <class T, class F>
std::size_t measure(const std::vector<T>& all, F text_of, const Window& window) {
    std::size_t width = 0;
    const std::size_t count = std::min(all.size(), window.rows);
    for (std::size_t i = 0; i < count; ++i) {
        width = std::max(width, text_of(all[i]).size());
    }
    return std::min(width, window.columns / 3) + kGap;
}

Section draw_domains(const ClusterState& state, const Window& window) {
    Section section;
    section.title.add("DOMAINS", Style::Strong);
    section.title.add("  requests of pods, and what nodes have", Style::Faint);
    const auto usage_of = [](const DomainState& each) {
        return fmt::format("{} / {}", each.used.to_string(), each.allocatable.to_string());
    };
    const auto domain_of = [](const DomainState& each) { return each.domain; };
    const auto flavor_of = [](const DomainState& each) { return each.flavor; };
    const auto resource_of = [](const DomainState& each) { return each.resource; };
    const std::size_t domain = measure(state.domains, domain_of, window);
    const std::size_t flavor = measure(state.domains, flavor_of, window);
    const std::size_t resource = measure(state.domains, resource_of, window);
    const std::size_t usage = measure(state.domains, usage_of, window);
    constexpr std::size_t kNodes = 22;  // "999 nodes, 9 lost"
    const std::size_t taken = 2 + domain + flavor + resource + usage + kNodes;
    const std::size_t bar =
        taken + kBarMin > window.columns ? 0 : std::min(window.columns - taken, kBarMax);
    for (const DomainState& each : state.domains) {
        StyledLine& line = section.lines.emplace_back();
        line.add("  ").add_cell(each.domain, domain, Style::Strong);
        line.add_cell(each.flavor, flavor).add_cell(each.resource, resource);
        if (bar > 0) {
            const QuotaState drawn{
                .flavor = {},
                .resource = {},
                .nominal = each.allocatable,
                .used = each.used,
                .borrowed = {}
            };
            add_bar(line, drawn, bar - kGap, window.has_unicode);
            line.add("  ");
        }
        line.add_cell(usage_of(each), usage);
        line.add(fmt::format("{} node{}", each.nodes, each.nodes == 1 ? "" : "s"), Style::Faint);
        if (each.lost > 0) {
            line.add(fmt::format(", {} lost", each.lost), Style::Failing);
        }
    }
    return section;
}

Section draw_running(const ClusterState& state, Time now, const Window& window) {
    Section section;
    section.title.add(fmt::format("RUNNING {}", state.running.size()), Style::Strong);
    const auto name_of = [](const RunningState& each) { return each.name; };
    const auto kind_of = [](const RunningState& each) { return each.kind; };
    const auto queue_of = [](const RunningState& each) { return each.queue; };
    const std::size_t name = measure(state.running, name_of, window);
    const std::size_t kind = measure(state.running, kind_of, window);
    const std::size_t queue = measure(state.running, queue_of, window);
    for (const RunningState& each : state.running) {
        if (section.lines.size() > window.rows) {
            section.lines.resize(state.running.size());
            break;
        }
        StyledLine& line = section.lines.emplace_back();
        const std::string since = each.since ? print_duration(now - *each.since) : "";
        line.add("  ").add_cell(each.name, name, Style::Used);
        line.add_cell(each.kind, kind).add_cell(each.queue, queue);
        line.add_cell(since, 8).add(each.amounts, Style::Faint);
    }
    return section;
}

Section draw_waiting(const ClusterState& state, const Window& window) {
    Section section;
    section.title.add(fmt::format("WAITING {}", state.waiting.size()), Style::Strong);
    const auto name_of = [](const WaitingState& each) { return each.name; };
    const auto kind_of = [](const WaitingState& each) { return each.kind; };
    const std::size_t name = measure(state.waiting, name_of, window);
    const std::size_t kind = measure(state.waiting, kind_of, window);
    for (const WaitingState& each : state.waiting) {
        if (section.lines.size() > window.rows) {
            section.lines.resize(state.waiting.size());
            break;
        }
        StyledLine& line = section.lines.emplace_back();
        line.add("  ").add_cell(each.name, name, Style::Waiting);
        line.add_cell(each.kind, kind).add(each.reason);
    }
    return section;
}

Section draw_log(const LiveTexts& texts) {
    Section section;
    section.title.add("LOG", Style::Strong);
    const std::size_t count = std::min(texts.log.size(), kLogMax);
    for (std::size_t i = texts.log.size() - count; i < texts.log.size(); ++i) {
        section.lines.emplace_back().add("  ").add(texts.log[i], Style::Failing);
    }
    return section;
}

Lines draw_header(
    const ClusterState& state, const LiveTexts& texts, Time now, std::size_t columns
) {
    // The time of day in "2026-11-25T14:03:05Z".
    const std::string time = api::to_string(now).substr(11, 8);
    StyledLine first;
    first.add("sluice dev", Style::Strong).add("  " + time);
    first.add(texts.speed.empty() ? "" : "  " + texts.speed, Style::Waiting);
    first.add(fmt::format("  {} node{}", state.nodes, state.nodes == 1 ? "" : "s"));
    const std::string capacity = state.capacity.empty() ? "" : ": " + state.capacity;
    if (first.width() + capacity.size() <= columns) {
        first.add(capacity);
    }
    if (first.width() + 2 + texts.server.size() <= columns) {
        first.add("  " + texts.server, Style::Faint);
    }
    StyledLine second;
    second.add(fmt::format("{} running", state.running.size()), Style::Used);
    second.add("  ").add(fmt::format("{} waiting", state.waiting.size()), Style::Waiting);
    second.add(fmt::format("  {} succeeded", state.succeeded));
    second.add("  ").add(
        fmt::format("{} failed", state.failed), state.failed > 0 ? Style::Failing : Style::Plain
    );
    second.add(fmt::format("  {} pods", state.pods));
    if (state.unplaced > 0) {
        second.add("  ").add(fmt::format("{} without a node", state.unplaced), Style::Failing);
    }
    return {std::move(first), std::move(second)};
}

Lines draw_footer(const LiveTexts& texts) {
    Lines lines(1);
    for (const std::string& command : texts.commands) {
        lines.emplace_back().add("  " + command);
    }
    lines.emplace_back().add("Ctrl-C ends it", Style::Faint);
    return lines;
}

/// Divides the room by need: a section gets less than it needs only if no other section gets more.
std::vector<std::size_t> divide(std::size_t room, const std::vector<std::size_t>& needs) {
    std::vector<std::size_t> order(needs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&needs](std::size_t i) { return needs[i]; });
    std::vector<std::size_t> shares(needs.size());
    std::size_t left = order.size();
    for (const std::size_t i : order) {
        shares[i] = std::min(needs[i], room / left);
        room -= shares[i];
        --left;
    }
    return shares;
}

void append_section(Lines& lines, Section section, std::size_t share, bool is_spaced) {
    if (is_spaced) {
        lines.emplace_back();
    }
    lines.push_back(std::move(section.title));
    const std::size_t count = section.lines.size();
    const bool is_cut = count > share;
    section.lines.resize(is_cut && share > 0 ? share - 1 : std::min(count, share));
    const std::size_t left = count - section.lines.size();
    std::ranges::move(section.lines, std::back_inserter(lines));
    if (is_cut && share > 0) {
        lines.emplace_back().add(fmt::format("  ... {} more lines", left), Style::Faint);
    }
}

/// Appends the sections in that many rows: drops their blank lines first, then the last sections.
void append_sections(Lines& lines, std::vector<Section> sections, std::size_t rows) {
    const bool is_spaced = rows >= sections.size() * 4;
    const std::size_t overhead = is_spaced ? 2 : 1;
    while (!sections.empty() && rows < sections.size() * (overhead + 1)) {
        sections.pop_back();
    }
    std::vector<std::size_t> needs;
    needs.reserve(sections.size());
    for (const Section& section : sections) {
        needs.push_back(section.lines.size());
    }
    const std::vector<std::size_t> shares = divide(rows - overhead * sections.size(), needs);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        append_section(lines, std::move(sections[i]), shares[i], is_spaced);
    }
}

}  // namespace

std::vector<std::string> draw_live_view(
    const ClusterState& state, const LiveTexts& texts, Time now, const Window& window
) {
    Lines lines = draw_header(state, texts, now, window.columns);
    Lines footer = draw_footer(texts);
    if (window.rows < 8 + footer.size()) {
        footer.clear();
    }
    std::vector<Section> sections;
    sections.push_back(draw_queues(state, window));
    for (Section& section : std::vector{
             draw_running(state, now, window),
             draw_waiting(state, window),
             draw_domains(state, window)
         }) {
        if (!section.lines.empty()) {
            sections.push_back(std::move(section));
        }
    }
    if (!texts.log.empty()) {
        sections.push_back(draw_log(texts));
    }
    if (window.rows > lines.size() + footer.size()) {
        append_sections(lines, std::move(sections), window.rows - lines.size() - footer.size());
    }
    std::ranges::move(footer, std::back_inserter(lines));
    lines.resize(std::min(lines.size(), window.rows));
    std::vector<std::string> printed;
    printed.reserve(lines.size());
    for (const StyledLine& line : lines) {
        printed.push_back(line.print(window.columns, window.has_color));
    }
    return printed;
}

}  // namespace sluice::commands
