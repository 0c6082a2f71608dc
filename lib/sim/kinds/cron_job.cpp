#include "sim/kinds/cron_job.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/rules/cron_schedule.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::sim {

namespace {

using apiserver::CronSchedule;

constexpr std::string_view kScheduledTime = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/// More missed start times than this look like a wrong clock.
constexpr int kMissedMax = 100;

bool is_complete(const json::Value& job) {
    return has_condition(job, "Complete");
}

bool is_finished(const json::Value& job) {
    return is_complete(job) || has_condition(job, "Failed");
}

bool is_utc(std::string_view zone) {
    constexpr std::array<std::string_view, 6> kUtc{
        "UTC", "Etc/UTC", "Etc/GMT", "GMT", "Etc/UCT", "Zulu"
    };
    return std::ranges::find(kUtc, zone) != kUtc.end();
}

json::Value reference_to(const json::Value& job) {
    return json::Object{
        {"kind", "Job"},
        {"namespace", text_at(job, {"metadata", "namespace"})},
        {"name", name_of(job)},
        {"uid", text_at(job, {"metadata", "uid"})},
        {"apiVersion", "batch/v1"},
        {"resourceVersion", text_at(job, {"metadata", "resourceVersion"})}
    };
}

class CronJobTurn {
  public:
    explicit CronJobTurn(const Turn& turn)
        : turn_(turn), cron_job_(turn.object), jobs_(turn.owned_of("Job")) {
        if (const json::Value* known = cron_job_.find("status"); known && known->is_object()) {
            status_ = *known;
        }
    }

    Outcome run() {
        take_stock();
        if (!is_deleted(cron_job_) && !is_true_at(cron_job_, {"spec", "suspend"})) {
            schedule();
        }
        status_.erase("active");
        if (!active_.empty()) {
            status_.set("active", std::move(active_));
        }
        replace_status(cron_job_, std::move(status_), outcome_);
        if (!is_deleted(cron_job_)) {
            clean_up(true, "successfulJobsHistoryLimit");
            clean_up(false, "failedJobsHistoryLimit");
        }
        return std::move(outcome_);
    }

  private:
    void add_note(std::string reason, std::string message, bool is_warning = false) {
        outcome_.notes.push_back({is_warning, std::move(reason), std::move(message)});
    }

    /// Finds the Jobs that run, and records the end of Jobs that ran.
    void take_stock() {
        const json::Array& known = list_at(cron_job_, {"status", "active"});
        for (const json::Value* job : jobs_) {
            const json::Value* reference =
                find_element(known, "uid", text_at(*job, {"metadata", "uid"}));
            if (!is_finished(*job)) {
                if (reference == nullptr &&
                    job->find_path({"metadata", "annotations", kScheduledTime}) == nullptr) {
                    add_note(
                        "UnexpectedJob",
                        fmt::format(
                            "Saw a job that the controller did not create or forgot: {}",
                            name_of(*job)
                        ),
                        true
                    );
                    continue;
                }
                active_.push_back(reference == nullptr ? reference_to(*job) : *reference);
                continue;
            }
            if (reference != nullptr) {
                add_note(
                    "SawCompletedJob",
                    fmt::format(
                        "Saw completed job: {}, condition: {}",
                        name_of(*job),
                        is_complete(*job) ? "Complete" : "Failed"
                    )
                );
            }
            note_success(*job);
        }
        for (const json::Value& each : known) {
            if (find_named(jobs_, each.string_at("name")) == nullptr) {
                add_note(
                    "MissingJob", fmt::format("Active job went missing: {}", each.string_at("name"))
                );
            }
        }
    }

    void note_success(const json::Value& job) {
        const auto completed = find_time(job, {"status", "completionTime"});
        const auto last = find_time(status_, {"lastSuccessfulTime"});
        if (is_complete(job) && completed && (!last || *completed > *last)) {
            status_.set("lastSuccessfulTime", api::to_string(*completed));
        }
    }

    void schedule() {
        const std::string_view zone = text_at(cron_job_, {"spec", "timeZone"});
        if (!zone.empty() && !is_utc(zone)) {
            add_note(
                "UnknownTimeZone",
                fmt::format("invalid timeZone: \"{}\": the simulated cluster knows only UTC", zone),
                true
            );
            return;
        }
        const std::string_view text = text_at(cron_job_, {"spec", "schedule"});
        const auto schedule = CronSchedule::parse(text);
        if (!schedule) {
            add_note(
                "UnparseableSchedule",
                fmt::format("unparseable schedule: \"{}\" : {}", text, schedule.error().detail),
                true
            );
            return;
        }
        if (const auto due = find_due(*schedule)) {
            start(*due);
        }
        outcome_.again_at = schedule->next(turn_.now);
        if (!outcome_.again_at) {
            add_note(
                "InvalidSchedule",
                fmt::format(
                    "invalid schedule: {} : time difference between two schedules is less than 1 "
                    "second",
                    text
                ),
                true
            );
        }
    }

    /// Returns the latest start time that has passed and has no Job yet.
    std::optional<Time> find_due(const CronSchedule& schedule) {
        auto after = find_time(cron_job_, {"status", "lastScheduleTime"});
        if (!after) {
            after = find_time(cron_job_, {"metadata", "creationTimestamp"});
        }
        if (const auto deadline = starting_deadline()) {
            after = std::max(after.value_or(Time::min()), later(turn_.now, -*deadline));
        }
        std::optional<Time> due;
        int missed = 0;
        std::optional<Time> at = after ? schedule.next(*after) : std::nullopt;
        for (; at && *at <= turn_.now; at = schedule.next(*at)) {
            due = at;
            if (++missed > kMissedMax) {
                add_note(
                    "TooManyMissedTimes",
                    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or "
                    "check clock skew",
                    true
                );
                return find_latest(schedule, *at);
            }
        }
        return due;
    }

    /// Returns the latest start time that has passed, beginning with a known one. If that one is
    /// long ago, searches backwards from the present.
    std::optional<Time> find_latest(const CronSchedule& schedule, Time from) const {
        for (Duration back = std::chrono::hours(1); back < turn_.now - from; back *= 2) {
            std::optional<Time> latest;
            for (auto at = schedule.next(turn_.now - back); at && *at <= turn_.now;
                 at = schedule.next(*at)) {
                latest = at;
            }
            if (latest) {
                return latest;
            }
        }
        return from;
    }

    std::optional<Duration> starting_deadline() const {
        const auto seconds = find_int(cron_job_, {"spec", "startingDeadlineSeconds"});
        return seconds ? std::optional<Duration>(to_duration(*seconds)) : std::nullopt;
    }

    void start(Time due) {
        const auto deadline = starting_deadline();
        if (deadline && later(due, *deadline) < turn_.now) {
            add_note(
                "MissSchedule",
                fmt::format(
                    "Missed scheduled time to start a job: {:%a, %d %b %Y %H:%M:%S} +0000",
                    std::chrono::floor<std::chrono::seconds>(due)
                ),
                true
            );
            return;
        }
        const auto minute =
            std::chrono::floor<std::chrono::minutes>(due.time_since_epoch()).count();
        const std::string name = fmt::format("{}-{}", name_of(cron_job_), minute);
        // The creation is answered later. If the Job exists, it has succeeded.
        if (!turn_.find("batch/v1", "Job", name).is_null()) {
            status_.set("lastScheduleTime", api::to_string(due));
            return;
        }
        const std::string_view policy = text_at(cron_job_, {"spec", "concurrencyPolicy"});
        if (policy == "Forbid" && !active_.empty()) {
            add_note(
                "JobAlreadyActive",
                "Not starting job because prior execution is running and concurrency policy is "
                "Forbid"
            );
            return;
        }
        if (policy == "Replace") {
            for (const json::Value& each : std::exchange(active_, {})) {
                if (const json::Value* job = find_named(jobs_, each.string_at("name"))) {
                    remove(*job);
                }
            }
        }
        Write creation{
            .verb = Write::Verb::Create,
            .body = make_job(name, due),
            .note = Note{false, "SuccessfulCreate", fmt::format("Created job {}", name)},
            .api_version = "batch/v1",
            .kind = "Job",
            .asks_webhooks = true,
        };
        outcome_.writes.push_back(std::move(creation));
    }

    json::Value make_job(const std::string& name, Time due) const {
        json::Value job = json::Object{
            {"apiVersion", "batch/v1"},
            {"kind", "Job"},
            {"metadata",
             json::Object{{"name", name}, {"ownerReferences", owner_references(cron_job_)}}},
        };
        for (const std::string_view part : {"labels", "annotations"}) {
            if (const json::Value* said =
                    cron_job_.find_path({"spec", "jobTemplate", "metadata", part})) {
                make_object_at(job, {"metadata"}).set(part, *said);
            }
        }
        set_metadata(job, "annotations", kScheduledTime, api::to_string(due));
        if (const json::Value* spec = cron_job_.find_path({"spec", "jobTemplate", "spec"})) {
            job.set("spec", *spec);
        }
        return job;
    }

    void remove(const json::Value& job) {
        Write write = background_deletion(job);
        write.note = Note{false, "SuccessfulDelete", fmt::format("Deleted job {}", name_of(job))};
        outcome_.writes.push_back(std::move(write));
    }

    /// Deletes the oldest finished Jobs (complete or failed ones) beyond the limit.
    void clean_up(bool complete, std::string_view limit) {
        const auto most = find_int(cron_job_, {"spec", limit});
        if (!most) {
            return;
        }
        std::vector<const json::Value*> ended = jobs_;
        std::erase_if(ended, [complete](const json::Value* job) {
            return !is_finished(*job) || is_complete(*job) != complete || is_deleted(*job);
        });
        std::ranges::stable_sort(ended, {}, [](const json::Value* job) {
            return std::pair(
                find_time(*job, {"status", "startTime"}).value_or(Time::max()), name_of(*job)
            );
        });
        for (auto i = std::ssize(ended); i > *most; --i) {
            remove(*ended[static_cast<std::size_t>(std::ssize(ended) - i)]);
        }
    }

    const Turn& turn_;
    const json::Value& cron_job_;
    std::vector<const json::Value*> jobs_;
    json::Value status_ = json::Object();
    json::Array active_;
    Outcome outcome_;
};

}  // namespace

Outcome reconcile_cron_job(const Turn& turn) {
    return CronJobTurn(turn).run();
}

}  // namespace sluice::sim
