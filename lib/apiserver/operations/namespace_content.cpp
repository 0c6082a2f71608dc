#include "apiserver/operations/namespace_content.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/state/deletion_mark.hpp"

#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

const Collection service_accounts{"", "serviceaccounts"};
const Collection maps_collection{"", "configmaps"};
constexpr std::string_view kRootCa = "kube-root-ca.crt";

json::Value begin_object(State& state, std::string_view kind, const ObjectName& name, Time now) {
    return json::Object{
        {"kind", kind},
        {"apiVersion", "v1"},
        {"metadata",
         json::Object{
             {"name", name.name},
             {"namespace", name.ns},
             {"uid", state.new_uid()},
             {"creationTimestamp", api::to_string(now)}
         }}
    };
}

void publish_root_ca(State& state, const std::string& ns, Time now) {
    const ObjectName name{ns, std::string(kRootCa)};
    const json::Value data = json::Object{{"ca.crt", state.root_ca}};
    const Snapshot found = state.store.find(maps_collection, name);
    if (found && found->find("data") != nullptr && *found->find("data") == data) {
        return;
    }
    json::Value map = found ? *found : begin_object(state, "ConfigMap", name, now);
    map.set("data", data);
    json::Value& metadata = *map.find("metadata");
    if (metadata.find("annotations") == nullptr) {
        constexpr std::string_view kAbout =
            "Contains a CA bundle that can be used to verify the kube-apiserver when using "
            "internal endpoints such as the internal service IP or kubernetes.default.svc. No "
            "other usage is guaranteed across distributions of Kubernetes clusters.";
        metadata.set("annotations", json::Object{{"kubernetes.io/description", kAbout}});
    }
    state.store.put(maps_collection, name, std::move(map));
}

}  // namespace

void furnish_namespace(State& state, const std::string& ns, Time now) {
    const ObjectName account{ns, "default"};
    if (!state.store.find(service_accounts, account)) {
        state.store.put(
            service_accounts, account, begin_object(state, "ServiceAccount", account, now)
        );
    }
    if (!state.root_ca.empty()) {
        publish_root_ca(state, ns, now);
    }
}

void restore_furniture(
    State& state, const Collection& collection, const ObjectName& name, Time now
) {
    const bool is_furniture = (collection == service_accounts && name.name == "default") ||
                              (collection == maps_collection && name.name == kRootCa);
    if (!is_furniture) {
        return;
    }
    const Snapshot ns = state.store.find(namespaces_collection, {"", name.ns});
    if (ns && !is_being_deleted(*ns)) {
        furnish_namespace(state, name.ns, now);
    }
}

}  // namespace sluice::apiserver
