#pragma once

#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// One fault of one field of a request, as metav1.StatusCause tells it.
struct Cause {
    std::string reason;   ///< such as FieldValueRequired
    std::string message;  ///< such as "Required value"
    std::string field;    ///< such as spec.podSets[0].count

    friend bool operator==(const Cause&, const Cause&) = default;
};

/// Causes in the words of Kubernetes' field.Error. A detail may be empty where it is no part of
/// the class's sentence.
Cause invalid_value(std::string field, const json::Value& value, std::string_view detail);
Cause invalid_type(std::string field, const json::Value& value, std::string_view detail);
Cause required_value(std::string field, std::string_view detail = "");
Cause duplicate_value(std::string field, const json::Value& value);
Cause forbidden(std::string field, std::string_view detail);
Cause unsupported_value(
    std::string field, const json::Value& value, const std::vector<std::string>& supported
);
Cause not_found_value(std::string field, const json::Value& value);
Cause too_long(std::string field, std::size_t bytes_max);
Cause too_many(std::string field, std::size_t count, std::size_t count_max);

/// The field of an element of a list: PATH[PLACE].
std::string element_path(std::string_view path, std::size_t place);

/// "FIELD: MESSAGE" of one cause; of several they stand in brackets, joined by ", ", each once, as
/// the message of an Invalid status ends.
std::string aggregate_text(const std::vector<Cause>& causes);

}  // namespace sluice::apiserver
