#include "sim/apps/revisions.hpp"

#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kKind = "ControllerRevision";
constexpr std::string_view kApiVersion = "apps/v1";
constexpr std::int64_t kHistoryDefault = 10;

std::int64_t number_of_revision(const json::Value& revision) {
    return find_int(revision, {"revision"}).value_or(0);
}

/// Returns a strategic merge patch that restores the template. Clients compare it byte by byte with
/// a patch that they make themselves, with all members in order.
json::Value data_of(const json::Value& pod_template) {
    json::Value replaced = pod_template;
    replaced.set("$patch", "replace");
    const json::Value data = json::Object{{"spec", json::Object{{"template", replaced}}}};
    auto sorted = json::parse(json::print_sorted(data));
    return sorted ? *std::move(sorted) : data;
}

/// Returns the hash of a template; each number of collisions gives another hash.
std::string hash_of(const json::Value& pod_template, std::int64_t collisions) {
    return collisions == 0 ? template_hash(pod_template)
                           : template_hash(json::Array{pod_template, collisions});
}

bool holds(const json::Value& revision, const json::Value& data) {
    const json::Value* found = revision.find("data");
    return found != nullptr && *found == data;
}

Write revision_removal(const json::Value& revision) {
    return {
        .verb = Write::Verb::Delete,
        .name = std::string(name_of(revision)),
        .api_version = std::string(kApiVersion),
        .kind = std::string(kKind)
    };
}

}  // namespace

Revisions::Revisions(const Turn& turn, std::string_view label) : turn_(turn), label_(label) {
    const json::Value* pod_template = turn.object.find_path({"spec", "template"});
    template_ = pod_template == nullptr ? json::Value(json::Object()) : *pod_template;
    data_ = data_of(template_);
    for (const json::Value* each : turn.owned_of(kKind)) {
        if (!holds(*each, data_)) {
            old_.push_back(each);
        } else if (current_ == nullptr ||
                   number_of_revision(*each) >= number_of_revision(*current_)) {
            if (current_ != nullptr) {
                duplicates_.push_back(current_);
            }
            current_ = each;
        } else {
            duplicates_.push_back(each);
        }
    }
    std::ranges::stable_sort(old_, {}, [](const json::Value* each) {
        return number_of_revision(*each);
    });
    choose_name();
}

void Revisions::choose_name() {
    collisions_ = find_int(turn_.object, {"status", "collisionCount"}).value_or(0);
    if (current_ != nullptr) {
        name_ = name_of(*current_);
        hash_ = text_at(*current_, {"metadata", "labels", label_});
        hash_ = hash_.empty() ? name_ : hash_;
        return;
    }
    for (;; ++collisions_) {
        hash_ = hash_of(template_, collisions_);
        name_ = fmt::format("{}-{}", name_of(turn_.object), hash_);
        if (turn_.find(kApiVersion, kKind, name_).is_null()) {
            return;
        }
    }
}

void Revisions::save(Outcome& outcome) const {
    const std::int64_t number = old_.empty() ? 1 : number_of_revision(*old_.back()) + 1;
    if (current_ == nullptr) {
        json::Value metadata =
            json::Object{{"name", name_}, {"ownerReferences", owner_references(turn_.object)}};
        json::Value revision = json::Object{
            {"apiVersion", kApiVersion}, {"kind", kKind}, {"data", data_}, {"revision", number}
        };
        if (const json::Value* annotations = turn_.object.find_path({"metadata", "annotations"})) {
            metadata.set("annotations", *annotations);
        }
        if (const json::Value* labels = template_.find_path({"metadata", "labels"})) {
            metadata.set("labels", *labels);
        }
        revision.set("metadata", std::move(metadata));
        set_metadata(revision, "labels", label_, hash_);
        outcome.writes.push_back(
            {.body = std::move(revision),
             .api_version = std::string(kApiVersion),
             .kind = std::string(kKind)}
        );
    } else if (number_of_revision(*current_) < number) {
        outcome.writes.push_back(
            {.verb = Write::Verb::Patch,
             .name = name_,
             .body = json::Object{{"revision", number}},
             .api_version = std::string(kApiVersion),
             .kind = std::string(kKind)}
        );
    }
    std::ranges::transform(duplicates_, std::back_inserter(outcome.writes), [](const auto* each) {
        return revision_removal(*each);
    });
}

void Revisions::forget_old(const std::set<std::string, std::less<>>& in_use, Outcome& outcome)
    const {
    const std::int64_t kept =
        find_int(turn_.object, {"spec", "revisionHistoryLimit"}).value_or(kHistoryDefault);
    std::int64_t surplus = std::ssize(old_) - kept;
    for (const json::Value* each : old_) {
        const bool is_used = in_use.contains(name_of(*each)) ||
                             in_use.contains(text_at(*each, {"metadata", "labels", label_}));
        if (surplus > 0 && !is_used) {
            outcome.writes.push_back(revision_removal(*each));
            --surplus;
        }
    }
}

}  // namespace sluice::sim
