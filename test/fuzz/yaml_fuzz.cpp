#include "base/assert.hpp"
#include "fuzz/fuzz_target.hpp"
#include "json/tree_builder.hpp"
#include "json/value.hpp"
#include "yaml/block_reader.hpp"
#include "yaml/library_reader.hpp"
#include "yaml/parse.hpp"

#include <string_view>
#include <vector>

namespace {

using namespace sluice;

/// What the block reader takes for a document means the same to yaml-cpp.
void compare_readers(std::string_view text) {
    const yaml::Limits limits;
    json::TreeBuilder builder;
    if (!yaml::read_block(text, limits.depth, builder) || builder.repeated_key()) {
        return;
    }
    SLUICE_ASSERT(builder.is_complete());
    std::vector<yaml::Document> documents;
    yaml::read_with_library(text, 1, limits, [&](yaml::Document document) {
        documents.push_back(std::move(document));
    });
    SLUICE_ASSERT(documents.size() == 1 && documents[0].value);
    SLUICE_ASSERT(json::print(*documents[0].value) == json::print(builder.take()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& document : sluice::yaml::parse_documents(text)) {
        if (document.value) {
            sluice::json::print(*document.value);
        } else {
            SLUICE_ASSERT(!document.value.error().detail.empty());
        }
    }
    compare_readers(text);
    return 0;
}
