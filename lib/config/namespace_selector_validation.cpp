#include "config/namespace_selector_validation.hpp"

#include "api/meta/label_selector.hpp"

#include <fmt/core.h>

#include <string>

namespace sluice::config {

void check_namespace_selector(Problems& out, const Configuration& configuration) {
    constexpr std::string_view kPath = "managedJobsNamespaceSelector";
    const auto selector = api::Selector::make(configuration.managed_jobs_namespace_selector);
    if (!selector) {
        out.add(kPath, selector.error().detail);
        return;
    }
    // Other labels of these namespaces are not known here.
    for (const auto& name : {std::string("kube-system"), configuration.namespace_}) {
        if (selector->matches({{"kubernetes.io/metadata.name", name}})) {
            out.add(kPath, fmt::format("should not match the \"{}\" namespace", name));
        }
    }
}

}  // namespace sluice::config
