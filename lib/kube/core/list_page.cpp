#include "kube/core/list_page.hpp"

#include "kube/core/raw_json.hpp"

#include <utility>

namespace sluice::kube {

Result<ListPage> decode_list_page(std::string_view text) {
    const auto members = split_object(text);
    if (!members) {
        return with_context(members.error(), "list");
    }
    ListPage page;
    for (const auto& member : *members) {
        if (member.key == "metadata") {
            page.resource_version = find_string(member.value, {"resourceVersion"});
            page.continue_token = find_string(member.value, {"continue"});
        } else if (member.key == "items" && member.value != "null") {
            auto items = split_array(member.value);
            if (!items) {
                return with_context(items.error(), "list items");
            }
            page.items = std::move(*items);
        }
    }
    if (page.resource_version.empty()) {
        return make_invalid("list: no metadata.resourceVersion");
    }
    return page;
}

}  // namespace sluice::kube
