#include "kube/core/resource_path.hpp"

#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

namespace sluice::kube {
std::string to_string(const NamespacedName& key) {
    return key.namespace_.empty() ? key.name : key.namespace_ + "/" + key.name;
}

NamespacedName parse_namespaced_name(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) {
        return NamespacedName{{}, std::string(text)};
    }
    return NamespacedName{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

std::string percent_encode(std::string_view text) {
    return boost::urls::encode(text, boost::urls::unreserved_chars);
}

std::string to_target(const ResourcePath& path) {
    std::string out = path.group.empty() ? "/api/" : "/apis/" + percent_encode(path.group) + "/";
    out += percent_encode(path.version);
    if (!path.namespace_.empty()) {
        out += "/namespaces/" + percent_encode(path.namespace_);
    }
    out += "/" + percent_encode(path.plural);
    if (!path.name.empty()) {
        out += "/" + percent_encode(path.name);
    }
    if (!path.subresource.empty()) {
        out += "/" + percent_encode(path.subresource);
    }
    return out;
}

std::string describe(const ResourcePath& path) {
    std::string out = path.plural;
    if (!path.group.empty()) {
        out += "." + path.group;
    }
    if (!path.name.empty()) {
        out += " " + to_string(NamespacedName{path.namespace_, path.name});
    } else if (!path.namespace_.empty()) {
        out += " in " + path.namespace_;
    }
    if (!path.subresource.empty()) {
        out += " (" + path.subresource + ")";
    }
    return out;
}

}  // namespace sluice::kube
