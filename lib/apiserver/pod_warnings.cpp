#include "apiserver/pod_warnings.hpp"

#include "api/quantity.hpp"
#include "apiserver/field_checks.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;
using Warnings = std::vector<std::string>;

constexpr const char* kRequiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kNullSelector = "a null labelSelector results in matching no pod";

/// More tell a person nothing.
constexpr std::size_t kWarningsMax = 64;

/// Labels of nodes that have other names now, and what is said of them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOldNodeLabels{{
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"},
}};

/// "" for a label that is as good as any.
std::string_view find_old_label(std::string_view label) {
    const auto* found = std::ranges::find(
        kOldNodeLabels, label, &std::pair<std::string_view, std::string_view>::first
    );
    return found == kOldNodeLabels.end() ? std::string_view() : found->second;
}

void visit_items(
    const std::string& path,
    const Value* list,
    const std::function<void(const std::string& path, const Value& item)>& visit
) {
    const auto& items = items_of(list);
    for (std::size_t i = 0; i < items.size(); ++i) {
        visit(fmt::format("{}[{}]", path, i), items[i]);
    }
}

/// The warnings of one pod's spec, in the order in which the API server gives them.
class PodWarnings {
  public:
    explicit PodWarnings(std::string path) : path_(std::move(path)) {}

    Warnings find(const Value& spec) {
        find_old_labels(spec);
        find_spread(spec.find("topologySpreadConstraints"));
        find_old_volumes(spec.find("volumes"));
        find_repeats("hostAliases", "ip", spec);
        find_repeats("imagePullSecrets", "name", spec);
        visit_items(
            path_ + ".imagePullSecrets",
            spec.find("imagePullSecrets"),
            [&](auto& at, auto& secret) {
                if (secret.string_at("name").empty()) {
                    add("{}.name: invalid empty name \"\"", at);
                }
            }
        );
        visit_containers(spec, [&](const std::string& at, const Value& container) {
            find_fractions(at, container);
            find_hidden_variables(at, container);
        });
        visit_containers(spec, [&](const std::string& at, const Value& container) {
            find_repeated_ports(at, container);
        });
        visit_containers(spec, [&](const std::string& at, const Value& container) {
            find_repeated_port_names(at, container);
        });
        if (int_at(spec, "terminationGracePeriodSeconds", 0) < 0) {
            add("{}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and "
                "will be treated as 1",
                path_);
        }
        for (const auto* kind : {"podAffinity", "podAntiAffinity"}) {
            find_null_selectors(kind, spec);
        }
        return std::move(warnings_);
    }

  private:
    template <class... Parts>
    void add(fmt::format_string<const Parts&...> form, const Parts&... parts) {
        if (warnings_.size() < kWarningsMax) {
            warnings_.push_back(fmt::format(form, parts...));
        }
    }

    void visit_containers(
        const Value& spec,
        const std::function<void(const std::string& path, const Value& container)>& visit
    ) const {
        for (const auto* list : {"initContainers", "containers", "ephemeralContainers"}) {
            visit_items(fmt::format("{}.{}", path_, list), spec.find(list), visit);
        }
    }

    void find_old_labels(const Value& spec) {
        for (const json::Member* label : sorted_members(spec.find("nodeSelector"))) {
            if (const auto said = find_old_label(label->first); !said.empty()) {
                add("{}.nodeSelector[{}]: {}", path_, label->first, said);
            }
        }
        const Value* affinity = spec.find_path({"affinity", "nodeAffinity"});
        if (affinity == nullptr || !affinity->is_object()) {
            return;
        }
        const std::string here = path_ + ".affinity.nodeAffinity.";
        visit_items(
            fmt::format("{}{}.nodeSelectorTerms", here, kRequiredTerms),
            affinity->find_path({kRequiredTerms, "nodeSelectorTerms"}),
            [&](const std::string& at, const Value& term) { find_old_keys(at, term); }
        );
        visit_items(
            here + kPreferredTerms,
            affinity->find(kPreferredTerms),
            [&](const std::string& at, const Value& term) {
                find_old_keys(at + ".preference", member_or_null(term, "preference"));
            }
        );
    }

    void find_old_keys(const std::string& path, const Value& term) {
        visit_items(
            path + ".matchExpressions",
            term.find("matchExpressions"),
            [&](const std::string& at, const Value& requirement) {
                const std::string_view key = requirement.string_at("key");
                if (const auto said = find_old_label(key); !said.empty()) {
                    add("{}.key: {} is {}", at, key, said);
                }
            }
        );
    }

    void find_spread(const Value* constraints) {
        visit_items(
            path_ + ".topologySpreadConstraints",
            constraints,
            [&](const std::string& at, const Value& constraint) {
                const std::string_view key = constraint.string_at("topologyKey");
                if (const auto said = find_old_label(key); !said.empty()) {
                    add("{}.topologyKey: {} is {}", at, key, said);
                }
                if (constraint.find("labelSelector") == nullptr) {
                    add("{}.labelSelector: {}", at, kNullSelector);
                }
            }
        );
    }

    void find_old_volumes(const Value* volumes) {
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOld{{
            {"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
            {"gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
            {"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
            {"flocker", "deprecated in v1.22, non-functional in v1.25+"},
            {"storageos", "deprecated in v1.22, non-functional in v1.25+"},
            {"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
            {"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
            {"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
            {"rbd", "deprecated in v1.28, non-functional in v1.31+"},
        }};
        visit_items(path_ + ".volumes", volumes, [&](const std::string& at, const Value& volume) {
            for (const auto& [kind, said] : kOld) {
                if (volume.find(kind) != nullptr) {
                    add("{}.{}: {}", at, kind == "storageos" ? "storageOS" : kind, said);
                }
            }
        });
    }

    void find_repeats(std::string_view list, std::string_view member, const Value& spec) {
        std::set<std::string_view> seen;
        visit_items(
            fmt::format("{}.{}", path_, list),
            spec.find(list),
            [&](const std::string& at, const Value& item) {
                if (!seen.insert(item.string_at(member)).second) {
                    add("{}.{}: duplicate {} \"{}\"", at, member, member, item.string_at(member));
                }
            }
        );
    }

    void find_fractions(const std::string& path, const Value& container) {
        for (const auto* resource : {"memory", "ephemeral-storage"}) {
            for (const auto* list : {"limits", "requests"}) {
                const Value* amount = container.find_path({"resources", list, resource});
                const auto quantity = amount != nullptr && amount->is_string()
                                          ? api::Quantity::parse(amount->as_string())
                                          : Result<api::Quantity>(make_invalid(""));
                constexpr int kBillion = 1'000'000'000;
                if (quantity && quantity->billionths() % kBillion != 0) {
                    add("{}.resources.{}[{}]: fractional byte value \"{}\" is invalid, must be an "
                        "integer",
                        path,
                        list,
                        resource,
                        amount->as_string());
                }
            }
        }
    }

    /// A variable that is set again keeps what it was only where its new value names it.
    void find_hidden_variables(const std::string& path, const Value& container) {
        std::set<std::string_view> seen;
        visit_items(
            path + ".env",
            container.find("env"),
            [&](const std::string& at, const Value& variable) {
                const std::string_view name = variable.string_at("name");
                const std::string_view value = variable.string_at("value");
                const std::string reference = fmt::format("$({})", name);
                const bool keeps = variable.find("valueFrom") == nullptr && value != reference &&
                                   value.find(reference) != std::string_view::npos;
                if (!seen.insert(name).second && !keeps) {
                    add("{}: hides previous definition of \"{}\", which may be dropped when using "
                        "apply",
                        at,
                        name);
                }
            }
        );
    }

    struct Port {
        std::string path;
        std::string address;
        std::int64_t host_port = 0;
    };

    void find_repeated_ports(const std::string& path, const Value& container) {
        visit_items(
            path + ".ports",
            container.find("ports"),
            [&](const std::string& at, const Value& given) {
                const Port port{
                    .path = at,
                    .address = std::string(given.string_at("hostIP")),
                    .host_port = int_at(given, "hostPort", 0)
                };
                auto& others = ports_[{
                    int_at(given, "containerPort", 0), std::string(given.string_at("protocol"))
                }];
                for (const Port& other : others) {
                    if (warnings_.size() == kWarningsMax) {
                        return;
                    }
                    compare_ports(port, other);
                }
                others.push_back(port);
            }
        );
    }

    void compare_ports(const Port& port, const Port& other) {
        if (port.address == other.address && port.host_port == other.host_port) {
            add("{}: duplicate port definition with {}", port.path, other.path);
        } else if (port.host_port == 0 || other.host_port == 0) {
            add("{}: overlapping port definition with {}", port.path, other.path);
        } else if (port.host_port == other.host_port &&
                   port.address.empty() != other.address.empty()) {
            add("{}: dangerously ambiguous port definition with {}", port.path, other.path);
        }
    }

    void find_repeated_port_names(const std::string& path, const Value& container) {
        visit_items(
            path + ".ports",
            container.find("ports"),
            [&](const std::string& at, const Value& port) {
                const std::string name(port.string_at("name"));
                const auto [first, is_new] = port_names_.emplace(name, at);
                if (!name.empty() && !is_new) {
                    add("{}: duplicate port name \"{}\" with {}, services and probes that select "
                        "ports by name will use {}",
                        at,
                        name,
                        first->second,
                        first->second);
                }
            }
        );
    }

    void find_null_selectors(std::string_view kind, const Value& spec) {
        const Value* affinity = spec.find_path({"affinity", kind});
        if (affinity == nullptr || !affinity->is_object()) {
            return;
        }
        const std::string here = fmt::format("{}.affinity.{}.", path_, kind);
        visit_items(
            here + kRequiredTerms,
            affinity->find(kRequiredTerms),
            [&](const std::string& at, const Value& term) {
                if (term.find("labelSelector") == nullptr) {
                    add("{}.labelSelector: {}", at, kNullSelector);
                }
            }
        );
        visit_items(
            here + kPreferredTerms,
            affinity->find(kPreferredTerms),
            [&](const std::string& at, const Value& term) {
                if (term.find_path({"podAffinityTerm", "labelSelector"}) == nullptr) {
                    add("{}.podAffinityTerm.labelSelector: {}", at, kNullSelector);
                }
            }
        );
    }

    std::string path_;
    Warnings warnings_;
    std::map<std::pair<std::int64_t, std::string>, std::vector<Port>> ports_;
    std::map<std::string, std::string> port_names_;
};

/// Where a kind has its pods; "": it is not looked at.
std::string find_template_path(std::string_view group, std::string_view kind) {
    if ((group == "apps" && kind != "ControllerRevision") || (group == "batch" && kind == "Job")) {
        return "spec.template.spec";
    }
    if (group == "batch" && kind == "CronJob") {
        return "spec.jobTemplate.spec.template.spec";
    }
    if (group.empty() && kind == "ReplicationController") {
        return "spec.template.spec";
    }
    if (group.empty() && kind == "PodTemplate") {
        return "template.spec";
    }
    return group.empty() && kind == "Pod" ? "spec" : "";
}

const Value* find_at(const Value& object, std::string_view path) {
    const Value* found = &object;
    while (found != nullptr && !path.empty()) {
        const std::size_t dot = path.find('.');
        found = found->is_object() ? found->find(path.substr(0, dot)) : nullptr;
        path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    }
    return found;
}

}  // namespace

void add_pod_warnings(
    const ResourceType& type, const Value& object, const Value* old_object, Warnings& warnings
) {
    const std::string path = type.is_custom ? "" : find_template_path(type.group, type.kind);
    const Value* spec = path.empty() ? nullptr : find_at(object, path);
    const bool is_update = old_object != nullptr;
    if (spec == nullptr || !spec->is_object() || (is_update && path == "spec")) {
        return;
    }
    if (is_update && member_or_null(object, "spec") == member_or_null(*old_object, "spec") &&
        member_or_null(object, "template") == member_or_null(*old_object, "template")) {
        return;
    }
    std::ranges::move(PodWarnings(path).find(*spec), std::back_inserter(warnings));
}

}  // namespace sluice::apiserver
