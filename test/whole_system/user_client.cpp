#include "whole_system/user_client.hpp"

#include "whole_system/world.hpp"

#include <utility>

namespace sluice::whole_system {

int UserClient::send(std::string method, std::string path, const json::Value* body) {
    apiserver::Request request = apiserver::make_request(method, path);
    request.accept = "application/json";
    request.user_agent = "kubectl";
    request.content_type = method == "PATCH" ? "application/merge-patch+json" : "application/json";
    if (!user_.empty()) {
        request.user = user_;
        request.is_restricted = true;
        request.groups = {"system:authenticated"};
    }
    if (body != nullptr) {
        request.body = json::print(*body);
    }
    const json::Value* created =
        method == "POST" && body != nullptr ? body->find_path({"metadata", "name"}) : nullptr;
    const std::string named = path.substr(path.rfind('/') + 1);
    if (writes_) {
        writes_(created != nullptr ? created->as_string() : named.substr(0, named.find('?')));
    }
    const int status = cluster_.request(std::move(request)).status;
    if (writes_) {
        writes_("");
    }
    return status;
}

int UserClient::create(const std::string& path, const json::Value& object) {
    return send("POST", path, &object);
}

int UserClient::merge(const std::string& path, const std::string& text) {
    return patch(path, parse(text));
}

int UserClient::patch(const std::string& path, const json::Value& merge_patch) {
    return send("PATCH", path, &merge_patch);
}

int UserClient::remove(const std::string& path, const std::string& propagation) {
    return send("DELETE", path + "?propagationPolicy=" + propagation, nullptr);
}

std::vector<std::string> UserClient::names(const apiserver::Collection& collection) const {
    std::vector<std::string> made;
    for (const auto& [name, object] : cluster_.state().store.objects(collection)) {
        made.push_back(name.name);
    }
    return made;
}

}  // namespace sluice::whole_system
