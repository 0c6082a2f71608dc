#include "controller/commands/cluster/virtual_cluster.hpp"

#include "base/assert.hpp"
#include "controller/commands/cluster/node_files.hpp"
#include "controller/commands/controller/process_options.hpp"
#include "net/transport/url.hpp"
#include "sim/pods/node_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

namespace sluice::commands {

namespace {

namespace asio = boost::asio;

constexpr const char* kUser = "sluice-test";
/// Virtual time. A controller that meets no fault needs none of it.
constexpr Duration kReadyMax = std::chrono::minutes(5);
constexpr Duration kAnswerMax = std::chrono::minutes(1);
constexpr Duration kEndMax = std::chrono::minutes(1);
/// How long controllers gather changes before they write.
constexpr Duration kReaction = std::chrono::seconds(1);
constexpr Duration kReactionsMax = std::chrono::seconds(3);
/// Real time between two checks for a stop request during a call of a foreign webhook.
constexpr Duration kForeignPause = std::chrono::milliseconds(100);

Error make_unavailable(std::string detail) {
    return Error{ErrorCode::Unavailable, std::move(detail), {}};
}

/// Host name of the controller's webhooks in the configurations of cluster_setup.hpp.
constexpr std::string_view kOwnServer = "kueue-webhook-service.kueue-system.svc";

/// Returns the path in a webhook's URL.
std::string find_path(std::string_view url) {
    const auto server = net::parse_server_url(url.substr(0, url.find('?')));
    return server ? server->path : "";
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
          apiserver::ApiServer::Options{
              .seed = options_.seed,
              .root_ca = options_.root_ca,
              .administrator_token = options_.administrator_token,
              .has_controller = true,
          },
          options_.start
      )),
      cluster_(std::make_unique<sim::SimulatedCluster>(
          *server_,
          sim::SimulatedCluster::Options{
              .pace = {.run_time = options_.run_time},
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
    const auto nodes = read_nodes(options_.nodes);
    if (!nodes) {
        return nodes.error();
    }
    for (const json::Value& node : *nodes) {
        cluster_->add_node(node, now());
    }
    for (const json::Value& node : options_.node_objects) {
        cluster_->add_node(node, now());
    }
    const auto objects = setup_objects(options_.configuration);
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

Result<void> VirtualCluster::add_controller() {
    SLUICE_ASSERT(options_.with_lease || replicas_.empty());
    auto made = make_process_options({
        .config_file = "",
        .document = options_.configuration,
        .controllers = "*",
        .feature_gates = "",
        .in_cluster = true,
        .pod_namespace = kEmbeddedNamespace,
    });
    if (!made) {
        return made.error();
    }
    made->configuration.leader_election.leader_elect = options_.with_lease;
    made->with_servers = false;
    made->with_webhooks = false;
    made->hostname = "virtual";
    made->identity = fmt::format("virtual-{}", starts_);
    made->seed = options_.seed + starts_++;
    if (!options_.journal_folder.empty()) {
        const std::string folder = fmt::format("{}/{}", options_.journal_folder, made->identity);
        std::filesystem::create_directories(folder);
        made->journal = {.folder = folder, .full = true};
    }
    replicas_.push_back(std::make_shared<VirtualReplica>(
        VirtualReplica::Parts{
            .server = *server_,
            .clock = time_,
            .loop = *loop_,
            .tasks = *tasks_,
            .webhooks = transport_,
            .fault = options_.fault,
            .line_fault = options_.line_fault,
        },
        std::move(*made)
    ));
    return {};
}

Result<void> VirtualCluster::start_controller() {
    if (const auto added = add_controller(); !added) {
        return added.error();
    }
    const VirtualReplica& replica = *replicas_.back();
    const Time end = now() + kReadyMax;
    for (run_ready(); !replica.is_ready() || !(options_.with_lease || replica.is_acting());
         run_ready()) {
        if (now() >= end || replica.is_over()) {
            return Error{ErrorCode::Timeout, "the controller did not become ready", {}};
        }
        move(end);
    }
    return {};
}

void VirtualCluster::kill(std::size_t replica) {
    SLUICE_ASSERT(replica < replicas_.size());
    const auto at = replicas_.begin() + static_cast<std::ptrdiff_t>(replica);
    (*at)->kill();
    killed_.push_back(std::move(*at));
    replicas_.erase(at);
}

void VirtualCluster::kill_controller() {
    while (!replicas_.empty()) {
        kill(replicas_.size() - 1);
    }
    end_killed();
}

/// Advances time until all killed replicas have ended.
void VirtualCluster::end_killed() {
    const Time end = now() + kEndMax;
    for (run_ready(); drop_ended(), !killed_.empty(); run_ready()) {
        SLUICE_ASSERT(now() < end);
        move(end);
    }
}

std::size_t VirtualCluster::drop_ended() {
    std::erase_if(killed_, [](const auto& replica) { return replica->is_over(); });
    return std::erase_if(replicas_, [](const auto& replica) { return replica->is_over(); });
}

std::shared_ptr<VirtualReplica> VirtualCluster::find_serving() const {
    const auto found =
        std::ranges::find_if(replicas_, [](const auto& replica) { return replica->is_serving(); });
    return found == replicas_.end() ? nullptr : *found;
}

asio::awaitable<Result<json::Value>> VirtualCluster::call_webhook(apiserver::WebhookCall call) {
    if (options_.foreign_webhooks && call.target.server_name != kOwnServer) {
        ++foreign_calls_;
        auto foreign = co_await options_.foreign_webhooks(std::move(call));
        if (--foreign_calls_ == 0) {
            loop_->stop();  // move() may wait for it
        }
        co_return foreign;
    }
    // Shared ownership: the replica may be killed while it answers.
    const std::shared_ptr<VirtualReplica> serving = find_serving();
    if (serving == nullptr) {
        co_return make_unavailable("no controller runs");
    }
    const auto response =
        co_await serving->review(find_path(call.target.url), json::print(call.review));
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
    for (run_ready(); !response; run_ready()) {
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

std::optional<Time> VirtualCluster::next_deadline() const {
    std::optional<Time> next;
    for (const auto& replica : replicas_) {
        if (const auto own = replica->next_deadline()) {
            next = std::min(next.value_or(*own), *own);
        }
    }
    return next;
}

void VirtualCluster::move(Time limit) {
    if (waits_for_foreign()) {
        while (waits_for_foreign()) {
            loop_->run_until_idle(kForeignPause);
        }
        return;
    }
    Time to = limit;
    if (const auto next = cluster_->next_time()) {
        to = std::clamp(*next, now(), limit);
    }
    time_.move(to);
}

void VirtualCluster::run_reactions() {
    const Time end = now() + kReactionsMax;
    for (run_ready();; run_ready()) {
        const Time limit = std::min(end, changed_ + kReaction);
        const auto next = time_.next();
        if (!next || *next > limit) {
            return;
        }
        move(limit);
    }
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
