#include "controller/reconcilers/quota_drift.hpp"

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/sluice_names.hpp"
#include "workload/capacity/capacity_words.hpp"
#include "workload/pods/text.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace sluice::controller {

namespace {

using engine::Amount;

/// 1/50 is 2 %.
constexpr std::int64_t kPartsThatMatter = 50;

bool matters(Amount difference, Amount quota) {
    const Amount size = difference < Amount() ? Amount() - difference : difference;
    return size * kPartsThatMatter > quota;
}

ObjectKey queue_key(const workload::QuotaExcess& excess) {
    return {
        excess.is_cohort ? kind_of<api::Cohort>() : kind_of<api::ClusterQueue>(), "", excess.name
    };
}

}  // namespace

std::vector<ObjectKey> QuotaDrifts::observe(const workload::CapacityReport& report, Time now) {
    std::map<ObjectKey, Excesses> next;
    std::set<ObjectKey> touched;
    for (const auto& excess : report.excesses) {
        if (!matters(excess.quota - excess.usable, excess.quota)) {
            continue;
        }
        const ObjectKey key = queue_key(excess);
        const std::pair pair(excess.flavor, excess.resource);
        Excess made{.since = now, .quota = excess.quota, .usable = excess.usable, .words = {}};
        if (const auto queue = queues_.find(key); queue != queues_.end()) {
            if (const auto known = queue->second.find(pair); known != queue->second.end()) {
                made = known->second;
            }
        }
        const bool is_due = now - made.since >= kPatience;
        if (is_due && (made.words.empty() || made.quota != excess.quota ||
                       matters(excess.usable - made.usable, excess.quota))) {
            made.quota = excess.quota;
            made.usable = excess.usable;
            made.words = fmt::format("{}: {}", excess.resource, workload::excess_words(excess));
        }
        next[key].insert_or_assign(pair, std::move(made));
        touched.insert(key);
    }
    for (const auto& [key, excesses] : queues_) {
        touched.insert(key);
    }
    std::vector<ObjectKey> changed;
    QuotaDrifts before;
    before.has_observed_ = has_observed_;
    before.queues_ = std::exchange(queues_, std::move(next));
    has_observed_ = true;
    for (const ObjectKey& key : touched) {
        const QuotaDrift was = before.drift(key);
        const QuotaDrift is = drift(key);
        if (was.state != is.state || was.message != is.message) {
            changed.push_back(key);
        }
    }
    return changed;
}

QuotaDrift QuotaDrifts::drift(const ObjectKey& key) const {
    const auto queue = queues_.find(key);
    if (queue == queues_.end()) {
        return {.state = has_observed_ ? QuotaDrift::State::Within : QuotaDrift::State::Unknown};
    }
    QuotaDrift made;
    for (const auto& [pair, excess] : queue->second) {
        if (!excess.words.empty()) {
            made.state = QuotaDrift::State::Exceeds;
            made.message += (made.message.empty() ? "" : "; ") + excess.words;
        }
    }
    return made;
}

EventNote drift_event(const ObjectKey& queue, const std::string& uid, const QuotaDrift& drift) {
    const bool is_cohort = queue.kind == kind_of<api::Cohort>();
    return {
        .regarding =
            {.api_version = api::kKueueApiVersion,
             .kind = is_cohort ? "Cohort" : "ClusterQueue",
             .namespace_ = "",
             .name = queue.name,
             .uid = uid},
        .type = EventType::Warning,
        .reason = api::reason::kNodesLackQuota,
        .note = workload::truncated_event_note(drift.message),
        .reporting_controller =
            is_cohort ? "kueue-cohort-controller" : "kueue-cluster-queue-controller",
    };
}

}  // namespace sluice::controller
