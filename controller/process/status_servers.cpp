#include "controller/process/status_servers.hpp"

#include "base/log.hpp"
#include "controller/process/profile_pages.hpp"
#include "controller/process/webhooks/tls_settings.hpp"
#include "metrics/registry.hpp"
#include "net/loop/event_loop.hpp"
#include "serving/path_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace sluice::controller {

namespace {

constexpr Duration kStopGrace = std::chrono::seconds(1);
/// The longest profile, plus time to write it.
constexpr Duration kProfileTimeout = std::chrono::minutes(61);
/// Often enough: a self-made certificate is renewed months before it expires, and one from files as
/// soon as they change.
constexpr Duration kCheckPeriod = std::chrono::minutes(1);
/// The folder in which Kueue's chart mounts the certificate of cert-manager.
constexpr const char* kCertificateFolder = "/etc/kueue/metrics/certs";

/// Clients are the node's kubelet and a few Prometheus servers; they send no bodies.
net::ServerOptions make_limits(const serving::BindAddress& bind) {
    net::ServerOptions options;
    options.address = bind.address;
    options.port = bind.port;
    options.connections_max = 256;
    options.connections_per_peer_max = 64;
    options.header_bytes_max = std::size_t{16} * 1024;
    options.body_bytes_max = 0;
    options.bytes_in_flight_max = std::size_t{256} * 1024 * 1024;
    return options;
}

/// Returns true for "" and "0", which turn a server off.
bool is_off(const std::string& bind_address) {
    return bind_address.empty() || bind_address == "0";
}

std::unique_ptr<serving::CertificateSource> make_source(
    const config::Configuration& configuration, const Clock& clock
) {
    std::error_code none;
    if (!configuration.internal_cert_management.enable &&
        std::filesystem::exists(std::filesystem::path(kCertificateFolder) / "tls.crt", none)) {
        return std::make_unique<serving::FileCertificates>(kCertificateFolder);
    }
    return std::make_unique<serving::SelfMadeCertificates>(
        clock, "kueue-metrics", std::vector<std::string>{"localhost"}
    );
}

/// Adds a probe with one check, at the paths that controller-runtime uses. The name may begin with
/// a slash.
void add_probe(
    serving::PathTable& table,
    std::string_view name,
    std::string_view check,
    const serving::PathTable::MakePage& page
) {
    name.remove_prefix(std::min(name.find_first_not_of('/'), name.size()));
    const std::string path = fmt::format("/{}", name);
    for (const std::string& each : {path, path + "/", fmt::format("{}/{}", path, check)}) {
        table.add_page(each, page);
    }
}

net::ServerResponse make_fine_answer() {
    return {.status = 200, .body = "ok"};
}

/// Liveness fails, too: the webhooks also need the main loop.
net::ServerResponse make_stalled_answer(Duration age) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
    return {
        .status = 500,
        .body = fmt::format("the main loop has not turned for {} seconds\n", seconds),
    };
}

net::ServerResponse make_not_ready_answer() {
    return {.status = 500, .body = "not ready\n"};
}

}  // namespace

StatusServers::StatusServers(
    const Clock& clock,
    const config::Configuration& configuration,
    const Heartbeat& heartbeat,
    PrintMetrics print_metrics,
    std::unique_ptr<kube::Client> reviews
)
    : configuration_(configuration),
      heartbeat_(heartbeat),
      print_metrics_(std::move(print_metrics)),
      thread_("status"),
      reviews_(std::move(reviews)),
      certificates_(make_source(configuration, clock)),
      metrics_(thread_, *certificates_) {
    if (reviews_) {
        access_.emplace(*reviews_, clock);
    }
}

StatusServers::~StatusServers() {
    thread_.join();
}

kube::Async<void> StatusServers::start() {
    if (const auto started = start_health(); !started) {
        co_return with_context(started.error(), "health.healthProbeBindAddress");
    }
    if (const auto started = start_profiles(); !started) {
        co_return with_context(started.error(), "pprofBindAddress");
    }
    const auto started = co_await start_metrics();
    if (!started) {
        co_return with_context(started.error(), "metrics.bindAddress");
    }
    co_return Result<void>();
}

Result<void> StatusServers::start_health() {
    const config::Health& health = configuration_.health;
    if (is_off(health.health_probe_bind_address)) {
        return {};
    }
    const auto bind = serving::parse_bind_address(health.health_probe_bind_address);
    if (!bind) {
        return bind.error();
    }
    auto table = std::make_shared<serving::PathTable>();
    const auto is_alive = [this] { return heartbeat_.is_regular(); };
    add_probe(*table, health.liveness_endpoint_name, "healthz", [this, is_alive] {
        return is_alive() ? make_fine_answer() : make_stalled_answer(heartbeat_.age());
    });
    add_probe(*table, health.readiness_endpoint_name, "readyz", [this, is_alive] {
        return !is_alive()  ? make_stalled_answer(heartbeat_.age())
               : *is_ready_ ? make_fine_answer()
                            : make_not_ready_answer();
    });
    auto options = make_limits(*bind);
    options.tls = false;
    const auto server = thread_.listen(std::move(table), std::move(options));
    if (!server) {
        return server.error();
    }
    health_ = *server;
    return {};
}

Result<void> StatusServers::start_profiles() {
    if (is_off(configuration_.pprof_bind_address)) {
        return {};
    }
    const auto bind = serving::parse_bind_address(configuration_.pprof_bind_address);
    if (!bind) {
        return bind.error();
    }
    auto options = make_limits(*bind);
    options.tls = false;
    options.handle_timeout = kProfileTimeout;
    const auto server = thread_.listen(make_profile_pages(), std::move(options));
    if (!server) {
        return server.error();
    }
    profiles_ = *server;
    return {};
}

kube::Async<void> StatusServers::start_metrics() {
    const std::string& address = configuration_.metrics.bind_address;
    if (is_off(address)) {
        co_return Result<void>();
    }
    const auto bind = serving::parse_bind_address(address);
    if (!bind) {
        co_return bind.error();
    }
    auto table = std::make_shared<serving::PathTable>();
    table->add_page("/metrics", [print = print_metrics_] {
        net::ServerResponse response;
        response.content_type = metrics::kTextContentType;
        response.body = print();
        return response;
    });
    std::shared_ptr<net::HttpHandler> handler = std::move(table);
    if (access_) {
        handler = std::make_shared<serving::AuthorizedHandler>(std::move(handler), *access_);
    }
    auto options = make_limits(*bind);
    apply_tls(options, configuration_.tls);
    const auto started = co_await metrics_.start(std::move(handler), std::move(options));
    co_return started;
}

boost::asio::awaitable<void> StatusServers::keep() {
    while (metrics_.is_serving()) {
        const bool waited = co_await net::pause_for(kCheckPeriod);
        if (!waited) {
            co_return;
        }
        const auto checked = co_await metrics_.check();
        if (!checked) {
            log::warning("metrics server check failed", {{"error", checked.error().detail}});
        }
    }
}

void StatusServers::stop() {
    thread_.stop(kStopGrace);
}

}  // namespace sluice::controller
