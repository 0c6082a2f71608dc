#include "controller/commands/virtual_cluster.hpp"

#include "base/assert.hpp"
#include "controller/commands/cluster_setup.hpp"
#include "controller/commands/process_options.hpp"
#include "net/url.hpp"
#include "sim/node_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace sluice::commands {

namespace {

namespace asio = boost::asio;

constexpr const char* kUser = "sluice-test";
/// Virtual; a controller that finds nothing in its way takes no time at all.
constexpr Duration kReadyMax = std::chrono::minutes(5);
constexpr Duration kAnswerMax = std::chrono::minutes(1);
constexpr Duration kEndMax = std::chrono::minutes(1);

Error make_unavailable(std::string detail) {
    return Error{ErrorCode::Unavailable, std::move(detail), {}};
}

/// The path by which a webhook's clientConfig names it.
std::string find_path(const json::Value& client_config) {
    const std::string url(client_config.string_at("url"));
    if (!url.empty()) {
        const auto server = net::parse_server_url(std::string_view(url).substr(0, url.find('?')));
        return server ? server->path : "";
    }
    const json::Value* service = client_config.find("service");
    return service == nullptr ? "" : std::string(service->string_at("path"));
}

bool is_news(const apiserver::Collection& collection) {
    return collection.plural != "events" && collection.plural != "leases";
}

}  // namespace

VirtualCluster::VirtualCluster(Options options)
    : options_(std::move(options)),
      time_(options_.start),
      loop_(std::make_unique<net::EventLoop>()),
      tasks_(std::make_unique<net::TaskGroup>(loop_->executor(), "cluster")),
      server_(std::make_unique<apiserver::ApiServer>(
          apiserver::ApiServer::Options{.seed = options_.seed}, options_.start
      )),
      cluster_(std::make_unique<sim::SimulatedCluster>(
          *server_,
          sim::SimulatedCluster::Options{
              .run_time = options_.run_time,
              .send = [this](
                          apiserver::Request request, sim::SimulatedCluster::Answered answered
                      ) { tasks_->spawn(send(std::move(request), std::move(answered)), "pod"); },
          }
      )),
      transport_([this](apiserver::WebhookCall call) { return call_webhook(std::move(call)); }),
      changed_(options_.start) {
    server_->state().store.add_observer(
        [this](const apiserver::Collection& collection, const apiserver::LogEntry&) {
            if (is_news(collection)) {
                changed_ = time_.now();
            }
        }
    );
}

VirtualCluster::~VirtualCluster() {
    kill_controller();
}

Result<std::unique_ptr<VirtualCluster>> VirtualCluster::make(Options options) {
    std::unique_ptr<VirtualCluster> cluster(new VirtualCluster(std::move(options)));
    if (const auto done = cluster->set_up(); !done) {
        return done.error();
    }
    return cluster;
}

Result<void> VirtualCluster::set_up() {
    for (const std::string& description : options_.nodes) {
        const auto nodes = sim::make_nodes(description);
        if (!nodes) {
            return with_context(nodes.error(), "--nodes");
        }
        for (const json::Value& node : *nodes) {
            cluster_->add_node(node, now());
        }
    }
    const auto objects = setup_objects();
    if (!objects) {
        return objects.error();
    }
    for (const json::Value& object : *objects) {
        if (const auto done = apply(object); !done) {
            return with_context(done.error(), std::string(object.string_at("kind")));
        }
    }
    return {};
}

Result<void> VirtualCluster::start_controller() {
    SLUICE_ASSERT(process_ == nullptr);
    auto made = make_process_options({
        .config_file = options_.config_file,
        .document = make_configuration(),
        .controllers = "*",
        .feature_gates = options_.config_file.empty() && options_.feature_gates.empty()
                             ? kEmbeddedFeatureGates
                             : options_.feature_gates,
        .in_cluster = true,
        .pod_namespace = kEmbeddedNamespace,
    });
    if (!made) {
        return made.error();
    }
    made->configuration.leader_election.leader_elect = false;
    made->with_servers = false;
    made->with_webhooks = false;
    made->hostname = "virtual";
    made->seed = options_.seed + starts_++;
    is_cut_ = false;
    is_process_over_ = false;
    client_ = std::make_unique<apiserver::InProcessClient>(
        *server_,
        time_,
        apiserver::InProcessClient::Options{
            .executor = loop_->executor(),
            .user_agent = "sluice",
            .webhooks = transport_,
            .fault = [this](const kube::Request& request
                     ) -> std::optional<apiserver::InProcessClient::Fault> {
                if (is_cut_) {
                    return apiserver::InProcessClient::Fault{
                        .error = make_unavailable("the controller was killed")
                    };
                }
                return options_.fault ? options_.fault(request) : std::nullopt;
            },
        }
    );
    process_ =
        std::make_unique<controller::ControllerProcess>(*client_, time_, *loop_, std::move(*made));
    tasks_->spawn(run_process(process_.get(), &is_process_over_), "process");
    const Time end = now() + kReadyMax;
    for (run_ready(); !process_->is_acting(); run_ready()) {
        if (now() >= end || is_process_over_) {
            return Error{ErrorCode::Timeout, "the controller did not become ready", {}};
        }
        move(end);
    }
    return {};
}

asio::awaitable<void> VirtualCluster::run_process(
    controller::ControllerProcess* process, bool* ended
) {
    co_await process->run();
    *ended = true;
}

void VirtualCluster::kill_controller() {
    if (process_ == nullptr) {
        return;
    }
    is_cut_ = true;
    client_->break_watches();
    process_->stop();
    const Time end = now() + kEndMax;
    for (run_ready(); !is_process_over_; run_ready()) {
        SLUICE_ASSERT(now() < end);
        move(end);
    }
    process_.reset();
    client_.reset();
}

asio::awaitable<Result<json::Value>> VirtualCluster::call_webhook(apiserver::WebhookCall call) {
    if (process_ == nullptr || is_cut_) {
        co_return make_unavailable("no controller runs");
    }
    const auto response =
        co_await process_->review(find_path(call.client_config), json::print(call.review));
    if (!response) {
        co_return response.error();
    }
    if (response->status != 200) {
        co_return make_invalid(fmt::format("the server answered with status {}", response->status));
    }
    co_return json::parse(response->body);
}

asio::awaitable<void> VirtualCluster::answer_into(
    apiserver::Request request, std::optional<apiserver::Response>* response
) {
    *response = co_await apiserver::answer(server_.get(), &time_, std::move(request), &transport_);
}

asio::awaitable<void> VirtualCluster::send(
    apiserver::Request request, sim::SimulatedCluster::Answered answered
) {
    const apiserver::Response response =
        co_await apiserver::answer(server_.get(), &time_, std::move(request), &transport_);
    answered(response, now());
}

apiserver::Response VirtualCluster::request(apiserver::Request request) {
    std::optional<apiserver::Response> response;
    tasks_->spawn(answer_into(std::move(request), &response), "request");
    const Time end = now() + kAnswerMax;
    for (loop_->run_ready(); !response; loop_->run_ready()) {
        SLUICE_ASSERT(now() < end);
        move(end);
    }
    return std::move(*response);
}

Result<void> VirtualCluster::apply(const json::Value& object) {
    auto made = make_apply_request(server_->state().types, object, kUser);
    if (!made) {
        return made.error();
    }
    return read_answer(request(std::move(*made)));
}

void VirtualCluster::run_ready() {
    for (;;) {
        while (loop_->run_ready()) {
        }
        const auto next = cluster_->next_time();
        if (!cluster_->has_work() && (!next || *next > now())) {
            return;
        }
        cluster_->run(now());
    }
}

void VirtualCluster::move(Time limit) {
    Time to = limit;
    if (const auto next = cluster_->next_time()) {
        to = std::clamp(*next, now(), limit);
    }
    time_.move(to);
}

void VirtualCluster::run_for(Duration duration) {
    const Time end = now() + duration;
    for (run_ready(); now() < end; run_ready()) {
        move(end);
    }
}

bool VirtualCluster::settle(Duration quiet, Duration limit) {
    const Time end = now() + limit;
    for (run_ready();; run_ready()) {
        const auto next = cluster_->next_time();
        if (now() - changed_ >= quiet && (!next || *next > end)) {
            return true;
        }
        if (now() >= end) {
            return false;
        }
        move(end);
    }
}

}  // namespace sluice::commands
