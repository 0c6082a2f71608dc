#include "controller/commands/dev/dev_options.hpp"

#include "base/printable.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace sluice::commands {

void print_refused(const Manifest& manifest, const Error& error) {
    fmt::print(
        stderr,
        "error: {}: {}\n",
        printable(describe(manifest.place(), manifest.object)),
        printable(error.detail)
    );
}

int cannot_start(const Error& error) {
    constexpr int kCannotStart = 2;
    fmt::print(stderr, "error: {}\n", error.detail);
    return kCannotStart;
}

std::string check_number(const std::string& text, std::int64_t most) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    const bool is_good = error == std::errc() && at == end && number >= 0 && number <= most;
    return is_good ? std::string()
                   : fmt::format("\"{}\" is not a number from 0 to {}", printable(text), most);
}

std::string dev_server_url(std::uint16_t port) {
    return fmt::format("https://127.0.0.1:{}", port);
}

std::vector<std::string> next_dev_commands(const DevOptions& options) {
    return {
        "export KUBECONFIG=" + std::filesystem::absolute(options.kubeconfig).string(),
        options.is_server_only ? "kubectl get namespaces,nodes"
                               : "kubectl get clusterqueues,workloads,jobs,pods -A"
    };
}

void print_dev_start(const DevOptions& options, std::uint16_t port, const std::string& end) {
    fmt::print("sluice dev runs on {}\n\n", dev_server_url(port));
    for (const std::string& command : next_dev_commands(options)) {
        fmt::print("    {}\n", command);
    }
    fmt::print("\n{}\n", end);
    std::fflush(stdout);
}

}  // namespace sluice::commands
