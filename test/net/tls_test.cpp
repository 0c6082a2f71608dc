#include "net/transport/tls.hpp"

#include "net/http/http_client.hpp"
#include "net/http/http_server.hpp"
#include "net/transport/certificate.hpp"
#include "net/transport/tls_context.hpp"
#include "peer.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;
using test::run_async;

/// What a client that trusts `tls` gets from the server: "ok" or the error.
std::string reach(
    EventLoop& loop, const std::string& host, std::uint16_t port, std::shared_ptr<TlsContext> tls
) {
    HttpClient client(to_server(host, port, std::move(tls)));
    const auto outcome = run_async(loop, client.send(get("/"), 5s));
    return outcome.response ? "ok" : outcome.response.error().detail;
}

bool says(const std::string& detail, std::string_view text) {
    return detail.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a server must prove the name or address by which it is reached", "[net][tls]") {
    EventLoop loop;
    TestHandler handler;
    const Authority authority;
    struct Case {
        std::vector<std::string> names;
        std::string server_name;
        bool good;
    };
    const auto row = GENERATE(
        Case{{"127.0.0.1"}, "", true},
        Case{{"localhost"}, "", false},
        Case{{"10.0.0.1"}, "", false},
        Case{{"kueue.svc"}, "kueue.svc", true},
        Case{{"*.kueue.svc"}, "a.kueue.svc", true},
        Case{{"127.0.0.1"}, "kueue.svc", false},
        Case{{"*.kueue.svc"}, "a.b.kueue.svc", false}
    );
    CAPTURE(row.names.front(), row.server_name);
    auto server = HttpServer::start(loop, handler, tls_options(authority.serve(row.names)));
    REQUIRE(server);
    auto tls =
        make_client_tls({authority.authority.certificate_pem, row.server_name, true, {}, {}});
    REQUIRE(tls);
    const auto result = reach(loop, "127.0.0.1", (*server)->port(), *tls);
    CAPTURE(result);
    CHECK((result == "ok") == row.good);
    CHECK((row.good || says(result, "mismatch")));
}

TEST_CASE("a server is reached and checked over IPv6", "[net][tls]") {
    EventLoop loop;
    TestHandler handler;
    const Authority authority;
    auto server = HttpServer::start(loop, handler, tls_options(authority.serve({"::1"}), "::1"));
    if (!server) {
        SKIP("this machine has no IPv6 loopback");
    }
    CHECK(reach(loop, "::1", (*server)->port(), authority.trusting()) == "ok");
    auto other = HttpServer::start(loop, handler, tls_options(authority.serve({"::2"}), "::1"));
    REQUIRE(other);
    CHECK(says(reach(loop, "::1", (*other)->port(), authority.trusting()), "IP address mismatch"));
}

TEST_CASE(
    "an unknown authority and an expired certificate are refused unless checks are off",
    "[net][tls]"
) {
    EventLoop loop;
    TestHandler handler;
    const Authority authority;
    const Authority stranger;
    const auto long_ago =
        Validity{certificate_time() - std::chrono::hours(100), std::chrono::hours(24)};
    const auto expired = make_serving_certificate(authority.authority, {"127.0.0.1"}, long_ago);
    REQUIRE(expired);
    auto server = HttpServer::start(loop, handler, tls_options(authority.serve({"127.0.0.1"})));
    auto old = HttpServer::start(loop, handler, tls_options(*expired));
    REQUIRE(server);
    REQUIRE(old);
    const auto unknown = reach(loop, "127.0.0.1", (*server)->port(), stranger.trusting());
    CHECK(says(unknown, "certificate not accepted"));
    CHECK(says(reach(loop, "127.0.0.1", (*old)->port(), authority.trusting()), "expired"));
    const auto system = make_client_tls({});
    REQUIRE(system);
    CHECK(says(reach(loop, "127.0.0.1", (*server)->port(), *system), "certificate not accepted"));
    const auto blind = make_client_tls({{}, {}, false, {}, {}});
    REQUIRE(blind);
    CHECK(reach(loop, "127.0.0.1", (*old)->port(), *blind) == "ok");
}

TEST_CASE("a certificate is replaced while the server runs", "[net][tls]") {
    EventLoop loop;
    TestHandler handler;
    const Authority before;
    const Authority after;
    auto server = HttpServer::start(loop, handler, tls_options(before.serve({"127.0.0.1"})));
    REQUIRE(server);
    const auto port = (*server)->port();
    CHECK(reach(loop, "127.0.0.1", port, before.trusting()) == "ok");
    const auto bad = (*server)->set_certificate("nonsense", "nonsense");
    REQUIRE_FALSE(bad);
    CHECK(bad.error().code == ErrorCode::Invalid);
    CHECK(reach(loop, "127.0.0.1", port, before.trusting()) == "ok");
    const auto next = after.serve({"127.0.0.1"});
    REQUIRE((*server)->set_certificate(next.certificate_pem, next.private_key_pem));
    CHECK(reach(loop, "127.0.0.1", port, after.trusting()) == "ok");
    CHECK(reach(loop, "127.0.0.1", port, before.trusting()) != "ok");
}

TEST_CASE("plain HTTP to a TLS port and TLS to a plain one fail without harm", "[net][tls]") {
    EventLoop loop;
    TestHandler handler;
    const Authority authority;
    auto secure = HttpServer::start(loop, handler, tls_options(authority.serve({"127.0.0.1"})));
    auto plain = HttpServer::start(loop, handler, plain_options());
    REQUIRE(secure);
    REQUIRE(plain);
    CHECK(reach(loop, "127.0.0.1", (*secure)->port(), nullptr) != "ok");
    CHECK(reach(loop, "127.0.0.1", (*plain)->port(), authority.trusting()) != "ok");
    CHECK(reach(loop, "127.0.0.1", (*secure)->port(), authority.trusting()) == "ok");
    CHECK(reach(loop, "127.0.0.1", (*plain)->port(), nullptr) == "ok");
}

TEST_CASE(
    "broken certificates and keys are errors that name the part and quote no key", "[net][tls]"
) {
    const Authority authority;
    const auto good = authority.serve({"a"});
    const auto other = authority.serve({"a"});
    const auto server = [](const std::string& certificate, const std::string& key) {
        const auto made = make_server_tls({certificate, key, "VersionTLS12"});
        return made ? std::string("ok") : made.error().detail;
    };
    CHECK(server(good.certificate_pem, good.private_key_pem) == "ok");
    CHECK(server("", "").starts_with("server: certificate cannot be read"));
    CHECK(server(good.certificate_pem, "x").starts_with("server: private key cannot be read"));
    CHECK(
        server(good.certificate_pem, other.private_key_pem).find("does not fit") !=
        std::string::npos
    );
    CHECK_FALSE(make_server_tls({good.certificate_pem, good.private_key_pem, "VersionTLS10"}));
    CHECK_FALSE(make_client_tls({"nonsense", {}, true, {}, {}}));
    CHECK_FALSE(make_client_tls(
        {authority.authority.certificate_pem +
             "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
         {},
         true,
         {},
         {}}
    ));
    CHECK(make_client_tls(
        {good.certificate_pem + authority.authority.certificate_pem, {}, true, {}, {}}
    ));
}

TEST_CASE("a server takes the cipher suites and curves that it is given", "[net][tls]") {
    EventLoop loop;
    TestHandler handler;
    const Authority authority;
    const auto certificate = authority.serve({"127.0.0.1"});
    auto options = tls_options(certificate);
    options.tls_cipher_suites = {
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "TLS_AES_128_GCM_SHA256"
    };
    options.tls_curves = {29, 23};
    auto server = HttpServer::start(loop, handler, options);
    REQUIRE(server);
    auto tls = make_client_tls({authority.authority.certificate_pem, "", true, {}, {}});
    REQUIRE(tls);
    CHECK(reach(loop, "127.0.0.1", (*server)->port(), *tls) == "ok");
    auto bad_curve = options;
    bad_curve.tls_curves = {99};
    CHECK_FALSE(HttpServer::start(loop, handler, bad_curve));
    auto bad_suite = options;
    bad_suite.tls_cipher_suites = {"TLS_MADE_UP"};
    CHECK_FALSE(HttpServer::start(loop, handler, bad_suite));
}

TEST_CASE("suites and curves of Go's that this build lacks are left out", "[net][tls]") {
    CHECK(check_cipher_suites({"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"}));
    CHECK(
        check_cipher_suites({"TLS_RSA_WITH_RC4_128_SHA", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"})
    );
    CHECK(check_curves({4587, 4588, 4589, 29}));
    CHECK_FALSE(check_curves({29, 29}));
}

TEST_CASE("suites of TLS 1.3 alone turn TLS 1.2 off", "[net][tls]") {
    const Authority authority;
    const auto certificate = authority.serve({"127.0.0.1"});
    const auto minimum = [&](std::vector<std::string> suites) {
        const auto tls = make_server_tls(
            {.certificate_pem = certificate.certificate_pem,
             .private_key_pem = certificate.private_key_pem,
             .cipher_suites = std::move(suites)}
        );
        REQUIRE(tls);
        return SSL_CTX_get_min_proto_version((*tls)->context.native_handle());
    };
    CHECK(minimum({}) == TLS1_2_VERSION);
    CHECK(minimum({"TLS_AES_128_GCM_SHA256"}) == TLS1_3_VERSION);
    CHECK(
        minimum({"TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"}) ==
        TLS1_2_VERSION
    );
}

TEST_CASE("a cipher suite or curve that there is not is named", "[net][tls]") {
    const Authority authority;
    const auto good = authority.serve({"127.0.0.1"});
    const auto suites = make_server_tls(
        {.certificate_pem = good.certificate_pem,
         .private_key_pem = good.private_key_pem,
         .cipher_suites = {"TLS_MADE_UP"}}
    );
    REQUIRE_FALSE(suites);
    CHECK(suites.error().detail == "TLS cipher suite \"TLS_MADE_UP\" is not supported");
    const auto curves = make_server_tls(
        {.certificate_pem = good.certificate_pem,
         .private_key_pem = good.private_key_pem,
         .curves = {23, 99}}
    );
    REQUIRE_FALSE(curves);
    CHECK(curves.error().detail == "TLS curve 99 is not supported");
}

TEST_CASE("a server that asks for it gets to know a client's certificate", "[net][tls]") {
    EventLoop loop;
    TestHandler handler;
    const Authority authority;
    const auto certificate =
        *make_serving_certificate(*make_authority("any", a_day()), {"alice"}, a_day());
    const auto ask = [&](bool asks, const CertificateAndKey& shown) {
        auto options = tls_options(authority.serve({"127.0.0.1"}));
        options.ask_client_certificate = asks;
        auto server = HttpServer::start(loop, handler, options);
        REQUIRE(server);
        const auto tls = make_client_tls(
            {authority.authority.certificate_pem,
             {},
             true,
             shown.certificate_pem,
             shown.private_key_pem}
        );
        std::string seen;
        // Twice: a connection that follows another is not resumed without its certificate.
        for (int i = 0; i < 2; ++i) {
            HttpClient client(to_server("127.0.0.1", (*server)->port(), *tls));
            const auto outcome = run_async(loop, client.send(get("/who"), 5s));
            REQUIRE(outcome.response);
            seen += outcome.response->body + ";";
        }
        return seen;
    };
    CHECK(ask(true, certificate) == "alice;alice;");
    CHECK(ask(true, {}) == "no one;no one;");
    CHECK(ask(false, certificate) == "no one;no one;");
}

}  // namespace sluice::net
