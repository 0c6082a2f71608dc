// Splits one page of a list response into its items.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::kube {

/// One page of a list. Lifetime: `items` points into the text that the page was decoded from.
struct ListPage {
    std::string resource_version;
    std::string continue_token;  ///< empty on the last page
    std::vector<std::string_view> items;
};

/// Splits a page into its items, for the typed decoder. Errors: Invalid if the text is malformed or
/// the list has no metadata.resourceVersion.
Result<ListPage> decode_list_page(std::string_view text);

}  // namespace sluice::kube
