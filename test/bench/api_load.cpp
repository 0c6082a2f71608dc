// Load on a real API server, for throughput.py: plays users and the job controller (`drive`), users
// alone whose Jobs are held (`hold`), or sends writes that were recorded before, with nothing to
// decide on (`replay`).
#include "json/value.hpp"
#include "kube/client/connection_source.hpp"
#include "kube/client/http_client.hpp"
#include "kube/core/resource_path.hpp"
#include "kube/core/watch_line.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

using namespace std::chrono_literals;
using kube::ResourcePath;

struct Options {
    std::string kubeconfig;
    std::string space = "load";
    std::string writes;
    std::size_t jobs = 0;
    std::size_t queues = 1;
    std::size_t connections = 32;
    bool are_held = false;
};

/// Ends the program: a measurement with failures measures something else.
[[noreturn]] void fail(const std::string& what) {
    fmt::print(stderr, "api_load: {}\n", what);
    std::exit(1);
}

template <class T>
T take(Result<T> result, const std::string& what) {
    if (!result) {
        fail(what + ": " + result.error().detail);
    }
    return *std::move(result);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string make_job(const Options& options, std::size_t number) {
    return fmt::format(
        R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"job-{0}","namespace":"{1}",)"
        R"("labels":{{"kueue.x-k8s.io/queue-name":"queue-{2}"}}}},"spec":{{"suspend":true,)"
        R"("template":{{"spec":{{"restartPolicy":"Never","containers":[{{"name":"work",)"
        R"("image":"work","resources":{{"requests":{{"cpu":"1","memory":"1Gi"}}}}}}]}}}}}}}})",
        number,
        options.space,
        number % options.queues
    );
}

constexpr const char* kFinished =
    R"({"status":{"succeeded":1,"startTime":"2026-01-01T00:00:00Z",)"
    R"("completionTime":"2026-01-01T00:00:01Z","conditions":[)"
    R"({"type":"SuccessCriteriaMet","status":"True","reason":"CompletionsReached",)"
    R"("lastTransitionTime":"2026-01-01T00:00:01Z"},)"
    R"({"type":"Complete","status":"True","reason":"CompletionsReached",)"
    R"("lastTransitionTime":"2026-01-01T00:00:01Z"}]}})";

bool has_condition(const json::Value& object, std::string_view type, std::string_view status) {
    const json::Value* conditions = object.find_path({"status", "conditions"});
    if (conditions == nullptr || !conditions->is_array()) {
        return false;
    }
    for (const json::Value& condition : conditions->as_array()) {
        if (condition.string_at("type") == type && condition.string_at("status") == status) {
            return true;
        }
    }
    return false;
}

/// Creates Jobs, completes each as soon as it is unsuspended, and is done when the Workloads of all
/// are finished; of Jobs that are held, when all have a Workload that says so.
class Drive {
  public:
    Drive(kube::Client& client, net::EventLoop& loop, const Options& options)
        : client_(client), loop_(loop), options_(options), tasks_(loop.executor(), "drive") {}

    void start() {
        const std::string& space = options_.space;
        tasks_.spawn(follow({"batch", "v1", "jobs", space, "", ""}, [this](const auto& job) {
            see_job(job);
        }));
        tasks_.spawn(follow(
            {"kueue.x-k8s.io", "v1beta2", "workloads", space, "", ""},
            [this](const auto& workload) { see_workload(workload); }
        ));
        for (std::size_t i = 0; i < options_.connections; ++i) {
            tasks_.spawn(create_jobs());
        }
    }
    double seconds() const { return seconds_; }

  private:
    boost::asio::awaitable<void> create_jobs() {
        while (next_ < options_.jobs) {
            auto body = make_job(options_, next_++);
            ResourcePath path{"batch", "v1", "jobs", options_.space, "", ""};
            const auto made = co_await client_.create(std::move(path), std::move(body));
            if (!made) {
                fail("create: " + made.error().detail);
            }
        }
    }
    boost::asio::awaitable<void> complete(std::string name) {
        ResourcePath path{"batch", "v1", "jobs", options_.space, std::move(name), "status"};
        std::string body = kFinished;
        const auto done = co_await client_.merge_patch(std::move(path), std::move(body));
        if (!done) {
            fail("complete: " + done.error().detail);
        }
    }
    /// Each object as it is now and as it becomes. A watch ends when its definition changes.
    boost::asio::awaitable<void> follow(
        ResourcePath path, std::function<void(const json::Value&)> see
    ) {
        for (;;) {
            const auto list = co_await client_.list(path, kube::ListOptions());
            if (!list) {
                const bool waited = co_await net::pause_for(1s);
                if (!waited) {
                    co_return;
                }
                continue;
            }
            const auto parsed = take(json::parse(*list), "list");
            for (const json::Value& item : parsed.find("items")->as_array()) {
                see(item);
            }
            kube::WatchOptions options;
            options.resource_version = parsed.find("metadata")->string_at("resourceVersion");
            options.server_timeout = 1h;
            auto opened = co_await client_.watch(path, std::move(options));
            const auto stream = take(std::move(opened), "watch");
            for (;;) {
                const auto line = co_await stream->next_line(5min);
                if (!line || !*line) {
                    break;
                }
                const auto event = take(kube::decode_watch_line(**line), "watch");
                if (event.type == kube::WatchEventType::Error) {
                    break;
                }
                if (event.type != kube::WatchEventType::Bookmark) {
                    see(take(json::parse(event.object), "watch"));
                }
            }
        }
    }
    void see_job(const json::Value& job) {
        const json::Value* suspend = job.find_path({"spec", "suspend"});
        const std::string name(job.find("metadata")->string_at("name"));
        if (suspend != nullptr && !suspend->as_bool() && started_.insert(name).second) {
            tasks_.spawn(complete(name));
        }
    }
    void see_workload(const json::Value& workload) {
        const bool is_done = options_.are_held ? has_condition(workload, "QuotaReserved", "False")
                                               : has_condition(workload, "Finished", "True");
        if (!is_done) {
            return;
        }
        done_.emplace(workload.find("metadata")->string_at("name"));
        if (done_.size() == options_.jobs) {
            seconds_ = seconds_since(start_);
            loop_.stop();
        }
    }

    kube::Client& client_;
    net::EventLoop& loop_;
    const Options& options_;
    net::TaskGroup tasks_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::size_t next_ = 0;
    std::set<std::string> started_;
    std::set<std::string> done_;
    double seconds_ = 0;
};

struct Write {
    std::string verb;
    ResourcePath path;
    std::string body;
    std::string field_manager;  ///< of a server-side apply; "": it is none
};

Write read_write(const json::Value& given) {
    const auto at = [&given](const char* name) { return std::string(given.string_at(name)); };
    return {
        .verb = at("verb"),
        .path =
            {at("group"),
             at("version"),
             at("plural"),
             at("namespace"),
             at("name"),
             at("subresource")},
        .body = at("body"),
        .field_manager = at("fieldManager"),
    };
}

/// Each line of the file is an array of writes that must follow each other.
class Replay {
  public:
    Replay(kube::Client& client, net::EventLoop& loop, const Options& options)
        : client_(client), loop_(loop), options_(options), tasks_(loop.executor(), "replay") {
        std::ifstream file(options.writes);
        for (std::string line; std::getline(file, line);) {
            std::vector<Write> sequence;
            const json::Value writes = take(json::parse(line), "writes");
            for (const json::Value& each : writes.as_array()) {
                sequence.push_back(read_write(each));
            }
            sequences_.push_back(std::move(sequence));
        }
    }

    void start() {
        start_ = std::chrono::steady_clock::now();
        running_ = options_.connections;
        for (std::size_t i = 0; i < options_.connections; ++i) {
            tasks_.spawn(send());
        }
    }
    double seconds() const { return seconds_; }

  private:
    boost::asio::awaitable<void> send() {
        while (next_ < sequences_.size()) {
            const std::vector<Write>& sequence = sequences_[next_++];
            for (const Write& write : sequence) {
                co_await send_one(&write);
            }
        }
        if (--running_ == 0) {
            seconds_ = seconds_since(start_);
            loop_.stop();
        }
    }
    boost::asio::awaitable<void> send_one(const Write* write) {
        ResourcePath path = write->path;
        std::string body = write->body;
        kube::WriteOptions none;
        if (write->verb == "create") {
            const auto done =
                co_await client_.create(std::move(path), std::move(body), std::move(none));
            expect(*write, done);
        } else if (!write->field_manager.empty()) {
            kube::ApplyOptions options;
            options.field_manager = write->field_manager;
            const auto done =
                co_await client_.apply(std::move(path), std::move(body), std::move(options));
            expect(*write, done);
        } else {
            const auto done =
                co_await client_.merge_patch(std::move(path), std::move(body), std::move(none));
            expect(*write, done);
        }
    }
    static void expect(const Write& write, const Result<std::string>& done) {
        if (!done) {
            fail(write.verb + " " + kube::describe(write.path) + ": " + done.error().detail);
        }
    }

    kube::Client& client_;
    net::EventLoop& loop_;
    const Options& options_;
    net::TaskGroup tasks_;
    std::vector<std::vector<Write>> sequences_;
    std::chrono::steady_clock::time_point start_;
    std::size_t next_ = 0;
    std::size_t running_ = 0;
    double seconds_ = 0;
};

template <class Load>
void run(const Options& options) {
    const kube::ConnectionSource source{options.kubeconfig, "", {}};
    auto config = take(kube::find_connection(source), "kubeconfig").config;
    config.qps = -1;
    const SystemClock clock;
    net::EventLoop loop;
    const auto client = take(kube::HttpClient::make(config, clock, 1), "client");
    Load load(*client, loop, options);
    load.start();
    loop.run();
    fmt::print("{:.3f}\n", load.seconds());
    // What is still being read need not be waited for.
    std::fflush(stdout);
    std::_Exit(0);
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
    CLI::App app("Load on a real API server; prints the seconds that it took");
    sluice::Options options;
    app.add_option("--kubeconfig", options.kubeconfig)->required();
    app.add_option("--connections", options.connections, "Requests at a time");
    app.require_subcommand(1);
    auto* drive = app.add_subcommand("drive", "Creates Jobs and completes those that start");
    drive->add_option("--jobs", options.jobs)->required();
    drive->add_option("--queues", options.queues);
    auto* hold = app.add_subcommand("hold", "Creates Jobs that wait, until all have Workloads");
    hold->add_option("--jobs", options.jobs)->required();
    hold->add_option("--queues", options.queues);
    auto* replay = app.add_subcommand("replay", "Sends recorded writes");
    replay->add_option("--writes", options.writes)->required();
    CLI11_PARSE(app, argc, argv);
    options.are_held = hold->parsed();
    if (drive->parsed() || hold->parsed()) {
        sluice::run<sluice::Drive>(options);
    }
    sluice::run<sluice::Replay>(options);
}
