#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::kube {

/// One page of a list. Lifetime: `items` view the text it was decoded from.
struct ListPage {
    std::string resource_version;
    std::string continue_token;  ///< empty on the last page
    std::vector<std::string_view> items;
};

/// Splits a page into its items, which go to the typed decoder one by one.
/// Errors: Invalid for malformed text or a list without metadata.resourceVersion.
Result<ListPage> decode_list_page(std::string_view text);

}  // namespace sluice::kube
