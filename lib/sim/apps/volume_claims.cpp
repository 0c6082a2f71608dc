#include "sim/apps/volume_claims.hpp"

#include "sim/fields.hpp"
#include "sim/owned.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kClaim = "PersistentVolumeClaim";

const json::Array& templates_of(const json::Value& set) {
    return list_at(set, {"spec", "volumeClaimTemplates"});
}

std::string claim_name(const json::Value& set, const json::Value& claim, std::int64_t ordinal) {
    return fmt::format("{}-{}-{}", name_of(claim), name_of(set), ordinal);
}

bool is_deleted_when(const json::Value& set, std::string_view when) {
    return text_at(set, {"spec", "persistentVolumeClaimRetentionPolicy", when}) == "Delete";
}

json::Value make_claim(
    const json::Value& set, const json::Value& claim_template, std::int64_t ordinal
) {
    json::Value claim = json::Object{{"apiVersion", "v1"}, {"kind", kClaim}};
    const json::Value* metadata = claim_template.find("metadata");
    claim.set("metadata", metadata == nullptr ? json::Value(json::Object()) : *metadata);
    if (const json::Value* spec = claim_template.find("spec")) {
        claim.set("spec", *spec);
    }
    json::Value& own = *claim.find("metadata");
    own.set("name", claim_name(set, claim_template, ordinal));
    own.erase("namespace");
    if (is_deleted_when(set, "whenDeleted")) {
        own.set("ownerReferences", owner_references(set));
    }
    const json::Value* labels = set.find_path({"spec", "selector", "matchLabels"});
    if (labels != nullptr && labels->is_object()) {
        for (const auto& [name, value] : labels->as_object()) {
            if (value.is_string()) {
                set_metadata(claim, "labels", name, value.as_string());
            }
        }
    }
    return claim;
}

}  // namespace

std::vector<Write> create_claims(const Turn& turn, std::int64_t ordinal) {
    const json::Value& set = turn.object;
    std::vector<Write> writes;
    for (const json::Value& claim_template : templates_of(set)) {
        const std::string name = claim_name(set, claim_template, ordinal);
        if (!turn.find("v1", kClaim, name).is_null()) {
            continue;
        }
        std::string told = fmt::format(
            "Create Claim {} Pod {}-{} in StatefulSet {} success",
            name,
            name_of(set),
            ordinal,
            name_of(set)
        );
        writes.push_back(
            {.body = make_claim(set, claim_template, ordinal),
             .note = Note{false, "SuccessfulCreate", std::move(told)},
             .kind = std::string(kClaim)}
        );
    }
    return writes;
}

void add_claim_volumes(const json::Value& set, std::int64_t ordinal, json::Value& pod) {
    const json::Array& templates = templates_of(set);
    if (templates.empty()) {
        return;
    }
    json::Array volumes;
    for (const json::Value& claim_template : templates) {
        const json::Value claim =
            json::Object{{"claimName", claim_name(set, claim_template, ordinal)}};
        volumes.emplace_back(
            json::Object{{"name", name_of(claim_template)}, {"persistentVolumeClaim", claim}}
        );
    }
    for (const json::Value& volume : list_at(pod, {"spec", "volumes"})) {
        if (find_element(volumes, "name", volume.string_at("name")) == nullptr) {
            volumes.push_back(volume);
        }
    }
    make_object_at(pod, {"spec"}).set("volumes", std::move(volumes));
}

std::vector<Write> release_claims(const Turn& turn, const json::Value& pod, std::int64_t ordinal) {
    const json::Value& set = turn.object;
    std::vector<Write> writes;
    if (!is_deleted_when(set, "whenScaled")) {
        return writes;
    }
    for (const json::Value& claim_template : templates_of(set)) {
        const json::Value metadata = json::Object{{"ownerReferences", owner_references(pod)}};
        writes.push_back(
            {.verb = Write::Verb::Patch,
             .name = claim_name(set, claim_template, ordinal),
             .body = json::Object{{"metadata", metadata}},
             .kind = std::string(kClaim)}
        );
    }
    return writes;
}

}  // namespace sluice::sim
