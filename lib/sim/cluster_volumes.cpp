#include "api/quantity.hpp"
#include "apiserver/field_checks.hpp"
#include "sim/cluster.hpp"
#include "sim/fields.hpp"
#include "sim/owned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// Which volume a claim gets, as the controller of volumes does: one that is there.
namespace sluice::sim {

namespace {

constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";

std::optional<api::Quantity> storage_of(const json::Value* amount) {
    if (amount == nullptr) {
        return std::nullopt;
    }
    const auto read =
        api::Quantity::parse(amount->is_string() ? amount->as_string() : json::print(*amount));
    return read ? std::optional(*read) : std::nullopt;
}

bool has_modes(const json::Value& volume, const json::Value& claim) {
    const json::Array& modes = list_at(volume, {"spec", "accessModes"});
    return std::ranges::all_of(
        list_at(claim, {"spec", "accessModes"}),
        [&modes](const json::Value& mode) { return std::ranges::find(modes, mode) != modes.end(); }
    );
}

/// Whether the volume is free for the claim: of its class, its modes, its labels and its size.
bool suits_claim(const json::Value& volume, const json::Value& claim) {
    // Its user may have kept it for a claim, which then has no uid there yet.
    const json::Value* kept = volume.find_path({"spec", "claimRef"});
    const bool is_others =
        kept != nullptr &&
        (!kept->string_at("uid").empty() || kept->string_at("name") != name_of(claim) ||
         kept->string_at("namespace") != text_at(claim, {"metadata", "namespace"}));
    if (is_others || is_deleted(volume)) {
        return false;
    }
    const std::string_view wanted = text_at(claim, {"spec", "volumeName"});
    if (!wanted.empty() && wanted != name_of(volume)) {
        return false;
    }
    for (const char* const name : {"storageClassName", "volumeMode", "volumeAttributesClassName"}) {
        if (text_at(volume, {"spec", name}) != text_at(claim, {"spec", name})) {
            return false;
        }
    }
    const json::Value* selector = claim.find_path({"spec", "selector"});
    const bool is_selected = selector == nullptr ||
                             apiserver::selects(selector, volume.find_path({"metadata", "labels"}));
    const auto size = storage_of(volume.find_path({"spec", "capacity", "storage"}));
    const auto asked = storage_of(claim.find_path({"spec", "resources", "requests", "storage"}));
    return is_selected && has_modes(volume, claim) && size && asked && *size >= *asked;
}

}  // namespace

void SimulatedCluster::bind_volumes(Time now) {
    const auto& store = server_.state().store;
    const apiserver::Collection claims{"", "persistentvolumeclaims"};
    const apiserver::Collection volumes{"", "persistentvolumes"};
    const apiserver::Store::Objects all_volumes = store.objects(volumes);
    for (const auto& [name, volume] : all_volumes) {
        const std::string_view phase = text_at(*volume, {"status", "phase"});
        const json::Value* claim_ref = volume->find_path({"spec", "claimRef"});
        std::string_view right = phase;
        if (claim_ref == nullptr || claim_ref->string_at("uid").empty()) {
            right = "Available";
        } else {
            const apiserver::Snapshot claim = store.find(
                claims,
                {std::string(claim_ref->string_at("namespace")),
                 std::string(claim_ref->string_at("name"))}
            );
            const bool is_there =
                claim && text_at(*claim, {"metadata", "uid"}) == claim_ref->string_at("uid");
            right = is_there ? "Bound" : "Released";
        }
        if (right != phase) {
            writer_.set_phase(fmt::format("/api/v1/persistentvolumes/{}", name.name), right, now);
        }
    }
    const apiserver::Store::Objects all_claims = store.objects(claims);
    for (const auto& [name, claim] : all_claims) {
        if (text_at(*claim, {"status", "phase"}) == "Pending" && !is_deleted(*claim)) {
            bind_claim(*claim, now);
        }
    }
}

void SimulatedCluster::bind_claim(const json::Value& claim, Time now) {
    apiserver::Snapshot best;
    api::Quantity best_size;
    for (const auto& [name, volume] : server_.state().store.objects({"", "persistentvolumes"})) {
        if (!suits_claim(*volume, claim)) {
            continue;
        }
        const api::Quantity size =
            storage_of(volume->find_path({"spec", "capacity", "storage"})).value_or(best_size);
        if (!best || size < best_size) {
            best = volume;
            best_size = size;
        }
    }
    if (!best) {
        return;
    }
    const std::string ns(text_at(claim, {"metadata", "namespace"}));
    const std::string volume_path = fmt::format("/api/v1/persistentvolumes/{}", name_of(*best));
    const std::string claim_path =
        fmt::format("/api/v1/namespaces/{}/persistentvolumeclaims/{}", ns, name_of(claim));
    const json::Value reference = json::Object{
        {"apiVersion", "v1"},
        {"kind", "PersistentVolumeClaim"},
        {"namespace", ns},
        {"name", name_of(claim)},
        {"uid", text_at(claim, {"metadata", "uid"})}
    };
    const json::Value by_us = json::Object{{std::string(kBoundByController), "yes"}};
    const auto done = writer_.patch(
        volume_path,
        json::Object{
            {"metadata", json::Object{{"annotations", by_us}}},
            {"spec", json::Object{{"claimRef", reference}}}
        },
        now
    );
    if (done.status >= 300) {
        return;
    }
    writer_.set_phase(volume_path, "Bound", now);
    json::Value notes = by_us;
    notes.set(kBindCompleted, "yes");
    writer_.patch(
        claim_path,
        json::Object{
            {"metadata", json::Object{{"annotations", std::move(notes)}}},
            {"spec", json::Object{{"volumeName", name_of(*best)}}}
        },
        now
    );
    const json::Value status = json::Object{
        {"phase", "Bound"},
        {"accessModes", list_at(*best, {"spec", "accessModes"})},
        {"capacity", *best->find_path({"spec", "capacity"})}
    };
    writer_.patch(claim_path + "/status", json::Object{{"status", status}}, now);
}

}  // namespace sluice::sim
