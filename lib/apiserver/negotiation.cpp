#include "apiserver/negotiation.hpp"

#include "apiserver/status.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace sluice::apiserver {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const auto part = text.substr(0, text.find(separator));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        if (!trim(part).empty()) {
            parts.push_back(trim(part));
        }
    }
    return parts;
}

/// One of the forms of a header Accept.
struct MediaRange {
    std::string type;
    std::map<std::string, std::string, std::less<>> parameters;
    double quality = 1;

    std::string_view parameter(std::string_view name) const {
        const auto found = parameters.find(name);
        return found == parameters.end() ? std::string_view() : found->second;
    }
};

std::vector<MediaRange> parse_accept(std::string_view accept) {
    std::vector<MediaRange> ranges;
    for (const auto part : split(accept, ',')) {
        const auto pieces = split(part, ';');
        MediaRange range;
        range.type = pieces.empty() ? std::string() : media_type(pieces.front());
        for (std::size_t i = 1; i < pieces.size(); ++i) {
            const auto equal = pieces[i].find('=');
            if (equal != std::string_view::npos) {
                range.parameters.emplace(
                    trim(pieces[i].substr(0, equal)), trim(pieces[i].substr(equal + 1))
                );
            }
        }
        if (const auto q = range.parameter("q"); !q.empty()) {
            range.quality = std::strtod(std::string(q).c_str(), nullptr);
        }
        ranges.push_back(std::move(range));
    }
    std::ranges::stable_sort(ranges, std::greater<>(), &MediaRange::quality);
    return ranges;
}

bool is_json(std::string_view type) {
    return type == "application/json" || type == "*/*" || type == "application/*";
}

std::optional<OutputForm> form_of(const MediaRange& range, bool allows_tables) {
    OutputForm form;
    form.is_yaml = range.type == "application/yaml";
    if (!form.is_yaml && !is_json(range.type)) {
        return std::nullopt;
    }
    form.is_pretty = range.parameter("pretty") == "1";
    const auto as = range.parameter("as");
    if (as.empty()) {
        return form;
    }
    const auto version = range.parameter("v");
    if (!allows_tables || range.parameter("g") != "meta.k8s.io"
        || (version != "v1" && version != "v1beta1")) {
        return std::nullopt;
    }
    form.version = version;
    if (as == "Table") {
        form.as = OutputForm::As::Table;
    } else if (as == "PartialObjectMetadata") {
        form.as = OutputForm::As::PartialMetadata;
    } else if (as == "PartialObjectMetadataList") {
        form.as = OutputForm::As::PartialMetadataList;
    } else {
        return std::nullopt;
    }
    return form;
}

}  // namespace

std::string media_type(std::string_view header) {
    std::string type(trim(header.substr(0, header.find(';'))));
    std::ranges::transform(type, type.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return type;
}

Result<OutputForm> negotiate(std::string_view accept, bool allows_tables) {
    const auto ranges = parse_accept(accept);
    if (ranges.empty()) {
        return OutputForm{};
    }
    for (const auto& range : ranges) {
        if (const auto form = form_of(range, allows_tables)) {
            return *form;
        }
    }
    return make_status_error(
        406,
        "NotAcceptable",
        "only the following media types are accepted: application/json, "
        "application/json;stream=watch, application/yaml, application/vnd.kubernetes.protobuf, "
        "application/vnd.kubernetes.protobuf;stream=watch"
    );
}

std::string aggregated_discovery_version(std::string_view accept) {
    for (const auto& range : parse_accept(accept)) {
        if (!is_json(range.type)) {
            continue;
        }
        if (range.parameter("g") != "apidiscovery.k8s.io") {
            return "";
        }
        const auto version = range.parameter("v");
        if (range.parameter("as") == "APIGroupDiscoveryList"
            && (version == "v2" || version == "v2beta1")) {
            return std::string(version);
        }
    }
    return "";
}

}  // namespace sluice::apiserver
