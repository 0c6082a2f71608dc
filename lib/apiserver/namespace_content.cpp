#include "apiserver/namespace_content.hpp"

#include "api/micro_time.hpp"

namespace sluice::apiserver {

void furnish_namespace(State& state, const std::string& ns, Time now) {
    const Collection accounts{"", "serviceaccounts"};
    const ObjectName name{ns, "default"};
    if (state.store.find(accounts, name)) {
        return;
    }
    state.store.put(
        accounts,
        name,
        json::Object{
            {"kind", "ServiceAccount"},
            {"apiVersion", "v1"},
            {"metadata",
             json::Object{
                 {"name", name.name},
                 {"namespace", ns},
                 {"uid", state.new_uid()},
                 {"creationTimestamp", api::to_string(now)}
             }}
        }
    );
}

}  // namespace sluice::apiserver
