#include "apiserver/probe_validation.hpp"

#include "api/names.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

void check_port_or_name(Causes& causes, const std::string& field, const Value& port) {
    if (port.is_string()) {
        add_problems(causes, field, port, find_port_name_problems(port.as_string()));
    } else {
        check_port(causes, field, port.is_int() ? port.as_int() : 0);
    }
}

void check_http(Causes& causes, const std::string& path, const Value& handler) {
    if (handler.string_at("path").empty()) {
        causes.push_back(required_value(path + ".path"));
    }
    check_port_or_name(causes, path + ".port", member_or_null(handler, "port"));
    check_one_of(causes, path, handler, "scheme", {"HTTP", "HTTPS"});
    for (const Value& header : items_of(handler.find("httpHeaders"))) {
        const std::string_view name = header.string_at("name");
        const bool is_valid = !name.empty() && std::ranges::all_of(name, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '-';
        });
        if (!is_valid) {
            causes.push_back(invalid_value(
                path + ".httpHeaders",
                name,
                api::pattern_problem(
                    "a valid HTTP header must consist of alphanumeric characters or '-'",
                    "[-A-Za-z0-9]+",
                    {"X-Header-Name"}
                )
            ));
        }
    }
}

void check_one_handler(
    Causes& causes,
    const std::string& path,
    std::string_view name,
    const Value& handler,
    std::int64_t grace_seconds
) {
    if (name == "exec" && items_of(handler.find("command")).empty()) {
        causes.push_back(required_value(path + ".command"));
    } else if (name == "httpGet") {
        check_http(causes, path, handler);
    } else if (name == "tcpSocket" || name == "grpc") {
        check_port_or_name(causes, path + ".port", member_or_null(handler, "port"));
    } else if (name == "sleep") {
        const std::int64_t seconds = int_at(handler, "seconds", 0);
        if (seconds < 0 || seconds > grace_seconds) {
            causes.push_back(invalid_value(
                path,
                seconds,
                fmt::format(
                    "must be non-negative and less than terminationGracePeriodSeconds ({})",
                    grace_seconds
                )
            ));
        }
    }
}

/// What is done: one thing.
void check_handler(
    Causes& causes, const std::string& path, const Value& action, std::int64_t grace_seconds
) {
    std::size_t count = 0;
    for (const char* const name : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
        const Value* handler = action.find(name);
        if (handler == nullptr || !handler->is_object()) {
            continue;
        }
        const std::string field = fmt::format("{}.{}", path, name);
        if (++count > 1) {
            causes.push_back(forbidden(field, "may not specify more than 1 handler type"));
        } else {
            check_one_handler(causes, field, name, *handler, grace_seconds);
        }
    }
    if (count == 0) {
        causes.push_back(required_value(path, "must specify a handler type"));
    }
}

void check_probe(Causes& causes, const std::string& path, const Value& probe) {
    check_handler(causes, path, probe, 0);
    for (const char* const name :
         {"initialDelaySeconds",
          "timeoutSeconds",
          "periodSeconds",
          "successThreshold",
          "failureThreshold"}) {
        check_not_negative(causes, path, probe, name);
    }
    const Value* grace = probe.find("terminationGracePeriodSeconds");
    if (grace != nullptr && grace->is_int() && grace->as_int() <= 0) {
        causes.push_back(
            invalid_value(path + ".terminationGracePeriodSeconds", *grace, "must be greater than 0")
        );
    }
}

}  // namespace

void check_probes(
    Causes& causes, const std::string& path, const Value& container, std::int64_t grace_seconds
) {
    if (const Value* lifecycle = container.find("lifecycle")) {
        for (const char* const name : {"postStart", "preStop"}) {
            const Value* action = lifecycle->find(name);
            if (action != nullptr && action->is_object()) {
                const std::string field = fmt::format("{}.lifecycle.{}", path, name);
                check_handler(causes, field, *action, grace_seconds);
            }
        }
    }
    for (const std::string_view name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
        const Value* probe = container.find(name);
        if (probe == nullptr || !probe->is_object()) {
            continue;
        }
        const std::string field = fmt::format("{}.{}", path, name);
        check_probe(causes, field, *probe);
        const Value* grace = probe->find("terminationGracePeriodSeconds");
        if (name == "readinessProbe" && grace != nullptr && !grace->is_null()) {
            causes.push_back(invalid_value(
                field + ".terminationGracePeriodSeconds",
                *grace,
                "must not be set for readinessProbes"
            ));
        }
        const std::int64_t successes = int_at(*probe, "successThreshold", 1);
        if (name != "readinessProbe" && successes != 1) {
            causes.push_back(invalid_value(field + ".successThreshold", successes, "must be 1"));
        }
    }
}

void check_no_probes(Causes& causes, const std::string& path, const Value& container) {
    for (const char* const name :
         {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
        if (const Value* said = container.find(name); said != nullptr && said->is_object()) {
            causes.push_back(forbidden(
                fmt::format("{}.{}", path, name),
                "may not be set for init containers without restartPolicy=Always"
            ));
        }
    }
}

}  // namespace sluice::apiserver
