#include "workload/pods/amounts.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice::workload {
namespace {

using engine::Amount;

api::Quantity quantity(std::string_view text) {
    auto made = api::Quantity::parse(text);
    REQUIRE(made);
    return *made;
}

}  // namespace

TEST_CASE("requests count cpu in thousandths and round up", "[workload][amounts]") {
    CHECK(request_amount("cpu", quantity("1")) == Amount(1000));
    CHECK(request_amount("cpu", quantity("100u")) == Amount(1));
    CHECK(request_amount("cpu", quantity("1.5")) == Amount(1500));
    CHECK(request_amount("memory", quantity("1Gi")) == Amount(1 << 30));
    CHECK(request_amount("memory", quantity("1500m")) == Amount(2));
    CHECK(request_amount("nvidia.com/gpu", quantity("8")) == Amount(8));
    CHECK(request_amount("cpu", quantity("10E")).is_unlimited());
}

TEST_CASE("a quota too large for the scheduler is unlimited", "[workload][amounts]") {
    CHECK(quota_amount("cpu", quantity("9223372036854775")).is_unlimited());
    CHECK(quota_amount("cpu", quantity("9223372036854774")) == Amount(9223372036854774000));
    CHECK(quota_amount("memory", quantity("8Ei")).is_unlimited());
    CHECK(quota_amount("memory", quantity("7Ei")) == Amount(std::int64_t{7} << 60));
}

TEST_CASE(
    "bytes that make no whole kibibytes are printed in decimal units", "[workload][amounts]"
) {
    CHECK(to_text("memory", Amount(5'000'000'000)) == "5G");
    CHECK(to_text("memory", Amount(-1'500'000'000)) == "-1500M");
    CHECK(to_text("memory", Amount(2'000'000'000)) == "1953125Ki");
    CHECK(to_text("memory", Amount(1'500'000'001)) == "1500000001");
    CHECK(to_text("ephemeral-storage", Amount(3000)) == "3k");
    CHECK(to_quantity("hugepages-2Mi", Amount(3000)).format() == api::Quantity::Format::DecimalSI);
}

TEST_CASE("amounts are printed in the format of their resource", "[workload][amounts]") {
    CHECK(to_text("cpu", Amount(1500)) == "1500m");
    CHECK(to_text("cpu", Amount(2000)) == "2");
    CHECK(to_text("memory", Amount(1536 << 20)) == "1536Mi");
    CHECK(to_text("memory", Amount(1000)) == "1k");
    CHECK(to_text("ephemeral-storage", Amount(1 << 30)) == "1Gi");
    CHECK(to_text("hugepages-2Mi", Amount(4 << 20)) == "4Mi");
    CHECK(to_text("example.com/x", Amount(2048)) == "2048");
    CHECK(to_text("example.com/x", Amount(3000)) == "3k");
    CHECK(to_text("cpu", Amount::unlimited()) == "<unlimited>");
    CHECK(to_text("pods", Amount(0)) == "0");
}

}  // namespace sluice::workload
