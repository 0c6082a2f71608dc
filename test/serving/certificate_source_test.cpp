#include "serving/certificate_source.hpp"

#include "api/core/core.hpp"
#include "net/loop/event_loop.hpp"
#include "support/embedded_server.hpp"
#include "support/manual_clock.hpp"
#include "support/run_async.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace sluice::serving {
namespace {

using namespace std::chrono_literals;

struct Cluster {
    test::ManualClock clock{SystemClock().now()};
    net::EventLoop loop;
    test::EmbeddedServer client{loop.executor(), clock};

    Cluster() { client.add_namespace("ns"); }
    SecretCertificates source(std::vector<std::string> names) {
        return SecretCertificates({
            .client = client,
            .clock = clock,
            .secret_namespace = "ns",
            .secret_name = "certificates",
            .names = std::move(names),
        });
    }
    ServingCertificates current(CertificateSource& from) {
        const auto made = test::run_async(loop, from.current());
        REQUIRE(made);
        return *made;
    }
};

}  // namespace

TEST_CASE("replicas show the same certificate, good for the names of both", "[certificates]") {
    Cluster cluster;
    auto first = cluster.source({"svc", "10.0.0.1"});
    auto second = cluster.source({"svc", "10.0.0.2"});
    cluster.current(first);
    const auto shown = cluster.current(second);
    CHECK(cluster.current(first).serving.certificate_pem == shown.serving.certificate_pem);
    CHECK(is_good_for(shown, {"svc", "10.0.0.1", "10.0.0.2"}, cluster.clock.now()));
}

TEST_CASE("of two replicas that make certificates the first one's are shown", "[certificates]") {
    Cluster cluster;
    auto first = cluster.source({"svc"});
    auto second = cluster.source({"svc"});
    const auto shown = cluster.current(first);
    // As if the second had read before the first had written.
    cluster.client.fail_next(
        test::Verb::Get, "secrets", Error{ErrorCode::NotFound, "not found", {}}
    );
    CHECK(cluster.current(second).serving.certificate_pem == shown.serving.certificate_pem);
}

TEST_CASE("a Secret that cannot be read is an error that names it", "[certificates]") {
    Cluster cluster;
    auto source = cluster.source({"svc"});
    cluster.client.fail_next(test::Verb::Get, "secrets", Error{ErrorCode::Forbidden, "no", {}});
    const auto refused = test::run_async(cluster.loop, source.current());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::Forbidden);
    CHECK(refused.error().detail == "Secret certificates: no");
    CHECK(cluster.client.writes().empty());
}

TEST_CASE("a name that no certificate can have makes none", "[certificates]") {
    Cluster cluster;
    auto source = cluster.source({"no name"});
    const auto refused = test::run_async(cluster.loop, source.current());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::Invalid);
    CHECK(cluster.client.writes().empty());
}

TEST_CASE("files are read anew each time", "[certificates]") {
    Cluster cluster;
    const test::TemporaryFolder folder;
    FileCertificates source(folder.path());
    const auto missing = test::run_async(cluster.loop, source.current());
    REQUIRE_FALSE(missing);
    CHECK(missing.error().detail.find("tls.crt") != std::string::npos);
    folder.write("tls.crt", "one");
    folder.write("tls.key", "key");
    CHECK(cluster.current(source).serving.certificate_pem == "one");
    folder.write("tls.crt", "two");
    folder.write("ca.crt", "authority");
    CHECK(cluster.current(source).serving.certificate_pem == "two");
    CHECK(cluster.current(source).authority.certificate_pem == "authority");
}

TEST_CASE("a certificate of one's own making is renewed before its end", "[certificates]") {
    Cluster cluster;
    SelfMadeCertificates source(cluster.clock, "metrics", {"localhost"});
    const auto first = cluster.current(source);
    cluster.clock.advance(24h * 200);
    CHECK(cluster.current(source).serving.certificate_pem == first.serving.certificate_pem);
    cluster.clock.advance(24h * 100);
    const auto second = cluster.current(source);
    CHECK(second.serving.certificate_pem != first.serving.certificate_pem);
    CHECK(second.authority.certificate_pem == first.authority.certificate_pem);
    CHECK(is_good_for(second, {"localhost"}, cluster.clock.now()));
}

TEST_CASE("a borrowed certificate is that of the other server, once it serves", "[certificates]") {
    Cluster cluster;
    const ServingCertificates* shown = nullptr;
    BorrowedCertificates source([&shown] { return shown; });
    const auto none = test::run_async(cluster.loop, source.current());
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::Unavailable);
    auto other = cluster.source({"svc"});
    const auto made = cluster.current(other);
    shown = &made;
    CHECK(cluster.current(source).serving.certificate_pem == made.serving.certificate_pem);
}

}  // namespace sluice::serving
