#include "api/core/effective_requests.hpp"
#include "api/meta/names.hpp"
#include "api/meta/quantity.hpp"
#include "apiserver/objects/cause.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/rules/pod_resources.hpp"
#include "apiserver/rules/pod_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace sluice::apiserver {
namespace {

using json::Value;

bool is_standard_resource(std::string_view name) {
    return name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
           name.starts_with("hugepages-");
}

/// Returns true if requests may be lower than limits; extended resources and huge pages cannot be
/// overcommitted.
bool is_overcommitable(std::string_view name) {
    return name.find('/') == std::string_view::npos && !name.starts_with("hugepages-");
}

std::optional<api::Quantity> quantity_of(const Value& value) {
    const auto parsed =
        api::Quantity::parse(value.is_string() ? value.as_string() : json::print(value));
    return parsed ? std::optional(*parsed) : std::nullopt;
}

enum class AmountsOf : std::uint8_t { Container, Pod };

void check_amount(
    Causes& causes,
    const std::string& field,
    const std::string& name,
    const Value& value,
    AmountsOf whose
) {
    check_qualified_name(causes, field, name);
    if (whose == AmountsOf::Pod) {
        if (!api::may_be_pod_level(name)) {
            causes.push_back(
                api::FieldError::not_supported(field, name, {"cpu", "hugepages-", "memory"})
            );
        }
    } else if (name.find('/') == std::string::npos && !is_standard_resource(name)) {
        causes.push_back(
            api::FieldError::invalid(field, name, "must be a standard resource for containers")
        );
    }
    const auto amount = quantity_of(value);
    if (amount && amount->sign() < 0) {
        causes.push_back(
            api::FieldError::invalid(field, value, "must be greater than or equal to 0")
        );
    }
    if (amount && !is_overcommitable(name) && amount->milli_value() % 1000 != 0) {
        causes.push_back(api::FieldError::invalid(field, value, "must be an integer"));
    }
}

void check_resources(
    Causes& causes,
    const std::string& path,
    const Value* resources,
    AmountsOf whose = AmountsOf::Container
) {
    if (resources == nullptr) {
        return;
    }
    const Value* limits = resources->find("limits");
    for (const auto& [name, value] : members_of(limits)) {
        check_amount(causes, fmt::format("{}.limits[{}]", path, name), name, value, whose);
    }
    for (const auto& [name, value] : members_of(resources->find("requests"))) {
        check_amount(causes, fmt::format("{}.requests[{}]", path, name), name, value, whose);
        const Value* limit = limits == nullptr ? nullptr : limits->find(name);
        if (limit == nullptr) {
            if (!is_overcommitable(name)) {
                causes.push_back(api::FieldError::required(
                    path + ".limits", "Limit must be set for non overcommitable resources"
                ));
            }
            continue;
        }
        const auto asked = quantity_of(value);
        const auto most = quantity_of(*limit);
        if (!asked || !most) {
            continue;
        }
        if (!is_overcommitable(name) && *asked != *most) {
            const auto detail =
                fmt::format("must be equal to {} limit of {}", name, most->to_string());
            causes.push_back(api::FieldError::invalid(path + ".requests", value, detail));
        } else if (*asked > *most) {
            const auto detail = fmt::format(
                "must be less than or equal to {} limit of {}", name, most->to_string()
            );
            causes.push_back(api::FieldError::invalid(path + ".requests", value, detail));
        }
    }
}

void check_ports(Causes& causes, const std::string& path, const Value* ports) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < items_of(ports).size(); ++i) {
        const auto& port = items_of(ports)[i];
        const auto here = element_path(path, i);
        const std::string name(port.string_at("name"));
        if (!name.empty()) {
            const auto problems = find_port_name_problems(name);
            add_problems(causes, here + ".name", name, problems);
            if (problems.empty() && !names.insert(name).second) {
                causes.push_back(api::FieldError::duplicate(here + ".name", name));
            }
        }
        const auto number = int_at(port, "containerPort", 0);
        if (number == 0) {
            causes.push_back(api::FieldError::required(here + ".containerPort"));
        } else {
            check_port(causes, here + ".containerPort", number);
        }
        if (const auto host_port = int_at(port, "hostPort", 0); host_port != 0) {
            check_port(causes, here + ".hostPort", host_port);
        }
        check_one_of(causes, here, port, "protocol", {"SCTP", "TCP", "UDP"});
    }
}

void check_mounts(
    Causes& causes, const std::string& path, const Value& container, const Value* volumes
) {
    const Value* mounts = container.find("volumeMounts");
    std::set<std::string> paths;
    for (std::size_t i = 0; i < items_of(mounts).size(); ++i) {
        const auto& mount = items_of(mounts)[i];
        const auto here = element_path(path, i);
        const std::string name(mount.string_at("name"));
        const auto& all = items_of(volumes);
        const bool exists = std::any_of(all.begin(), all.end(), [&](const Value& volume) {
            return volume.string_at("name") == name;
        });
        if (name.empty()) {
            causes.push_back(api::FieldError::required(here + ".name"));
        } else if (!exists) {
            causes.push_back(api::FieldError::not_found(here + ".name", name));
        }
        const std::string target(mount.string_at("mountPath"));
        if (target.empty()) {
            causes.push_back(api::FieldError::required(here + ".mountPath"));
        } else if (!paths.insert(target).second) {
            causes.push_back(api::FieldError::invalid(here + ".mountPath", target, "must be unique")
            );
        }
    }
}

void check_image(Causes& causes, const std::string& path, const Value& container) {
    const auto image = container.string_at("image");
    if (image.empty()) {
        causes.push_back(api::FieldError::required(path + ".image"));
    } else if (image.front() == ' ' || image.back() == ' ') {
        causes.push_back(api::FieldError::invalid(
            path + ".image", image, "must not have leading or trailing whitespace"
        ));
    }
    check_one_of(causes, path, container, "imagePullPolicy", {"Always", "IfNotPresent", "Never"});
    check_one_of(
        causes, path, container, "terminationMessagePolicy", {"File", "FallbackToLogsOnError"}
    );
}

void check_container(
    Causes& causes,
    const std::string& path,
    const Value& container,
    const Value& spec,
    std::set<std::string>& names
) {
    const std::string name(container.string_at("name"));
    if (name.empty()) {
        causes.push_back(api::FieldError::required(path + ".name"));
    } else {
        check_label(causes, path + ".name", name);
        if (!names.insert(name).second) {
            causes.push_back(api::FieldError::duplicate(path + ".name", name));
        }
    }
    check_image(causes, path, container);
    check_ports(causes, path + ".ports", container.find("ports"));
    check_mounts(causes, path + ".volumeMounts", container, spec.find("volumes"));
    check_resources(causes, path + ".resources", container.find("resources"));
}

/// Requires pod-level requests to cover the sum of the containers' requests, and pod-level limits
/// to cover the limit of each container.
void check_pod_sums(Causes& causes, const std::string& path, const Value& spec) {
    const api::PodResources pod = read_pod_resources(spec);
    if (!pod.pod_level) {
        return;
    }
    const api::EffectiveResources& level = *pod.pod_level;
    const api::ResourceList together = api::container_requests(pod);
    for (const auto& [name, amount] : level.requests) {
        const auto sum = together.find(name);
        if (sum != together.end() && amount < sum->second) {
            causes.push_back(api::FieldError::invalid(
                fmt::format("{}.requests[{}]", path, name),
                amount.to_string(),
                fmt::format(
                    "must be greater than or equal to aggregate container requests of {}",
                    sum->second.to_string()
                )
            ));
        }
    }
    for (std::size_t i = 0; i < pod.containers.size(); ++i) {
        for (const auto& [name, amount] : pod.containers[i].limits) {
            const auto most = level.limits.find(name);
            if (most != level.limits.end() && amount > most->second) {
                causes.push_back(api::FieldError::invalid(
                    fmt::format("{}.containers[{}][{}].limits", path, i, name),
                    amount.to_string(),
                    fmt::format(
                        "must be less than or equal to pod limits of {}", most->second.to_string()
                    )
                ));
            }
        }
    }
}

}  // namespace

void check_overhead(Causes& causes, const std::string& path, const Value* overhead) {
    for (const auto& [name, value] : members_of(overhead)) {
        const auto field = fmt::format("{}.limits[{}]", path, name);
        check_amount(causes, field, name, value, AmountsOf::Container);
    }
}

void check_pod_resources(Causes& causes, const std::string& path, const Value& spec) {
    check_overhead(causes, path + ".overhead", spec.find("overhead"));
    const Value* resources = spec.find("resources");
    if (resources == nullptr || !resources->is_object()) {
        return;
    }
    const std::string here = path + ".resources";
    if (resources->find("claims") != nullptr) {
        causes.push_back(api::FieldError::forbidden(
            here + ".claims", "claims cannot be set for Resources at pod-level"
        ));
    }
    check_resources(causes, here, resources, AmountsOf::Pod);
    check_pod_sums(causes, here, spec);
}

void check_containers(Causes& causes, const std::string& path, const Value& spec) {
    std::set<std::string> names;
    const auto& containers = items_of(spec.find("containers"));
    if (containers.empty()) {
        causes.push_back(api::FieldError::required(path + ".containers"));
    }
    for (const std::string list : {"containers", "initContainers"}) {
        const auto& items = items_of(spec.find(list));
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::string here = element_path(fmt::format("{}.{}", path, list), i);
            check_container(causes, here, items[i], spec, names);
            check_one_of(causes, here, items[i], "restartPolicy", {"Always", "Never", "OnFailure"});
        }
    }
}

}  // namespace sluice::apiserver
