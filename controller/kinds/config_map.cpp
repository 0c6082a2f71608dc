#include "api/core/config_map.hpp"

#include "api/kueue/sluice_names.hpp"
#include "controller/kinds/builtin_kinds.hpp"

namespace sluice::controller {

KindEntry job_kinds_config_map_kind(const std::string& ns) {
    KindEntry entry = make_entry<api::ConfigMap>(Presence::Optional);
    entry.label_selector = std::string(api::label::kJobKinds) + "=true";
    entry.namespace_ = ns;
    return entry;
}

}  // namespace sluice::controller
