#include "serving/gradual_certificates.hpp"

#include "net/loop/event_loop.hpp"
#include "serving/authority_bundle.hpp"
#include "support/manual_clock.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::serving {
namespace {

using namespace std::chrono_literals;

/// Gives what the test says.
class ScriptedSource final : public CertificateSource {
  public:
    explicit ScriptedSource(const Result<ServingCertificates>& next) : next_(next) {}
    kube::Async<ServingCertificates> current() override { co_return next_; }

  private:
    const Result<ServingCertificates>& next_;
};

struct Shown {
    test::ManualClock clock{SystemClock().now()};
    net::EventLoop loop;
    Result<ServingCertificates> next = make();
    GradualCertificates certificates{
        std::make_unique<ScriptedSource>(next),
        clock,
        {.shown_after = 30s, .settled_after = 1h},
    };

    ServingCertificates make() const {
        return *make_certificates({}, "test", {"127.0.0.1"}, clock.now());
    }
    ServingCertificates current() {
        const auto given = test::run_async(loop, certificates.current());
        REQUIRE(given);
        return *given;
    }
    /// What is given after some time, when it is then published.
    ServingCertificates published_after(Duration duration) {
        clock.advance(duration);
        auto given = current();
        certificates.note_published(given.authority.certificate_pem);
        return given;
    }
};

std::vector<std::string> authorities_of(const ServingCertificates& given) {
    return split_certificates(given.authority.certificate_pem);
}

bool shows(const ServingCertificates& given, const ServingCertificates& wanted) {
    return given.serving.certificate_pem == wanted.serving.certificate_pem &&
           given.serving.private_key_pem == wanted.serving.private_key_pem;
}

}  // namespace

TEST_CASE("a new authority is published before its certificate is shown", "[certificates]") {
    Shown replica;
    const auto old = *replica.next;
    CHECK(shows(replica.published_after(0s), old));
    const auto fresh = replica.make();
    replica.next = fresh;
    const std::vector<std::string> both = {
        fresh.authority.certificate_pem, old.authority.certificate_pem
    };
    for (const Duration wait : {Duration(0s), Duration(15s), Duration(14s)}) {
        const auto given = replica.published_after(wait);
        CHECK(shows(given, old));
        CHECK(authorities_of(given) == both);
        CHECK(given.authority.private_key_pem.empty());
    }
    const auto given = replica.published_after(1s);
    CHECK(shows(given, fresh));
    CHECK(authorities_of(given) == both);
    CHECK_FALSE(replica.certificates.is_settled());
}

TEST_CASE("the authority before goes when no replica can use it any more", "[certificates]") {
    Shown replica;
    replica.published_after(0s);
    replica.next = replica.make();
    replica.published_after(0s);
    replica.published_after(30s);
    CHECK(authorities_of(replica.published_after(59min)).size() == 2);
    CHECK_FALSE(replica.certificates.is_settled());
    const auto given = replica.published_after(1min);
    CHECK(replica.certificates.is_settled());
    CHECK(authorities_of(given) == std::vector{replica.next->authority.certificate_pem});
}

TEST_CASE("while an authority cannot be published, the one before is used", "[certificates]") {
    Shown replica;
    const auto old = *replica.next;
    replica.published_after(0s);
    replica.next = replica.make();
    for (int hour = 0; hour < 3; ++hour) {
        const auto given = replica.current();
        CHECK(shows(given, old));
        CHECK(authorities_of(given).size() == 2);
        // Something else, such as what was there before, does not count.
        replica.certificates.note_published(old.authority.certificate_pem);
        replica.clock.advance(1h);
    }
    CHECK_FALSE(replica.certificates.is_settled());
}

TEST_CASE("an expired certificate is not shown on", "[certificates]") {
    Shown replica;
    replica.published_after(0s);
    replica.clock.advance(24h * 366);
    replica.next = replica.make();
    CHECK(shows(replica.current(), *replica.next));
}

TEST_CASE("a certificate of the same authority is shown at once", "[certificates]") {
    Shown replica;
    replica.published_after(0s);
    replica.next->serving =
        make_certificates(*replica.next, "test", {"other"}, replica.clock.now())->serving;
    const auto given = replica.current();
    CHECK(shows(given, *replica.next));
    CHECK(authorities_of(given).size() == 1);
}

TEST_CASE("an authority that comes back is the newest again", "[certificates]") {
    Shown replica;
    const auto first = *replica.next;
    replica.published_after(0s);
    const auto second = replica.make();
    replica.next = second;
    replica.published_after(0s);
    replica.next = first;
    const auto given = replica.published_after(2h);
    CHECK(shows(given, first));
    const std::vector<std::string> both = {
        first.authority.certificate_pem, second.authority.certificate_pem
    };
    CHECK(authorities_of(given) == both);
}

TEST_CASE("without an authority to publish a certificate is shown at once", "[certificates]") {
    Shown replica;
    replica.next->authority.certificate_pem.clear();
    CHECK(replica.current().authority.certificate_pem.empty());
    replica.next = replica.make();
    replica.next->authority.certificate_pem.clear();
    CHECK(shows(replica.current(), *replica.next));
}

TEST_CASE("what the source cannot give is an error, and later there again", "[certificates]") {
    Shown replica;
    const auto old = *replica.next;
    replica.next = Error{ErrorCode::Unavailable, "nothing there", {}};
    CHECK_FALSE(test::run_async(replica.loop, replica.certificates.current()));
    CHECK_FALSE(replica.certificates.is_settled());
    replica.next = old;
    CHECK(shows(replica.current(), old));
}

}  // namespace sluice::serving
