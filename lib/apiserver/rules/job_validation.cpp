#include "api/meta/names.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/rules/cron_schedule.hpp"
#include "apiserver/rules/job_policy_validation.hpp"
#include "apiserver/rules/pod_validation.hpp"
#include "apiserver/rules/workload_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr std::string_view kUid = "batch.kubernetes.io/controller-uid";

const Value* template_labels_of(const Value& spec) {
    return spec.find_path({"template", "metadata", "labels"});
}

void check_restart_policy(Causes& causes, const std::string& path, const Value& spec) {
    const Value& pod = member_or_null(member_or_null(spec, "template"), "spec");
    const auto policy = pod.string_at("restartPolicy");
    if (policy.empty() || policy == "Always") {
        causes.push_back(api::FieldError::required(
            path + ".template.spec.restartPolicy", "valid values: \"OnFailure\", \"Never\""
        ));
    } else if (policy != "OnFailure" && policy != "Never") {
        causes.push_back(api::FieldError::not_supported(
            path + ".template.spec.restartPolicy", policy, {"OnFailure", "Never"}
        ));
    }
}

void check_indexes(Causes& causes, const Value& spec) {
    const auto mode = spec.string_at("completionMode");
    if (mode == "Indexed") {
        if (spec.find("completions") == nullptr) {
            causes.push_back(
                api::FieldError::required("spec.completions", "when completion mode is Indexed")
            );
        }
        if (int_at(spec, "parallelism", 0) > 100'000) {
            causes.push_back(api::FieldError::invalid(
                "spec.parallelism",
                *spec.find("parallelism"),
                "must be less than or equal to 100000 when completion mode is Indexed"
            ));
        }
        return;
    }
    for (const auto* name : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
        if (const Value* value = spec.find(name)) {
            causes.push_back(api::FieldError::invalid(
                fmt::format("spec.{}", name), *value, "requires indexed completion mode"
            ));
        }
    }
}

void check_managed_by(Causes& causes, const Value& spec) {
    const auto manager = spec.string_at("managedBy");
    if (manager.empty()) {
        return;
    }
    const auto slash = manager.find('/');
    const bool is_path = slash != std::string_view::npos && slash != 0 &&
                         slash + 1 < manager.size() &&
                         api::has_subdomain_form(manager.substr(0, slash));
    if (!is_path) {
        causes.push_back(api::FieldError::invalid(
            "spec.managedBy", manager, "must be a domain-prefixed path (such as \"acme.io/foo\")"
        ));
    }
}

void check_job_spec(Causes& causes, const std::string& path, const Value& spec) {
    check_job_policies(causes, path, spec);
    for (const auto* name :
         {"parallelism",
          "completions",
          "activeDeadlineSeconds",
          "backoffLimit",
          "ttlSecondsAfterFinished",
          "backoffLimitPerIndex",
          "maxFailedIndexes"}) {
        check_not_negative(causes, path, spec, name);
    }
    check_one_of(causes, path, spec, "completionMode", {"NonIndexed", "Indexed"});
    if (spec.find("podFailurePolicy") == nullptr) {
        check_one_of(causes, path, spec, "podReplacementPolicy", {"Failed", "TerminatingOrFailed"});
    } else {
        check_one_of(causes, path, spec, "podReplacementPolicy", {"Failed"});
    }
    check_pod_template(causes, path + ".template", member_or_null(spec, "template"));
    check_restart_policy(causes, path, spec);
}

/// Requires the selector that is generated from the Job's uid, unless manualSelector is true.
void check_generated_selector(Causes& causes, const Value& job, const Value& spec) {
    const Value& metadata = member_or_null(job, "metadata");
    const Value expected = json::Object{
        {"matchLabels", json::Object{{std::string(kUid), std::string(metadata.string_at("uid"))}}}
    };
    const Value& selector = member_or_null(spec, "selector");
    if (!is_true(spec, "manualSelector") && !(selector == expected)) {
        causes.push_back(
            api::FieldError::invalid("spec.selector", selector, "`selector` not auto-generated")
        );
    }
}

/// Returns true if the Job is suspended and has no active pods.
bool is_suspended_at_rest(const Value& old_job) {
    const Value& status = member_or_null(old_job, "status");
    const auto& conditions = items_of(status.find("conditions"));
    const bool is_said = std::ranges::any_of(conditions, [](const Value& condition) {
        return condition.string_at("type") == "Suspended" &&
               condition.string_at("status") == "True";
    });
    return is_true(member_or_null(old_job, "spec"), "suspend") &&
           (is_said || member_or_null(status, "startTime").is_null()) &&
           int_at(status, "active", 0) == 0;
}

/// Returns the old affinity with the new nodeAffinity; null if the pod has no affinity.
Value affinity_with_nodes_of(const Value& was, const Value& now) {
    if (now.is_null() && was.is_null()) {
        return {};
    }
    Value fixed = was.is_null() ? Value(json::Object()) : was;
    const Value& to_nodes = member_or_null(now, "nodeAffinity");
    if (to_nodes.is_null()) {
        fixed.erase("nodeAffinity");
    } else {
        fixed.set("nodeAffinity", to_nodes);
    }
    return now.is_null() && fixed.as_object().empty() ? Value() : fixed;
}

/// Copies to each container the resources of the container with the same name and index in the new
/// list.
void take_resources(Value& spec, const Value& now, const char* list) {
    Value* containers = spec.find(list);
    const auto& others = items_of(now.find(list));
    if (containers == nullptr || !containers->is_array() ||
        containers->as_array().size() != others.size()) {
        return;
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
        Value& container = containers->as_array()[i];
        const Value* resources = others[i].find("resources");
        if (container.string_at("name") == others[i].string_at("name") && resources != nullptr) {
            container.set("resources", *resources);
        }
    }
}

/// Returns the old pod spec with the new values of all fields that may change while a Job is
/// suspended: scheduling directives and resources.
Value with_new_directives(const Value& was, const Value& now) {
    Value fixed = was;
    for (const char* name : {"nodeSelector", "tolerations", "schedulingGates"}) {
        if (const Value* value = now.find(name)) {
            fixed.set(name, *value);
        } else {
            fixed.erase(name);
        }
    }
    Value affinity =
        affinity_with_nodes_of(member_or_null(was, "affinity"), member_or_null(now, "affinity"));
    if (affinity.is_null()) {
        fixed.erase("affinity");
    } else {
        fixed.set("affinity", std::move(affinity));
    }
    take_resources(fixed, now, "containers");
    take_resources(fixed, now, "initContainers");
    return fixed;
}

void check_template_update(Causes& causes, const Value& job, const Value& old_job) {
    const Value& now = member_or_null(member_or_null(job, "spec"), "template");
    const Value& was = member_or_null(member_or_null(old_job, "spec"), "template");
    if (now == was) {
        return;
    }
    if (!is_suspended_at_rest(old_job)) {
        causes.push_back(api::FieldError::invalid("spec.template", now, "field is immutable"));
        return;
    }
    const Value& pod = member_or_null(now, "spec");
    if (!(with_new_directives(member_or_null(was, "spec"), pod) == pod)) {
        causes.push_back(api::FieldError::invalid("spec.template.spec", pod, "field is immutable"));
    }
}

void check_completions_update(Causes& causes, const Value& spec, const Value& old_spec) {
    const Value& now = member_or_null(spec, "completions");
    if (now == member_or_null(old_spec, "completions")) {
        return;
    }
    if (spec.string_at("completionMode") != "Indexed") {
        causes.push_back(api::FieldError::invalid("spec.completions", now, "field is immutable"));
        return;
    }
    const Value& parallelism = member_or_null(spec, "parallelism");
    const bool is_in_tandem = now == parallelism;
    if (!is_in_tandem) {
        causes.push_back(api::FieldError::invalid(
            "spec.completions", now, "can only be modified in tandem with spec.parallelism"
        ));
    }
}

}  // namespace

void check_job(Causes& causes, const Value& job) {
    const Value& spec = member_or_null(job, "spec");
    check_generated_selector(causes, job, spec);
    const std::size_t known = causes.size();
    check_label_selector(causes, "spec.selector", spec.find("selector"));
    if (causes.size() == known && !selects(spec.find("selector"), template_labels_of(spec))) {
        const Value* labels = template_labels_of(spec);
        causes.push_back(api::FieldError::invalid(
            "spec.template.metadata.labels",
            labels == nullptr ? Value() : *labels,
            "`selector` does not match template `labels`"
        ));
    }
    check_job_spec(causes, "spec", spec);
    check_indexes(causes, spec);
    check_managed_by(causes, spec);
}

void check_job_update(Causes& causes, const Value& job, const Value& old_job) {
    const Value& spec = member_or_null(job, "spec");
    const Value& old_spec = member_or_null(old_job, "spec");
    check_completions_update(causes, spec, old_spec);
    check_selector_update(causes, job, old_job);
    check_template_update(causes, job, old_job);
    for (const auto* name :
         {"completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"
         }) {
        check_unchanged(causes, "spec", spec, old_spec, name);
    }
}

/// Returns true if the name has the form of a time zone: one of the areas and a place, or one of
/// the names without an area. Does not know which places exist.
bool has_form_of_zone(std::string_view name) {
    static const std::set<std::string_view> kAreas{
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Brazil",
        "Canada",
        "Chile",
        "Etc",
        "Europe",
        "Indian",
        "Mexico",
        "Pacific",
        "US"
    };
    static const std::set<std::string_view> kAlone{
        "CET",       "CST6CDT",   "Cuba",     "EET",     "EST",    "EST5EDT",   "Egypt",
        "Eire",      "GB",        "GB-Eire",  "GMT",     "GMT+0",  "GMT-0",     "GMT0",
        "Greenwich", "HST",       "Hongkong", "Iceland", "Iran",   "Israel",    "Jamaica",
        "Japan",     "Kwajalein", "Libya",    "MET",     "MST",    "MST7MDT",   "NZ",
        "NZ-CHAT",   "Navajo",    "PRC",      "PST8PDT", "Poland", "Portugal",  "ROC",
        "ROK",       "Singapore", "Turkey",   "UCT",     "UTC",    "Universal", "W-SU",
        "WET",       "Zulu"
    };
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) {
        return kAlone.contains(name);
    }
    const auto is_of_place = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') ||
               std::string_view("/_+-").find(letter) != std::string_view::npos;
    };
    const std::string_view place = name.substr(slash + 1);
    return kAreas.contains(name.substr(0, slash)) && !place.empty() &&
           std::ranges::all_of(place, is_of_place);
}

void check_time_zone(Causes& causes, const Value& spec) {
    const Value* zone = spec.find("timeZone");
    if (zone == nullptr || !zone->is_string()) {
        return;
    }
    const std::string& name = zone->as_string();
    if (!name.empty() && !has_form_of_zone(name)) {
        causes.push_back(api::FieldError::invalid(
            "spec.timeZone", *zone, fmt::format("unknown time zone {}", name)
        ));
    }
}

void check_cron_job(Causes& causes, const Value& cron_job) {
    /// The CronJob's Jobs have 11 more characters in their names.
    constexpr std::size_t kNameMost = 52;
    const Value& spec = member_or_null(cron_job, "spec");
    if (const auto own = text_at(cron_job, {"metadata", "name"}); own.size() > kNameMost) {
        causes.push_back(
            api::FieldError::invalid("metadata.name", own, "must be no more than 52 characters")
        );
    }
    const auto schedule = spec.string_at("schedule");
    if (schedule.empty()) {
        causes.push_back(api::FieldError::required("spec.schedule"));
    } else {
        if (const auto read = CronSchedule::parse(schedule); !read) {
            causes.push_back(
                api::FieldError::invalid("spec.schedule", schedule, read.error().detail)
            );
        }
        if (schedule.find("TZ") != std::string_view::npos) {
            causes.push_back(api::FieldError::invalid(
                "spec.schedule",
                schedule,
                "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
            ));
        }
    }
    check_time_zone(causes, spec);
    check_not_negative(causes, "spec", spec, "startingDeadlineSeconds");
    check_one_of(causes, "spec", spec, "concurrencyPolicy", {"Allow", "Forbid", "Replace"});
    for (const auto* name : {"successfulJobsHistoryLimit", "failedJobsHistoryLimit"}) {
        check_not_negative(causes, "spec", spec, name);
    }
    const Value& job = member_or_null(member_or_null(spec, "jobTemplate"), "spec");
    check_job_spec(causes, "spec.jobTemplate.spec", job);
}

}  // namespace sluice::apiserver
