#include "apiserver/objects/cause.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::apiserver {

Cause::Cause(std::string reason, std::string message, std::string field)
    : reason(std::move(reason)), message(std::move(message)), field(std::move(field)) {}

Cause::Cause(const api::FieldError& error)
    : reason(error.reason()),
      message(error.message(api::FieldError::Members::Sorted)),
      field(error.field) {}

std::string element_path(std::string_view path, std::size_t place) {
    return fmt::format("{}[{}]", path, place);
}

std::string aggregate_text(const std::vector<Cause>& causes) {
    std::vector<std::string> texts;
    texts.reserve(causes.size());
    for (const Cause& cause : causes) {
        texts.push_back(cause.field + ": " + cause.message);
    }
    return api::aggregate(texts);
}

}  // namespace sluice::apiserver
