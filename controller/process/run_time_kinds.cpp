#include "controller/process/run_time_kinds.hpp"

#include "api/core/config_map.hpp"
#include "api/kueue/sluice_names.hpp"
#include "base/log.hpp"
#include "controller/jobs/described/described_kind.hpp"
#include "controller/kinds/builtin_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sluice::controller {

namespace {

constexpr std::string_view kReporter = "sluice-job-kinds-controller";

bool are_same_names(const job_kinds::Description& a, const job_kinds::Description& b) {
    return a.group == b.group && a.version == b.version && a.kind == b.kind &&
           a.resource == b.resource;
}

bool is_of_kind(const api::Workload& workload, Kind kind) {
    const api::OwnerReference* owner = workload.metadata.controller_owner();
    return owner != nullptr && owner->kind == kind.name() &&
           kube::group_of(owner->api_version) == kind.group();
}

}  // namespace

RunTimeKinds::RunTimeKinds(Parts parts) : parts_(std::move(parts)), changed_(parts_.executor) {}

void RunTimeKinds::config_map_changed() {
    is_dirty_ = true;
    changed_.notify();
}

void RunTimeKinds::workload_changed() {
    const bool is_any_withdrawn =
        std::ranges::any_of(followed_, [](const auto& entry) { return entry.second.is_withdrawn; });
    if (is_any_withdrawn) {
        is_dirty_ = true;
        changed_.notify();
    }
}

void RunTimeKinds::start_reports() {
    reports_ = true;
    is_dirty_ = true;
    changed_.notify();
}

boost::asio::awaitable<void> RunTimeKinds::run() {
    for (;;) {
        const bool cancelled = co_await net::is_cancelled();
        if (cancelled) {
            co_return;
        }
        if (is_dirty_) {
            co_await apply(Informers::Wait::ForNothing);
        } else {
            co_await changed_.wait();
        }
    }
}

boost::asio::awaitable<void> RunTimeKinds::stop() {
    for (auto& [kind, followed] : followed_) {
        co_await followed.tasks->stop(Duration::zero());
    }
}

boost::asio::awaitable<void> RunTimeKinds::apply(Informers::Wait wait) {
    is_dirty_ = false;
    read_sheets();
    bool is_changed = withdraw_undescribed();
    for (const Kind kind : find_removable()) {
        co_await remove(kind);
        is_changed = true;
    }
    is_changed = add_described(wait) || is_changed;
    if (is_changed) {
        report_to_engine();
        parts_.on_changed();
    }
    report_to_authors();
}

void RunTimeKinds::read_sheets() {
    std::vector<job_kinds::Sheet> sheets;
    for (const auto& [name, config_map] : parts_.stores.of<api::ConfigMap>().all()) {
        sheets.push_back(
            {.name = name.name,
             .created = config_map->metadata.creation_timestamp,
             .texts = config_map->data}
        );
    }
    parts_.catalog.set(std::move(sheets));
}

bool RunTimeKinds::withdraw_undescribed() {
    bool is_changed = false;
    for (auto& [kind, followed] : followed_) {
        const bool is_described =
            std::ranges::any_of(parts_.catalog.in_force(), [&](const auto& described) {
                return are_same_names(*described.description, *followed.description);
            });
        if (is_described || followed.is_withdrawn) {
            continue;
        }
        followed.is_withdrawn = true;
        parts_.registry.replace(withdrawn_job_kind(*parts_.registry.find(kind)));
        log::info("job kind description was removed", {{"resource", kube::to_string(kind)}});
        is_changed = true;
    }
    return is_changed;
}

bool RunTimeKinds::is_drained(Kind kind) const {
    return std::ranges::none_of(parts_.stores.of<api::Workload>().all(), [kind](const auto& entry) {
        return is_of_kind(*entry.second, kind) && needs_its_kind(*entry.second);
    });
}

std::vector<Kind> RunTimeKinds::find_removable() const {
    std::vector<Kind> removable;
    for (const auto& [kind, followed] : followed_) {
        if (!followed.is_withdrawn) {
            continue;
        }
        const job_kinds::Description& old = *followed.description;
        const bool is_replaced =
            std::ranges::any_of(parts_.catalog.in_force(), [&old](const auto& described) {
                const job_kinds::Description& next = *described.description;
                return !are_same_names(old, next) && old.group == next.group &&
                       (old.resource == next.resource || old.kind == next.kind);
            });
        if (is_replaced || is_drained(kind)) {
            removable.push_back(kind);
        }
    }
    return removable;
}

boost::asio::awaitable<void> RunTimeKinds::remove(Kind kind) {
    const auto found = followed_.find(kind);
    co_await found->second.tasks->stop(Duration::zero());
    parts_.informers.forget(kind);
    parts_.runner.disable(kind);
    parts_.registry.remove(kind);
    parts_.stores.remove(kind);
    log::info("job kind is no longer watched", {{"resource", kube::to_string(kind)}});
    followed_.erase(found);
}

bool RunTimeKinds::add_described(Informers::Wait wait) {
    unusable_.clear();
    bool is_changed = false;
    for (const job_kinds::InForce& described : parts_.catalog.in_force()) {
        is_changed = add(described, wait) || is_changed;
    }
    return is_changed;
}

bool RunTimeKinds::add(const job_kinds::InForce& described, Informers::Wait wait) {
    const job_kinds::Description& description = *described.description;
    const auto names = names_of(description);
    const Kind kind = names->kind();
    const auto found = followed_.find(kind);
    if (found != followed_.end() && !found->second.is_withdrawn &&
        *found->second.description == description) {
        return false;
    }
    KindEntry entry =
        described_job_kind({.description = described.description, .is_builtin = false}, names);
    if (found != followed_.end()) {
        found->second.description = described.description;
        found->second.is_withdrawn = false;
        parts_.registry.replace(std::move(entry));
        log::info("job kind description changed", {{"resource", kube::to_string(kind)}});
        return true;
    }
    if (parts_.registry.find(kind) != nullptr ||
        parts_.registry.find(description.group, description.kind) != nullptr) {
        unusable_.insert_or_assign(
            Source(described.sheet, described.key),
            fmt::format(
                "kind: {} of {} is followed by Sluice itself", description.kind, description.group
            )
        );
        return false;
    }
    const KindEntry& added = parts_.registry.add(std::move(entry));
    parts_.stores.add(added.make_store());
    if (parts_.is_reconciled) {
        parts_.runner.enable(added.kind);
    }
    Followed& followed = followed_[added.kind];
    followed.description = described.description;
    followed.tasks = std::make_unique<net::TaskGroup>(parts_.executor, "follow");
    parts_.informers.follow(added, followed.tasks.get(), wait);
    log::info(
        "job kind is watched",
        {{"resource", kube::to_string(kind)}, {"configMap", described.sheet}, {"key", described.key}
        }
    );
    return true;
}

void RunTimeKinds::report_to_engine() {
    const Time now = parts_.clock.now();
    for (const auto& [name, workload] : parts_.stores.of<api::Workload>().all()) {
        if (workload->metadata.find_annotation(api::annotation::kDescribedKind) != nullptr) {
            parts_.feeder.workload_changed(name.namespace_, name.name, now);
        }
    }
}

void RunTimeKinds::report_to_authors() {
    if (!reports_) {
        return;
    }
    std::map<Source, std::string> refused = unusable_;
    std::set<Source> duplicates;
    for (const job_kinds::Refusal& refusal : parts_.catalog.refusals()) {
        const Source source(refusal.sheet, refusal.key);
        std::string& why = refused[source];
        why += (why.empty() ? "" : "; ") + refusal.why;
        if (refusal.is_duplicate) {
            duplicates.insert(source);
        }
    }
    std::set<Source> present;
    for (const auto& [source, why] : refused) {
        present.insert(source);
        report_to_author(
            source,
            EventType::Warning,
            duplicates.contains(source) ? api::reason::kDuplicateJobKind
                                        : api::reason::kInvalidJobKind,
            why
        );
    }
    for (const job_kinds::InForce& described : parts_.catalog.in_force()) {
        const Source source(described.sheet, described.key);
        if (!present.insert(source).second) {
            continue;  // an older text is in force
        }
        report_to_author(
            source,
            EventType::Normal,
            api::reason::kJobKindDescribed,
            fmt::format(
                "jobs of {} {} are managed",
                described.description->api_version(),
                described.description->kind
            )
        );
    }
    std::erase_if(reported_, [&present](const auto& entry) {
        return !present.contains(entry.first);
    });
}

void RunTimeKinds::report_to_author(
    const Source& source, EventType type, std::string_view reason, std::string note
) {
    for (const auto& [name, config_map] : parts_.stores.of<api::ConfigMap>().all()) {
        if (name.name != source.first) {
            continue;
        }
        const auto text = config_map->data.find(source.second);
        // Reported again if the text has changed, even if it has the same fault.
        std::string reported = fmt::format(
            "{} {} {}",
            config_map->metadata.uid,
            note,
            type == EventType::Warning && text != config_map->data.end() ? text->second : ""
        );
        std::string& before = reported_[source];
        if (before == reported) {
            return;
        }
        before = std::move(reported);
        const std::string full = fmt::format("{}: {}", source.second, note);
        if (type == EventType::Warning) {
            log::warning(
                "job kind description was rejected",
                {{"configMap", source.first}, {"problem", full}}
            );
        }
        parts_.on_event({
            .regarding =
                {.api_version = "v1",
                 .kind = std::string(api::ConfigMap::kKind),
                 .namespace_ = name.namespace_,
                 .name = name.name,
                 .uid = config_map->metadata.uid,
                 // The resource version makes a note about another text a separate event.
                 .resource_version = config_map->metadata.resource_version,
                 .field_path = fmt::format("data[{}]", source.second)},
            .type = type,
            .reason = std::string(reason),
            .action = {},
            .note = full,
            .reporting_controller = std::string(kReporter),
        });
        return;
    }
}

std::shared_ptr<const kube::RunTimeKind> RunTimeKinds::names_of(
    const job_kinds::Description& description
) {
    auto& names =
        names_[{description.group, description.version, description.kind, description.resource}];
    if (!names) {
        names = controller::names_of(description);
    }
    return names;
}

}  // namespace sluice::controller
