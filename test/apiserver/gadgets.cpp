#include "apiserver/gadgets.hpp"

#include <catch2/catch_test_macros.hpp>

#include <utility>

namespace sluice::test {

using json::Value;

const std::string_view kGadgetDefinition = R"(
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {url: "https://127.0.0.1:9443/convert"}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer}}}}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {width: {type: integer}, unit: {type: string, default: mm}}
)";

namespace {

void rename_member(Value& object, const char* from, const char* to) {
    Value* spec = object.find("spec");
    if (const Value* value = spec == nullptr ? nullptr : spec->find(from)) {
        Value kept = *value;
        spec->erase(from);
        spec->set(to, std::move(kept));
    }
}

/// What a webhook for Gadgets answers.
Value convert_gadgets(const Value& review) {
    const Value& request = *review.find("request");
    const bool to_old = request.string_at("desiredAPIVersion") == "example.com/v1";
    json::Array converted;
    for (Value object : request.find("objects")->as_array()) {
        rename_member(object, to_old ? "width" : "size", to_old ? "size" : "width");
        object.set("apiVersion", request.string_at("desiredAPIVersion"));
        converted.push_back(std::move(object));
    }
    return json::Object{
        {"kind", "ConversionReview"},
        {"apiVersion", "apiextensions.k8s.io/v1"},
        {"response",
         json::Object{
             {"uid", request.string_at("uid")},
             {"result", json::Object{{"status", "Success"}}},
             {"convertedObjects", std::move(converted)}
         }}
    };
}

}  // namespace

Gadgets::Gadgets() {
    REQUIRE(outcome("POST", kDefinitions, kGadgetDefinition) == "201");
    webhook = [this](const apiserver::WebhookCall& call) -> Result<Value> {
        calls.push_back(call);
        Value answer = convert_gadgets(call.review);
        if (spoil) {
            spoil(*answer.find("response"));
        }
        return answer;
    };
}

Value Gadgets::stored(const std::string& name) const {
    return *server.state().store.find({"example.com", "gadgets"}, {"default", name});
}

Value& first_object(Value& response) {
    return response.find("convertedObjects")->as_array().front();
}

}  // namespace sluice::test
