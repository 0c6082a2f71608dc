#include "scenarios/scenario_world.hpp"

#include "engine/audited.hpp"
#include "engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::scenarios {

using engine::WorkloadChanged;

namespace {

constexpr std::string_view kNamespace = "ns";

Error invalid(std::string detail) {
    return {ErrorCode::Invalid, std::move(detail), {}, 0};
}

bool is_word_of_workload(std::string_view word) {
    constexpr std::array<std::string_view, 22> kWords = {
        "prio",         "at",     "uid",   "class", "gated",     "requeueAt", "requeued", "since",
        "evicted",      "in",     "count", "min",   "reclaimed", "shape",     "group",    "invalid",
        "failedChecks", "flavor", "hold",  "ready", "replaces",  "active",
    };
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

std::vector<Line> lines_of(const json::Value& value) {
    std::vector<Line> lines;
    if (value.is_string()) {
        lines.push_back(parse_line(value.as_string()));
    } else if (value.is_array()) {
        for (const json::Value& line : value.as_array()) {
            lines.push_back(parse_line(line.as_string()));
        }
    }
    return lines;
}

}  // namespace

Result<void> World::take(const json::Value& step) {
    if (!step.is_object()) {
        return invalid("a step is a map");
    }
    // What others refer to comes first, whatever the order in the file.
    for (const std::string_view first : {"cohort", "missingFlavors"}) {
        if (const json::Value* value = step.find(first)) {
            if (auto taken = take(std::string(first), *value); !taken) {
                return taken;
            }
        }
    }
    for (const auto& [word, value] : step.as_object()) {
        if (word == "cohort" || word == "missingFlavors") {
            continue;
        }
        if (auto taken = take(word, value); !taken) {
            return taken;
        }
    }
    return {};
}

Result<void> World::take(const std::string& word, const json::Value& value) {
    if (word == "cycles") {
        run_cycles(value.as_int());
    } else if (word == "advance") {
        advance(value.as_int());
    } else if (word == "writes") {
        writes_done_ = value.as_string() == "done";
        if (writes_done_) {
            write_admissions();
        }
    } else if (word == "evictions") {
        evictions_done_ = value.as_string() == "done";
        if (evictions_done_) {
            stop_victims();
        }
    } else if (word == "submit" || word == "admitted") {
        for (const Line& line : lines_of(value)) {
            if (auto taken = submit(line, word == "admitted"); !taken) {
                return taken;
            }
        }
    } else if (word == "cohort" || word == "missingFlavors" || word == "queues" ||
               word == "cohorts" || word == "localQueues" || word == "shapes" ||
               word == "flavors" || word == "deleteQueues" || word == "deleteCohorts" ||
               word == "deleteFlavors") {
        return take_cluster(word, value);
    } else {
        return take_workloads(word, value);
    }
    return {};
}

Result<void> World::take_cluster(const std::string& word, const json::Value& value) {
    if (word == "cohort") {
        cohort_ = value.as_string();
        return {};
    }
    if (word == "queues") {
        return make_queues(value);
    }
    if (word == "cohorts") {
        return make_cohorts(value);
    }
    if (word == "localQueues") {
        return make_local_queues(value);
    }
    if (word == "shapes") {
        return make_shapes(value);
    }
    for (const json::Value& item : value.as_array()) {
        const std::string& name = item.as_string();
        if (word == "missingFlavors") {
            missing_.insert(name);
        } else if (word == "flavors") {
            apply(engine::FlavorChanged{{.name = name, .topology = ""}});
        } else if (word == "deleteFlavors") {
            apply(engine::FlavorDeleted{name});
        } else if (word == "deleteQueues") {
            apply(engine::ClusterQueueDeleted{name});
        } else {
            apply(engine::CohortDeleted{name});
        }
    }
    return {};
}

void World::make_flavors(const std::vector<engine::ResourceGroup>& groups) {
    for (const engine::ResourceGroup& group : groups) {
        for (const engine::FlavorQuotas& flavor : group.flavors) {
            if (!missing_.contains(flavor.flavor) && flavors_.insert(flavor.flavor).second) {
                apply(engine::FlavorChanged{{.name = flavor.flavor, .topology = ""}});
            }
        }
    }
}

Result<void> World::make_queues(const json::Value& queues) {
    for (const auto& [name, value] : queues.as_object()) {
        auto queue = parse_queue(name, value);
        if (!queue) {
            return invalid("queue " + name + ": " + queue.error().detail);
        }
        if (value.find("cohort") == nullptr) {
            queue->cohort = cohort_;
        }
        make_flavors(queue->resource_groups);
        apply(engine::ClusterQueueChanged{*queue});
        engine::LocalQueue& local_queue = local_queues_[name];
        if (local_queue.name.empty()) {
            local_queue.ns = kNamespace;
            local_queue.name = name;
            local_queue.cluster_queue = name;
            apply(engine::LocalQueueChanged{local_queue});
        }
    }
    return {};
}

Result<void> World::make_cohorts(const json::Value& cohorts) {
    for (const auto& [name, value] : cohorts.as_object()) {
        engine::Cohort cohort;
        cohort.name = name;
        if (const json::Value* parent = value.find("parent")) {
            if (!parent->is_string()) {
                return invalid("cohort " + name + ": the parent is no text (quote y, n, on, off)");
            }
            cohort.parent = parent->as_string();
        }
        if (const json::Value* weight = value.find("weight")) {
            cohort.fair_weight = weight->as_double();
        }
        if (value.find("flavors") != nullptr || value.find("groups") != nullptr) {
            auto groups = parse_groups(value);
            if (!groups) {
                return invalid("cohort " + name + ": " + groups.error().detail);
            }
            cohort.resource_groups = std::move(*groups);
        }
        make_flavors(cohort.resource_groups);
        apply(engine::CohortChanged{cohort});
    }
    return {};
}

Result<void> World::make_local_queues(const json::Value& queues) {
    for (const auto& [name, value] : queues.as_object()) {
        const Line line = parse_line(value.as_string());
        engine::LocalQueue& queue = local_queues_[name];
        queue.ns = kNamespace;
        queue.name = name;
        if (line.name == "deleted") {
            apply(engine::LocalQueueDeleted{queue.ns, queue.name});
            local_queues_.erase(name);
            continue;
        }
        queue.cluster_queue = line.name;
        queue.stopped = line.find("stopped").has_value();
        queue.namespace_match = engine::NamespaceMatch::Matches;
        if (line.find("mismatch")) {
            queue.namespace_match = engine::NamespaceMatch::Mismatch;
        }
        if (line.find("noNamespace")) {
            queue.namespace_match = engine::NamespaceMatch::NotFound;
        }
        queue.fair_weight = double(line.number("weight", 1));
        queue.consumed.clear();
        if (line.find("consumed")) {
            queue.consumed["cpu"] = line.number("consumed", 0) * engine::Billionths{1'000'000'000};
        }
        apply(engine::LocalQueueChanged{queue});
    }
    return {};
}

Result<void> World::make_shapes(const json::Value& shapes) {
    for (const auto& [id, value] : shapes.as_object()) {
        engine::PodShape shape{.id = std::uint32_t(std::stoul(id)), .refusals = {}};
        for (const Line& line : lines_of(value)) {
            shape.refusals.push_back({
                .flavor = line.name,
                .kind = line.find("taint") ? engine::ShapeRefusalKind::UntoleratedTaint
                                           : engine::ShapeRefusalKind::NodeAffinity,
                .taint = 0,
            });
        }
        apply(engine::PodShapeChanged{shape});
    }
    return {};
}

Result<void> World::submit(const Line& line, bool admitted) {
    engine::Workload workload;
    const std::size_t slash = line.name.find('/');
    workload.ns = kNamespace;
    workload.name = line.name.substr(slash + 1);
    workload.uid = line.find("uid").value_or(workload.name);
    workload.local_queue = line.name.substr(0, slash);
    workload.priority = line.number("prio", 0);
    workload.queue_order =
        engine::Time(std::chrono::seconds(900'000 + line.number("at", 1000 + submitted_++)));
    workload.generation = 1;
    workload.scheduling_class = std::uint64_t(line.number("class", 0));
    workload.preemption_gated = line.find("gated").has_value();
    workload.requests_valid = !line.find("invalid");
    workload.checks_failed = line.find("failedChecks").has_value();
    workload.pods_ready = line.find("ready").has_value();
    workload.requeued_false = line.find("requeued") == "false";
    workload.ended = line.find("active") == "false";
    workload.queueable = !admitted && !line.find("hold") && !workload.ended;
    if (line.find("requeueAt")) {
        workload.requeue_at = now_ + std::chrono::seconds(line.number("requeueAt", 0));
    }
    if (const auto slice = line.find("replaces")) {
        const auto known = workloads_.find(*slice);
        workload.replaces =
            known != workloads_.end() ? known->second.ns + "/" + known->second.name : *slice;
    }
    engine::QuotaReservation reservation;
    reservation.cluster_queue =
        line.find("in").value_or(local_queues_[workload.local_queue].cluster_queue);
    reservation.reserved_at = engine::Time(std::chrono::seconds(900'000 + line.number("since", 0)));
    reservation.admitted = true;
    reservation.evicted = line.find("evicted").has_value();
    for (const auto& part : line.parts) {
        const Line one{"", {part}};
        engine::PodSet pod_set;
        pod_set.name = "p" + std::to_string(workload.pod_sets.size());
        pod_set.count = std::int32_t(one.number("count", 1));
        pod_set.reclaimable = std::int32_t(one.number("reclaimed", 0));
        pod_set.shape = std::uint32_t(one.number("shape", 0));
        pod_set.group = one.find("group").value_or("");
        if (one.find("min")) {
            pod_set.min_count = std::int32_t(one.number("min", 1));
        }
        engine::PodSetAssignment assigned{pod_set.name, {}, pod_set.count};
        for (const auto& [word, value] : part) {
            if (!is_word_of_workload(word)) {
                const engine::Amount amount(one.number(word, 0));
                if (!(admitted && word == "pods")) {
                    pod_set.requests.push_back({word, amount});
                }
                assigned.resources.push_back(
                    {word, one.find("flavor").value_or("default"), amount * pod_set.count}
                );
            }
        }
        workload.pod_sets.push_back(std::move(pod_set));
        reservation.pod_sets.push_back(std::move(assigned));
    }
    if (admitted) {
        workload.reservation = std::move(reservation);
    }
    workloads_[line.name] = std::move(workload);
    update(line.name);
    return {};
}

Result<void> World::take_workloads(const std::string& word, const json::Value& value) {
    for (const Line& line : lines_of(value)) {
        if (!workloads_.contains(line.name)) {
            return invalid("no workload " + line.name);
        }
        if (auto taken = change(word, line); !taken) {
            return taken;
        }
    }
    return {};
}

Result<void> World::change(const std::string& word, const Line& line) {
    engine::Workload& workload = workloads_.at(line.name);
    if (word == "delete") {
        apply(engine::WorkloadDeleted{workload.ns, workload.name});
        workloads_.erase(line.name);
        return {};
    }
    if (word == "fail") {
        unwritten_.erase(line.name);
        apply(engine::AdmissionFailed{workload.ns, workload.name, false});
        return {};
    }
    if (word == "failEviction") {
        victims_.erase(line.name);
        apply(engine::PreemptionFailed{workload.ns, workload.name});
        return {};
    }
    if (word == "finish" || word == "release") {
        workload.reservation.reset();
        workload.queueable = word == "release";
        workload.ended = word == "finish";
        ++workload.condition_stamp;
        victims_.erase(line.name);
    } else if (word == "evict" && workload.reservation) {
        workload.reservation->evicted = true;
    } else if (word != "set" && word != "echo") {
        return invalid("no step " + word);
    }
    if (line.find("prio")) {
        workload.priority = line.number("prio", 0);
        ++workload.generation;
    }
    if (line.find("count")) {
        workload.pod_sets.front().count = std::int32_t(line.number("count", 1));
        ++workload.generation;
    }
    if (line.find("reclaimed")) {
        workload.pod_sets.front().reclaimable = std::int32_t(line.number("reclaimed", 0));
    }
    if (const auto requeued = line.find("requeued")) {
        workload.requeued_false = *requeued == "false";
        ++workload.condition_stamp;
    }
    if (line.find("requeueAt")) {
        workload.requeue_at = now_ + std::chrono::seconds(line.number("requeueAt", 0));
    }
    if (const auto invalid_word = line.find("invalid")) {
        workload.requests_valid = *invalid_word == "false";
    }
    if (const auto active = line.find("active")) {
        workload.ended = *active == "false";
        workload.queueable = !workload.ended && !workload.reservation;
        ++workload.generation;
    }
    if (const auto failed = line.find("failedChecks")) {
        workload.checks_failed = *failed != "false";
    }
    if (const auto hold = line.find("hold")) {
        workload.queueable = *hold == "false";
    }
    if (line.find("class")) {
        workload.scheduling_class = std::uint64_t(line.number("class", 0));
    }
    if (const auto ready = line.find("ready")) {
        workload.pods_ready = *ready != "false";
    }
    if (const auto gated = line.find("gated")) {
        workload.preemption_gated = *gated != "false";
    }
    for (auto& request : workload.pod_sets.front().requests) {
        if (line.find(request.resource)) {
            request.amount = engine::Amount(line.number(request.resource, 0));
            ++workload.generation;
        }
    }
    update(line.name);
    return {};
}

void World::run_cycles(std::int64_t count) {
    support::NameLookup names = support::names_of(state_);
    names.workload = [&](auto index) { return shown(std::string(state_.workload_key(index))); };
    for (std::int64_t i = 0; i < count; ++i) {
        const engine::CycleResult result = engine::run_cycle_audited(state_, now_);
        note_explanations(result);
        const auto outcome = to_outcome(result, names);
        for (const support::NamedPreemption& preemption : outcome.preempted) {
            decided_.push_back(fmt::format(
                "preempt {} reason={} by={}",
                preemption.victim,
                support::to_string(preemption.reason),
                preemption.preemptor
            ));
            victims_.insert(preemption.victim);
        }
        for (const support::NamedAdmission& admission : outcome.admitted) {
            std::string line = fmt::format(
                "admit {} in={} level={}",
                admission.workload,
                admission.cluster_queue,
                admission.borrowing_level
            );
            engine::QuotaReservation reservation;
            reservation.cluster_queue = admission.cluster_queue;
            reservation.reserved_at = now_;
            reservation.admitted = true;
            for (const support::NamedPodSet& pod_set : admission.pod_sets) {
                line += fmt::format(" {}.count={}", pod_set.name, pod_set.count);
                engine::PodSetAssignment assigned{pod_set.name, {}, pod_set.count};
                for (const support::NamedAssignment& flavor : pod_set.flavors) {
                    line += fmt::format(" {}.{}={}", pod_set.name, flavor.resource, flavor.flavor);
                    assigned.resources.push_back(
                        {flavor.resource, flavor.flavor, engine::Amount(flavor.amount.value_or(0))}
                    );
                }
                reservation.pod_sets.push_back(std::move(assigned));
            }
            if (!admission.replaces.empty()) {
                line += " replaces=" + admission.replaces;
            }
            decided_.push_back(std::move(line));
            unwritten_[admission.workload] = {std::move(reservation), admission.replaces};
            refusals_.erase(admission.workload);
        }
        for (const support::NamedRefusal& refusal : outcome.refused) {
            refusals_[refusal.workload] = refusal;
        }
        if (writes_done_) {
            write_admissions();
        }
        if (evictions_done_) {
            stop_victims();
        }
    }
}

void World::write_admissions() {
    for (auto& [name, unwritten] : std::exchange(unwritten_, {})) {
        const auto known = workloads_.find(name);
        if (known == workloads_.end()) {
            continue;
        }
        engine::Workload& workload = known->second;
        workload.reservation = std::move(unwritten.reservation);
        workload.queueable = false;
        apply(engine::AdmissionWritten{workload.ns, workload.name});
        update(name);
        if (const auto slice = workloads_.find(unwritten.replaces); slice != workloads_.end()) {
            slice->second.reservation.reset();
            slice->second.ended = true;
            update(unwritten.replaces);
        }
    }
}

void World::stop_victims() {
    for (const std::string& name : std::exchange(victims_, {})) {
        const auto known = workloads_.find(name);
        if (known == workloads_.end()) {
            continue;
        }
        engine::Workload& workload = known->second;
        if (workload.reservation) {
            workload.reservation->evicted = true;
            update(name);
        }
        workload.reservation.reset();
        workload.queueable = true;
        ++workload.condition_stamp;
        update(name);
    }
}

void World::advance(std::int64_t seconds) {
    now_ += std::chrono::seconds(seconds);
    if (const auto due = engine::next_due(state_); due && *due <= now_) {
        apply(engine::TimerFired{});
    }
}

void World::apply(const engine::Event& event) {
    engine::apply_audited(state_, event, now_);
}

void World::update(const std::string& name) {
    apply(WorkloadChanged{workloads_.at(name)});
}

std::string World::shown(const std::string& key) const {
    for (const auto& [name, workload] : workloads_) {
        if (workload.ns + "/" + workload.name == key) {
            return name;
        }
    }
    return key;
}

}  // namespace sluice::scenarios
