#include "base/assert.hpp"
#include "fuzz/fuzz_target.hpp"
#include "json/value.hpp"
#include "webhook/conversion.hpp"
#include "webhook/review_answer.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto answer = sluice::test::answer_review(text);
    if (!answer) {
        return 0;
    }
    const auto body = sluice::json::parse(answer->body);
    SLUICE_ASSERT(body.has_value());
    const auto* objects = body->find_path({"response", "convertedObjects"});
    SLUICE_ASSERT(objects != nullptr && objects->is_array());
    for (const auto& object : objects->as_array()) {
        // A converted object converts back, and after one trip nothing more changes.
        const auto version = object.string_at("apiVersion");
        const auto other = version == sluice::webhook::kV1beta1 ? sluice::webhook::kV1beta2
                                                                : sluice::webhook::kV1beta1;
        auto there = object;
        if (!sluice::webhook::convert(there, other)) {
            continue;
        }
        auto back = there;
        SLUICE_ASSERT(sluice::webhook::convert(back, version).has_value());
        auto again = back;
        SLUICE_ASSERT(sluice::webhook::convert(again, other).has_value());
        SLUICE_ASSERT(sluice::webhook::convert(again, version).has_value());
        SLUICE_ASSERT(again == back);
    }
    return 0;
}
