#include "api/quantity.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cstdint>
#include <limits>
#include <string>

using sluice::api::Quantity;

namespace {

struct Row {
    std::string text;
    std::string canonical;
    std::int64_t value;
    std::int64_t milli;
};

Quantity parse(const std::string& text) {
    const auto quantity = Quantity::parse(text);
    REQUIRE(quantity);
    return *quantity;
}

}  // namespace

TEST_CASE("a quantity is printed in its canonical form and rounds up", "[api][quantity]") {
    const auto row = GENERATE(
        Row{"0", "0", 0, 0},
        Row{"0Mi", "0", 0, 0},
        Row{"-0", "0", 0, 0},
        Row{".5", "500m", 1, 500},
        Row{"5.", "5", 5, 5000},
        Row{"-.5", "-500m", -1, -500},
        Row{"+1", "1", 1, 1000},
        Row{"01", "1", 1, 1000},
        Row{"1.500", "1500m", 2, 1500},
        Row{"1000m", "1", 1, 1000},
        Row{"1e-10", "1e-9", 1, 1},
        Row{"0.1n", "1n", 1, 1},
        Row{"1000u", "1m", 1, 1},
        Row{"1001n", "1001n", 1, 1},
        Row{"1.0000000001", "1000000001n", 2, 1001},
        Row{"1.5Ki", "1536", 1536, 1536000},
        Row{"0.5Mi", "512Ki", 524288, 524288000},
        Row{"0.5Ki", "512", 512, 512000},
        Row{"0.0001Ki", "102400u", 1, 103},
        Row{"1024Ki", "1Mi", 1048576, 1048576000},
        Row{"1.1Gi", "1181116006400m", 1181116007, 1181116006400},
        Row{"1E3", "1e3", 1000, 1000000},
        Row{"1e+3", "1e3", 1000, 1000000},
        Row{"1e2", "100", 100, 100000},
        Row{"12e6", "12e6", 12000000, 12000000000},
        Row{"1e-3", "1e-3", 1, 1},
        Row{"1000k", "1M", 1000000, 1000000000},
        Row{"0.0000000000000001Ei", "115292150461n", 116, 115293}
    );
    CAPTURE(row.text);
    const Quantity quantity = parse(row.text);
    CHECK(quantity.to_string() == row.canonical);
    CHECK(quantity.value() == row.value);
    CHECK(quantity.milli_value() == row.milli);
    CHECK(parse(quantity.to_string()) == quantity);
}

TEST_CASE("a quantity beyond int64 saturates", "[api][quantity]") {
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    CHECK(parse("9223372036854775807").value() == kMax);
    CHECK(parse("9223372036854775807").milli_value() == kMax);
    CHECK(parse("100E").value() == kMax);
    CHECK(parse("100E").to_string() == "100E");
    CHECK(parse("-100E").milli_value() == std::numeric_limits<std::int64_t>::min());
    CHECK(parse("16Ei").to_string() == "9223372036854775807");
    CHECK(parse("1e9999999999").value() == kMax);
    CHECK(parse("1e-9999999999").to_string() == "1e-9");
    CHECK((parse("1e29") + parse("1e29") + parse("1e29")).value() == kMax);
}

TEST_CASE("what is no quantity is refused", "[api][quantity]") {
    const auto text = GENERATE(
        as<std::string>{},
        "",
        ".",
        "-",
        "Mi",
        "1e",
        "1e3m",
        "1Ki5",
        "1Kii",
        "1 ",
        " 1",
        "1i",
        "0x10",
        "1_0",
        "e3",
        "--1",
        "1.2.3",
        "1,5",
        "NaN",
        "1kI"
    );
    CAPTURE(text);
    const auto quantity = Quantity::parse(text);
    REQUIRE_FALSE(quantity);
    CHECK(quantity.error().code == sluice::ErrorCode::Invalid);
}

TEST_CASE("sums keep the style of the left side", "[api][quantity]") {
    CHECK((parse("1Gi") + parse("1024Mi")).to_string() == "2Gi");
    CHECK((Quantity() + parse("512Mi")).to_string() == "512Mi");
    CHECK((parse("500m") - parse("1500m")).to_string() == "-1");
    CHECK(parse("1") > parse("999m"));
    CHECK(parse("1Ki") == parse("1024"));
    CHECK(Quantity::from_milli(1500).to_string() == "1500m");
}
