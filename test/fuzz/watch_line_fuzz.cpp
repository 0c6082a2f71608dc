#include "api/kueue/workload.hpp"
#include "api/meta/codec.hpp"
#include "base/assert.hpp"
#include "fuzz/fuzz_target.hpp"
#include "kube/core/list_page.hpp"
#include "kube/core/status_error.hpp"
#include "kube/core/watch_line.hpp"

#include <string_view>

namespace {

/// Views point into the text they were found in.
void check_within(std::string_view part, std::string_view text) {
    SLUICE_ASSERT(
        part.empty() ||
        (part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size())
    );
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto event = sluice::kube::decode_watch_line(text); event) {
        check_within(event->object, text);
        if (event->type == sluice::kube::WatchEventType::Error) {
            sluice::kube::make_status_error(event->object);
        } else if (sluice::api::decode<sluice::api::Workload>(event->object)) {
            SLUICE_ASSERT(!event->resource_version.empty());
        }
    }
    if (const auto page = sluice::kube::decode_list_page(text); page) {
        for (const auto item : page->items) {
            check_within(item, text);
        }
    }
    sluice::kube::make_status_error(500, text, text);
    return 0;
}
