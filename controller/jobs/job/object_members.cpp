#include "controller/jobs/job/object_members.hpp"

namespace sluice::controller {

json::Value& object_at(json::Value& value, std::initializer_list<std::string_view> path) {
    json::Value* at = &value;
    for (const std::string_view key : path) {
        json::Value* found = at->find(key);
        at = found != nullptr && found->is_object() ? found : &at->set(key, json::Object{});
    }
    return *at;
}

json::Value& list_at(json::Value& value, std::string_view name) {
    json::Value* found = value.find(name);
    return found != nullptr && found->is_array() ? *found : value.set(name, json::Array{});
}

}  // namespace sluice::controller
