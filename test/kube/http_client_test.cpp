#include "kube/client/http_client.hpp"

#include "base/clock.hpp"
#include "kube/core/status_error.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/certificate.hpp"
#include "support/failure_status.hpp"
#include "support/run_async.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::kube {
namespace {

using namespace std::chrono_literals;
using test::run_async;

const ResourcePath kJob{"batch", "v1", "jobs", "ns", "j", ""};
const ResourcePath kJobs{"batch", "v1", "jobs", "ns", "", ""};

/// An API server that gives the answers it was told, then 200 with "{}".
class ScriptedApi final : public net::HttpHandler {
  public:
    struct Answer {
        int status = 200;
        std::string body = "{}";
        std::string retry_after;
    };
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override {
        const auto body = request.body.view();
        seen.push_back(
            request.method + " " + request.target + (body->empty() ? "" : " " + std::string(*body))
        );
        headers = request.headers;
        Answer answer;
        if (on_request) {
            on_request();
        }
        if (!script.empty()) {
            answer = script.front();
            script.pop_front();
        }
        net::ServerResponse response;
        response.status = answer.status;
        response.content_type = "application/json";
        response.body = answer.body;
        if (!answer.retry_after.empty()) {
            response.headers.push_back({"Retry-After", answer.retry_after});
        }
        co_return response;
    }
    std::function<void()> on_request;
    std::deque<Answer> script;
    std::vector<std::string> seen;
    net::HttpHeaders headers;
};

struct Api {
    net::EventLoop loop;
    SystemClock clock;
    ScriptedApi api;
    net::CertificateAndKey authority;
    std::unique_ptr<net::HttpServer> server;
    ClientConfig config;
    std::unique_ptr<HttpClient> client;

    Api() {
        const net::Validity day{clock.now(), 24h};
        authority = *net::make_authority("ca", day);
        const auto serving = *net::make_serving_certificate(authority, {"127.0.0.1"}, day);
        net::ServerOptions options;
        options.address = "127.0.0.1";
        options.certificate_pem = serving.certificate_pem;
        options.private_key_pem = serving.private_key_pem;
        server = *net::HttpServer::start(loop, api, options);
        config.host = "127.0.0.1";
        config.port = server->port();
        config.tls.ca_pem = authority.certificate_pem;
        config.bearer_token = "secret";
        connect();
    }
    void connect() { client = *HttpClient::make(config, clock, 1); }
    Result<std::string> get() { return run_async(loop, client->get(kJob, {})); }
    Result<std::string> create() {
        return run_async(loop, client->create(kJobs, R"({"a":1})", {}));
    }
    void answer(int status, int times = 1, std::string reason = "", std::string retry_after = "") {
        for (int i = 0; i < times; ++i) {
            api.script.push_back(
                {status, test::print_status(status, reason, "told so"), retry_after}
            );
        }
    }
};

boost::asio::awaitable<void> count_get(Api* api, int* done) {
    const GetOptions options;
    const auto got = co_await api->client->get(kJob, options);
    *done += got ? 1 : 0;
}

}  // namespace

TEST_CASE("every verb sends what the API expects", "[kube][http]") {
    Api api;
    ApplyOptions apply;
    apply.field_manager = "kueue";
    WriteOptions write;
    write.field_manager = "m";
    auto status_path = kJob;
    status_path.subresource = "status";
    CHECK(run_async(api.loop, api.client->get(kJob, {})));
    CHECK(run_async(api.loop, api.client->list(kJobs, {})));
    CHECK(run_async(api.loop, api.client->create(kJobs, "1", write)));
    CHECK(run_async(api.loop, api.client->update(status_path, "2", {})));
    CHECK(run_async(api.loop, api.client->merge_patch(kJob, "3", {})));
    CHECK(find_header(api.api.headers, "Content-Type") == "application/merge-patch+json");
    CHECK(run_async(api.loop, api.client->apply(kJob, "4", apply)));
    CHECK(run_async(api.loop, api.client->remove(kJob, {})));
    CHECK(run_async(api.loop, api.client->get_raw("/version", {})));
    const std::string jobs = "/apis/batch/v1/namespaces/ns/jobs";
    CHECK(
        api.api.seen ==
        std::vector<std::string>{
            "GET " + jobs + "/j",
            "GET " + jobs,
            "POST " + jobs + "?fieldManager=m 1",
            "PUT " + jobs + "/j/status 2",
            "PATCH " + jobs + "/j 3",
            "PATCH " + jobs + "/j?fieldManager=kueue&force=true 4",
            "DELETE " + jobs + R"(/j {"kind":"DeleteOptions","apiVersion":"v1"})",
            "GET /version"
        }
    );
    CHECK(find_header(api.api.headers, "Authorization") == "Bearer secret");
    CHECK(find_header(api.api.headers, "User-Agent").starts_with("kueue/"));
    CHECK(api.server->connections() == 1);
}

TEST_CASE("a refusal is the server's own Status", "[kube][http]") {
    Api api;
    api.answer(409, 1, "Conflict");
    const auto result = api.create();
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::Conflict);
    CHECK(result.error().detail == "told so");
    CHECK(result.error().status.find("\"Conflict\"") != std::string::npos);
    CHECK(api.api.seen.size() == 1);
}

TEST_CASE("what may be repeated is, and nothing else", "[kube][http]") {
    struct Row {
        int status;
        const char* retry_after;
        bool read_repeated;
        bool write_repeated;
    };
    const auto row = GENERATE(
        Row{429, "", true, true},
        Row{429, "0", true, true},
        Row{503, "", true, false},
        Row{502, "", true, false},
        Row{504, "", true, false},
        Row{500, "", false, false},
        Row{404, "", false, false},
        Row{409, "", false, false}
    );
    CAPTURE(row.status);
    Api api;
    api.answer(row.status, 2, "", row.retry_after);
    CHECK(api.get().has_value() == row.read_repeated);
    CHECK(api.api.seen.size() == (row.read_repeated ? 3 : 1));
    api.api.script.clear();
    api.api.seen.clear();
    api.answer(row.status, 2, "", row.retry_after);
    CHECK(api.create().has_value() == row.write_repeated);
    CHECK(api.api.seen.size() == (row.write_repeated ? 3 : 1));
}

TEST_CASE("Retry-After is waited for, unless the call would be late", "[kube][http]") {
    Api api;
    SECTION("in time") {
        api.answer(503, 1, "", "1");
        const auto before = api.clock.instant();
        CHECK(api.create());
        CHECK(api.clock.instant() - before >= 1s);
    }
    SECTION("too late") {
        api.answer(429, 1, "", "3600");
        const auto result = api.create();
        REQUIRE_FALSE(result);
        CHECK(result.error().code == ErrorCode::TooManyRequests);
        CHECK(result.error().retry_after_seconds == 3600);
    }
}

TEST_CASE("a server that is not there is tried some times and named", "[kube][http]") {
    Api api;
    run_async(api.loop, api.server->stop(0s));
    GetOptions options;
    options.timeout = 1s;
    const auto result = run_async(api.loop, api.client->get(kJob, options));
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::Unavailable);
    CHECK(result.error().detail.starts_with(
        "GET /apis/batch/v1/namespaces/ns/jobs/j: connecting to 127.0.0.1"
    ));
    CHECK(result.error().detail.find("secret") == std::string::npos);
}

TEST_CASE("a write is sent, each time, only if it still may be", "[kube][http]") {
    Api api;
    int asked = 0;
    const int allowed = GENERATE(0, 1, 2);
    WriteOptions options;
    options.before_send = [&asked, allowed]() -> Result<void> {
        return ++asked <= allowed ? Result<void>()
                                  : Result<void>(Error{ErrorCode::NotLeader, "run out", {}});
    };
    api.answer(429);
    const auto result = run_async(api.loop, api.client->create(kJobs, "{}", options));
    CHECK(result.has_value() == (allowed == 2));
    CHECK((result || result.error().code == ErrorCode::NotLeader));
    CHECK(api.api.seen.size() == static_cast<std::size_t>(allowed));
    CHECK(asked == std::min(allowed + 1, 2));
}

TEST_CASE("whether a write may be sent is asked when the connection is open", "[kube][http]") {
    Api api;
    int asked = 0;
    WriteOptions options;
    options.timeout = 1s;
    options.before_send = [&asked]() -> Result<void> {
        ++asked;
        return {};
    };
    CHECK(run_async(api.loop, api.client->create(kJobs, "{}", options)));
    CHECK(asked == 1);
    run_async(api.loop, api.server->stop(0s));
    CHECK_FALSE(run_async(api.loop, api.client->create(kJobs, "{}", options)));
    CHECK(asked <= 2);  // at most for the connection of before
}

TEST_CASE("every try is told with the status of its answer", "[kube][http]") {
    Api api;
    std::vector<std::string> told;
    api.client->on_answer([&told](const std::string& method, int status) {
        told.push_back(method + " " + std::to_string(status));
    });
    api.answer(503);
    CHECK(api.get());
    api.answer(409);
    CHECK_FALSE(api.create());
    run_async(api.loop, api.server->stop(0s));
    GetOptions options;
    options.timeout = 1s;
    CHECK_FALSE(run_async(api.loop, api.client->get(kJob, options)));
    REQUIRE(told.size() > 3);
    told.resize(4);
    CHECK(told == std::vector<std::string>{"GET 503", "GET 200", "POST 409", "GET 0"});
}

/// A plugin that gives tokens t1, t2, … and counts how often it was run.
struct Plugin {
    test::TemporaryFolder folder;

    Plugin() { write(R"("token":"t'$n'")"); }
    void write(const std::string& status) const {
        folder.write(
            "plugin",
            "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nn=$(($(cat runs 2>/dev/null || echo 0) + 1))\n"
            "echo $n >runs\nprintf '%s' \"$KUBERNETES_EXEC_INFO\" >info\n"
            "printf '%s' '{\"kind\":\"ExecCredential\","
            "\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{" +
                status + "}}'\n"
        );
        std::filesystem::permissions(folder.path() + "/plugin", std::filesystem::perms::owner_all);
    }
    int runs() const {
        int count = 0;
        std::ifstream(folder.path() + "/runs") >> count;
        return count;
    }
    ExecPlugin exec() const {
        return {
            .api_version = "client.authentication.k8s.io/v1", .command = folder.path() + "/plugin"
        };
    }
};

TEST_CASE("a plugin's token is kept until it expires or is refused", "[kube][http]") {
    Plugin plugin;
    Api api;
    api.config.bearer_token = "";
    api.config.exec = plugin.exec();
    const auto shown = [&api] { return net::find_header(api.api.headers, "Authorization"); };
    SECTION("without an end it is kept") {
        api.connect();
        CHECK(api.get());
        CHECK(api.get());
        CHECK(shown() == "Bearer t1");
        CHECK(plugin.runs() == 1);
        SECTION("until the server refuses it") {
            api.answer(401);
            CHECK(api.get());
            CHECK(shown() == "Bearer t2");
            CHECK(plugin.runs() == 2);
            api.answer(401, 2);
            CHECK(api.get().error().code == ErrorCode::Unauthorized);
            CHECK(plugin.runs() == 3);
        }
    }
    SECTION("one that has ended is asked for anew") {
        plugin.write(R"("token":"t'$n'","expirationTimestamp":"2020-01-01T00:00:00Z")");
        api.connect();
        CHECK(api.get());
        CHECK(api.get());
        CHECK(shown() == "Bearer t2");
    }
    SECTION("calls that come together run it once") {
        api.connect();
        net::TaskGroup tasks(api.loop.executor(), "test");
        int done = 0;
        for (int i = 0; i < 5; ++i) {
            tasks.spawn(count_get(&api, &done));
        }
        CHECK(test::run_until(api.loop, [&] { return done == 5; }));
        CHECK(plugin.runs() == 1);
    }
    SECTION("one that fails is an error of the call, with its name") {
        plugin.folder.write("plugin", "#!/bin/sh\nexit 3\n");
        api.connect();
        const auto result = api.get();
        REQUIRE_FALSE(result);
        CHECK(result.error().detail.find("/plugin: ended with exit code 3") != std::string::npos);
        CHECK(api.api.seen.empty());
    }
    SECTION("one that is missing is told with its hint") {
        api.config.exec->command = "no-such-plugin";
        api.config.exec->install_hint = "Install it from there";
        api.connect();
        const auto result = api.get();
        REQUIRE_FALSE(result);
        CHECK(result.error().code == ErrorCode::Invalid);
        CHECK(
            result.error().detail.find("no-such-plugin: not found in PATH; Install it from there"
            ) != std::string::npos
        );
    }
}

TEST_CASE("another identity is asked for in each request", "[kube][http]") {
    Api api;
    api.config.impersonate = {
        .user = "jane", .uid = "7", .groups = {"a", "b"}, .extra = {{"x.y/z", {"v"}}}
    };
    api.connect();
    CHECK(api.get());
    CHECK(net::find_header(api.api.headers, "Impersonate-User") == "jane");
    CHECK(net::find_header(api.api.headers, "Impersonate-Uid") == "7");
    CHECK(net::find_header(api.api.headers, "Impersonate-Extra-x.y%2Fz") == "v");
    int groups = 0;
    for (const auto& header : api.api.headers) {
        groups += header.name == "Impersonate-Group" ? 1 : 0;
    }
    CHECK(groups == 2);
}

TEST_CASE("a renewed token is taken after a 401, once", "[kube][http]") {
    const test::TemporaryFolder folder;
    Api api;
    api.config.token_file = folder.path() + "/token";
    folder.write("token", "old");
    api.connect();
    REQUIRE(api.get());
    CHECK(find_header(api.api.headers, "Authorization") == "Bearer old");
    api.answer(401, 1, "Unauthorized");
    SECTION("the file is the same: the error stands") {
        const auto result = api.get();
        REQUIRE_FALSE(result);
        CHECK(result.error().code == ErrorCode::Unauthorized);
    }
    SECTION("the file was replaced while the call was on its way") {
        api.api.on_request = [&folder] { folder.write("token", "new"); };
        CHECK(api.get());
        CHECK(find_header(api.api.headers, "Authorization") == "Bearer new");
    }
}

TEST_CASE("the client's own rate limit spaces the calls", "[kube][http]") {
    Api api;
    api.config.qps = 50;
    api.config.burst = 1;
    api.connect();
    const auto before = api.clock.instant();
    for (int i = 0; i < 4; ++i) {
        REQUIRE(api.get());
    }
    CHECK(api.clock.instant() - before >= 55ms);
    api.config.qps = 0.001;
    api.connect();
    REQUIRE(api.get());
    const auto late = api.get();
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::Timeout);
}

TEST_CASE("a call that cannot go in time takes no other call's turn", "[kube][http]") {
    Api api;
    api.config.qps = 0.5;
    api.config.burst = 1;
    api.connect();
    REQUIRE(api.get());
    GetOptions hasty;
    hasty.timeout = 1ms;
    for (int i = 0; i < 5; ++i) {
        const auto late = run_async(api.loop, api.client->get(kJob, hasty));
        REQUIRE_FALSE(late);
        CHECK(late.error().code == ErrorCode::Timeout);
    }
    GetOptions patient;
    patient.timeout = 10s;
    CHECK(run_async(api.loop, api.client->get(kJob, patient)));
    CHECK(api.api.seen.size() == 2);
}

TEST_CASE("a watch that is refused is the server's Status", "[kube][http]") {
    Api api;
    api.answer(410, 1, "Expired");
    const auto stream = run_async(api.loop, api.client->watch(kJobs, {}));
    REQUIRE_FALSE(stream);
    CHECK(stream.error().code == ErrorCode::Gone);
}

TEST_CASE("a watch gives lines and its end", "[kube][http]") {
    Api api;
    api.api.script.push_back({200, "{\"type\":\"A\"}\n{\"type\":\"B\"}\n", ""});
    const auto stream = run_async(api.loop, api.client->watch(kJobs, {}));
    REQUIRE(stream);
    CHECK(**run_async(api.loop, (*stream)->next_line(1s)) == "{\"type\":\"A\"}");
    CHECK(**run_async(api.loop, (*stream)->next_line(1s)) == "{\"type\":\"B\"}");
    CHECK_FALSE(run_async(api.loop, (*stream)->next_line(1s))->has_value());
    CHECK(api.api.seen.front().find("watch=true") != std::string::npos);
}

TEST_CASE(
    "a client certificate and key that do not belong together are refused at the start",
    "[kube][http]"
) {
    Api api;
    const net::Validity day{api.clock.now(), 24h};
    const auto one = *net::make_serving_certificate(api.authority, {"u"}, day);
    const auto two = *net::make_serving_certificate(api.authority, {"u"}, day);
    api.config.tls.certificate_pem = one.certificate_pem;
    api.config.tls.private_key_pem = two.private_key_pem;
    const auto made = HttpClient::make(api.config, api.clock, 1);
    REQUIRE_FALSE(made);
    CHECK(made.error().detail.find("does not fit") != std::string::npos);
    CHECK(made.error().detail.find("PRIVATE") == std::string::npos);
}

}  // namespace sluice::kube
