#pragma once

#include "json/value.hpp"

#include <string>
#include <string_view>

/// Status objects by which an API server refuses a request (metav1.Status).
namespace sluice::test {

/// Returns the body of a refusal.
inline std::string print_status(int code, std::string_view reason, std::string_view message) {
    return json::print(json::Object{
        {"kind", "Status"},
        {"apiVersion", "v1"},
        {"metadata", json::Object()},
        {"status", "Failure"},
        {"message", message},
        {"reason", reason},
        {"code", code},
    });
}

}  // namespace sluice::test
