#include "apiserver/admission/limit_ranges.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/rules/pod_resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using api::Quantity;
using api::ResourceList;
using json::Value;

std::vector<Value> limits_in(const State& state, std::string_view ns) {
    std::vector<Value> limits;
    const auto& ranges = state.store.objects({"", "limitranges"});
    const std::string space(ns);
    for (auto at = ranges.lower_bound({space, ""}); at != ranges.end() && at->first.ns == space;
         ++at) {
        for (const Value& limit : items_of(at->second->find_path({"spec", "limits"}))) {
            limits.push_back(limit);
        }
    }
    return limits;
}

/// Sets the missing requests or limits of a container; returns the names that were missing.
std::vector<std::string> fill_amounts(Value& container, const char* side, const Value* defaults) {
    std::vector<std::string> filled;
    for (const json::Member* entry : sorted_members(defaults)) {
        const auto& [name, amount] = *entry;
        if (container.find_path({"resources", side, name}) == nullptr) {
            object_at(object_at(container, "resources"), side).set(name, amount);
            filled.push_back(name);
        }
    }
    return filled;
}

void fill_container(
    Value& container,
    std::string_view kind,
    const std::vector<Value>& limits,
    std::vector<std::string>& notes
) {
    std::vector<std::string> requests;
    std::vector<std::string> bounds;
    for (const Value& limit : limits) {
        if (limit.string_at("type") == "Container") {
            std::ranges::copy(
                fill_amounts(container, "limits", limit.find("default")), std::back_inserter(bounds)
            );
            std::ranges::copy(
                fill_amounts(container, "requests", limit.find("defaultRequest")),
                std::back_inserter(requests)
            );
        }
    }
    const auto note = [&](const std::vector<std::string>& names, std::string_view side) {
        if (!names.empty()) {
            notes.push_back(fmt::format(
                "{} {} for {} {}", fmt::join(names, ", "), side, kind, container.string_at("name")
            ));
        }
    };
    note(requests, "request");
    note(bounds, "limit");
}

std::optional<Quantity> find_amount(const ResourceList& amounts, const std::string& name) {
    const auto found = amounts.find(name);
    return found == amounts.end() ? std::nullopt : std::optional(found->second);
}

/// Checks the resources of one container, pod or claim against one limit.
class Check {
  public:
    Check(const Value& limit, ResourceList requests, ResourceList limits)
        : limit_(limit),
          kind_(limit.string_at("type")),
          requests_(std::move(requests)),
          limits_(std::move(limits)) {}

    std::vector<std::string> run(bool has_limits) {
        for (const auto& [name, least] : read_amounts(limit_.find("min"))) {
            check_least(name, least);
        }
        for (const auto& [name, most] : read_amounts(limit_.find("max"))) {
            has_limits ? check_most(name, most) : check_most_request(name, most);
        }
        for (const auto& [name, ratio] : read_amounts(limit_.find("maxLimitRequestRatio"))) {
            check_ratio(name, ratio);
        }
        return std::move(faults_);
    }

  private:
    void say(
        std::string_view bound,
        const std::string& name,
        const Quantity& amount,
        std::string_view what
    ) {
        faults_.push_back(
            fmt::format("{} {} usage per {} is {}{}", bound, name, kind_, amount.to_string(), what)
        );
    }

    void check_least(const std::string& name, const Quantity& least) {
        const auto request = find_amount(requests_, name);
        const auto limit = find_amount(limits_, name);
        if (!request) {
            say("minimum", name, least, ".  No request is specified");
        } else if (*request < least) {
            say("minimum", name, least, ", but request is " + request->to_string());
        } else if (limit && *limit < least) {
            say("minimum", name, least, ", but limit is " + limit->to_string());
        }
    }

    void check_most(const std::string& name, const Quantity& most) {
        const auto request = find_amount(requests_, name);
        const auto limit = find_amount(limits_, name);
        if (!limit) {
            say("maximum", name, most, ".  No limit is specified");
        } else if (*limit > most) {
            say("maximum", name, most, ", but limit is " + limit->to_string());
        } else if (request && *request > most) {
            say("maximum", name, most, ", but request is " + request->to_string());
        }
    }

    void check_most_request(const std::string& name, const Quantity& most) {
        const auto request = find_amount(requests_, name);
        if (!request) {
            say("maximum", name, most, ".  No request is specified");
        } else if (*request > most) {
            say("maximum", name, most, ", but request is " + request->to_string());
        }
    }

    void check_ratio(const std::string& name, const Quantity& ratio) {
        const auto request = find_amount(requests_, name);
        const auto limit = find_amount(limits_, name);
        const auto say_ratio = [&](std::string_view what) {
            faults_.push_back(fmt::format(
                "{} max limit to request ratio per {} is {}, but {}",
                name,
                kind_,
                ratio.to_string(),
                what
            ));
        };
        if (!request || request->is_zero()) {
            say_ratio("no request is specified or request is 0");
        } else if (!limit || limit->is_zero()) {
            say_ratio("no limit is specified or limit is 0");
        } else if (const double given = limit->as_double() / request->as_double();
                   given > ratio.as_double()) {
            say_ratio(fmt::format("provided ratio is {:.6f}", given));
        }
    }

    const Value& limit_;
    std::string kind_;
    ResourceList requests_;
    ResourceList limits_;
    std::vector<std::string> faults_;
};

void check_pod_limit(const Value& limit, const Value& pod, std::vector<std::string>& faults) {
    const auto run = [&](ResourceList requests, ResourceList limits) {
        std::ranges::move(
            Check(limit, std::move(requests), std::move(limits)).run(true),
            std::back_inserter(faults)
        );
    };
    if (limit.string_at("type") == "Pod") {
        run(pod_amounts(pod, "requests"), pod_amounts(pod, "limits"));
    } else if (limit.string_at("type") == "Container") {
        for (const char* list : {"containers", "initContainers"}) {
            for (const Value& each : items_of(pod.find_path({"spec", list}))) {
                run(read_amounts(each.find_path({"resources", "requests"})),
                    read_amounts(each.find_path({"resources", "limits"})));
            }
        }
    }
}

}  // namespace

void apply_limit_ranges(const State& state, Value& pod) {
    const std::vector<Value> limits =
        limits_in(state, pod.find("metadata")->string_at("namespace"));
    if (limits.empty()) {
        return;
    }
    std::vector<std::string> notes;
    Value& spec = object_at(pod, "spec");
    for (const auto& [list, kind] :
         {std::pair{"containers", "container"}, {"initContainers", "init container"}}) {
        if (Value* containers = spec.find(list); containers != nullptr && containers->is_array()) {
            for (Value& container : containers->as_array()) {
                fill_container(container, kind, limits, notes);
            }
        }
    }
    if (!notes.empty()) {
        object_at(object_at(pod, "metadata"), "annotations")
            .set(
                "kubernetes.io/limit-ranger",
                fmt::format("LimitRanger plugin set: {}", fmt::join(notes, "; "))
            );
    }
}

Result<void> check_limit_ranges(const State& state, const ResourceType& type, const Value& object) {
    std::vector<std::string> faults;
    for (const Value& limit : limits_in(state, object.find("metadata")->string_at("namespace"))) {
        if (type.kind == "Pod") {
            check_pod_limit(limit, object, faults);
        } else if (limit.string_at("type") == "PersistentVolumeClaim") {
            std::ranges::move(
                Check(limit, read_amounts(object.find_path({"spec", "resources", "requests"})), {})
                    .run(false),
                std::back_inserter(faults)
            );
        }
    }
    if (faults.empty()) {
        return {};
    }
    return forbidden(
        type,
        object.find("metadata")->string_at("name"),
        faults.size() == 1 ? faults.front() : fmt::format("[{}]", fmt::join(faults, ", "))
    );
}

}  // namespace sluice::apiserver
