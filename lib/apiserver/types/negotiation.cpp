#include "apiserver/types/negotiation.hpp"

#include "apiserver/types/body.hpp"
#include "apiserver/types/failures.hpp"
#include "apiserver/types/protobuf_answer.hpp"

#include <string>

namespace sluice::apiserver {

Result<void> check_accept(std::string_view accept) {
    if (accept.empty()) {
        return {};
    }
    for (std::string_view left = accept; !left.empty();) {
        const std::string_view range = left.substr(0, left.find(','));
        left.remove_prefix(range.size() == left.size() ? left.size() : range.size() + 1);
        const std::string type = media_type(range);
        if (type == "*/*" || type == "application/*" || type == "application/json") {
            return {};
        }
    }
    return not_acceptable();
}

bool prefers_metadata_in_protobuf(std::string_view accept) {
    const std::string_view first = accept.substr(0, accept.find(','));
    return media_type(first) == kProtobufType &&
           first.find(";as=PartialObjectMetadata") != std::string_view::npos;
}

bool wants_another_form(std::string_view accept) {
    return accept.find(";as=") != std::string_view::npos &&
           accept.find(',') == std::string_view::npos;
}

Error not_acceptable() {
    return make_failure(
        406,
        "NotAcceptable",
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
        "application/vnd.kubernetes.protobuf, application/json;stream=watch, "
        "application/vnd.kubernetes.protobuf;stream=watch",
        json::Object()
    );
}

}  // namespace sluice::apiserver
