#include "api/meta/quantity.hpp"

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

TEST_CASE("doubles are those that Kubernetes makes of a quantity", "[api]") {
    struct Row {
        std::string_view text;
        double approximate;
        double nearest;
    };
    // As Kubernetes' own AsApproximateFloat64 and AsFloat64Slow gave them.
    const auto row = GENERATE(
        as<Row>{},
        Row{"1.14", 0x1.23d70a3d70a3ep+00, 0x1.23d70a3d70a3dp+00},
        Row{"1.36", 0x1.5c28f5c28f5c3p+00, 0x1.5c28f5c28f5c3p+00},
        Row{"0.7", 0x1.6666666666667p-01, 0x1.6666666666666p-01},
        Row{"0.70", 0x1.6666666666667p-01, 0x1.6666666666666p-01},
        Row{"700m", 0x1.6666666666667p-01, 0x1.6666666666666p-01},
        Row{".3", 0x1.3333333333334p-02, 0x1.3333333333333p-02},
        Row{"0.3", 0x1.3333333333334p-02, 0x1.3333333333333p-02},
        Row{"0.30", 0x1.3333333333333p-02, 0x1.3333333333333p-02},
        Row{"300m", 0x1.3333333333333p-02, 0x1.3333333333333p-02},
        Row{"2.3", 0x1.2666666666667p+01, 0x1.2666666666666p+01},
        Row{"57e-2", 0x1.23d70a3d70a3ep-01, 0x1.23d70a3d70a3dp-01},
        Row{"5u", 0x1.4f8b588e368fp-18, 0x1.4f8b588e368f1p-18},
        Row{"1.5Ki", 0x1.8p+10, 0x1.8p+10},
        Row{"0.1Gi", 0x1.999999999999ap+26, 0x1.999999999999ap+26},
        Row{"7Ei", 0x1.cp+62, 0x1.cp+62},
        Row{"1234567890123456789", 0x1.12210f47de982p+60, 0x1.12210f47de981p+60},
        Row{"100000000000000000.5", 0x1.6345785d8a001p+56, 0x1.6345785d8ap+56},
        Row{"0.123456789", 0x1.f9add3739636p-04, 0x1.f9add3739635fp-04},
        Row{"0.1234567891", 0x1.f9add3b84e65ap-04, 0x1.f9add3b84e659p-04},
        Row{"3e25", 0x1.8d0bf423c03dap+84, 0x1.8d0bf423c03d9p+84},
        Row{"007.50", 0x1.ep+02, 0x1.ep+02},
        Row{"00000000000000000000.7", 0x1.6666666666667p-01, 0x1.6666666666666p-01},
        Row{"123456Mi", 0x1.e24p+36, 0x1.e24p+36},
        Row{"1e-10", 0x1.12e0be826d695p-30, 0x1.12e0be826d695p-30},
        Row{"12345678.123456789", 0x1.78c29c3f35ba7p+23, 0x1.78c29c3f35ba7p+23}
    );
    CAPTURE(row.text);
    const auto quantity = Quantity::parse(row.text);
    REQUIRE(quantity);
    CHECK(quantity->as_approximate_double() == row.approximate);
    CHECK(quantity->as_double() == row.nearest);
}
