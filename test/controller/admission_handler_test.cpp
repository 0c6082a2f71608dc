#include "controller/process/webhooks/admission_handler.hpp"

#include "api/meta/codec.hpp"
#include "net/loop/event_loop.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>

namespace sluice::controller {
namespace {

net::ServerResponse answer(Result<webhook::Verdict> verdict) {
    net::EventLoop loop;
    AdmissionHandler handler(
        [&verdict](std::shared_ptr<const api::AdmissionRequest>)
            -> boost::asio::awaitable<Result<webhook::Verdict>> { co_return verdict; }
    );
    net::ServerRequest request;
    request.body = net::SpooledBody(std::string(
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",
            "operation":"CREATE","object":{},"kind":{"group":"","version":"v1","kind":"Pod"}}})"
    ));
    return test::run_async(loop, handler.handle(std::move(request)));
}

}  // namespace

TEST_CASE("a refusal is an answer", "[webhook]") {
    const auto response = answer(webhook::Verdict{.refusal = "spec: Forbidden", .changed = {}});
    CHECK(response.status == 200);
    CHECK(response.body.find(R"("allowed":false)") != std::string::npos);
}

TEST_CASE("who cannot judge yet does not refuse: failurePolicy decides", "[webhook]") {
    const auto response = answer(Error{ErrorCode::Unavailable, "not seen all", {}});
    CHECK(response.status == 503);
    CHECK(response.body == "not seen all\n");
}

TEST_CASE("what cannot be read is refused", "[webhook]") {
    const auto response = answer(Error{ErrorCode::Invalid, "spec is a number", {}});
    CHECK(response.status == 200);
    CHECK(response.body.find("spec is a number") != std::string::npos);
}

}  // namespace sluice::controller
