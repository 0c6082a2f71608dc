#include "serving/secure_server.hpp"

#include "net/http/http_client.hpp"
#include "net/transport/tls.hpp"
#include "serving/path_table.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace sluice::serving {
namespace {

using namespace std::chrono_literals;

/// Gives what the test says.
class ScriptedSource final : public CertificateSource {
  public:
    Result<ServingCertificates> next = make();

    kube::Async<ServingCertificates> current() override { co_return next; }

    static ServingCertificates make() {
        return *make_certificates({}, "test", {"127.0.0.1"}, SystemClock().now());
    }
};

struct Served {
    net::EventLoop loop;
    ScriptedSource source;
    ServerThread thread{"test"};
    SecureServer server{thread, source};

    Result<void> start() {
        auto table = std::make_shared<PathTable>();
        table->add_page("/", [] { return net::ServerResponse{}; });
        net::ServerOptions options;
        options.address = "127.0.0.1";
        return test::run_async(loop, server.start(std::move(table), options));
    }
    Result<void> check() { return test::run_async(loop, server.check()); }
    /// Whether the server shows a certificate that this authority signed.
    bool is_trusted(const std::string& authority) {
        net::HttpClientOptions options;
        options.host = "127.0.0.1";
        options.port = server.port();
        options.tls = *net::make_client_tls({authority, {}, true, {}, {}});
        net::HttpClient client(options);
        net::ClientRequest request;
        request.target = "/";
        return test::run_async(loop, client.send(request, 10s)).response.has_value();
    }
};

}  // namespace

TEST_CASE("a changed certificate is shown without a restart", "[serving]") {
    Served served;
    REQUIRE(served.start());
    const auto port = served.server.port();
    const auto first = served.server.authority_pem();
    CHECK(served.is_trusted(first));
    served.source.next = ScriptedSource::make();
    REQUIRE(served.check());
    const auto second = served.server.authority_pem();
    REQUIRE(second != first);
    CHECK(served.is_trusted(second));
    CHECK_FALSE(served.is_trusted(first));
    CHECK(served.server.port() == port);
}

TEST_CASE("while none is to be had, the last certificate is shown", "[serving]") {
    Served served;
    REQUIRE(served.start());
    const auto authority = served.server.authority_pem();
    SECTION("the source fails") {
        served.source.next = Error{ErrorCode::Unavailable, "nothing there", {}};
        const auto checked = served.check();
        REQUIRE_FALSE(checked);
        CHECK(checked.error().detail == "certificates: nothing there");
    }
    SECTION("what it gives cannot be shown") {
        auto broken = ScriptedSource::make();
        broken.serving.private_key_pem = ScriptedSource::make().serving.private_key_pem;
        served.source.next = broken;
        CHECK_FALSE(served.check());
    }
    CHECK(served.server.authority_pem() == authority);
    CHECK(served.is_trusted(authority));
}

TEST_CASE("without a certificate nothing is served", "[serving]") {
    Served served;
    served.source.next = Error{ErrorCode::NotFound, "no file", {}};
    const auto started = served.start();
    REQUIRE_FALSE(started);
    CHECK(started.error().detail == "no file");
    CHECK_FALSE(served.server.is_serving());
    CHECK(served.server.port() == 0);
}

}  // namespace sluice::serving
