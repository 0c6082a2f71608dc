// One fault of one field of a request, as an Invalid status lists it.
#pragma once

#include "api/meta/field_error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// A fault of one field of a request, with the members of metav1.StatusCause.
struct Cause {
    Cause(std::string reason, std::string message, std::string field);
    /// Converts a field error into the form of a Status. The message prints the members of an
    /// object in the value by their names, as the API server does.
    /// Implicit, since a cause is a field error in another form.
    // NOLINTNEXTLINE(google-explicit-constructor)
    Cause(const api::FieldError& error);

    std::string reason;   ///< such as FieldValueRequired
    std::string message;  ///< such as "Required value"
    std::string field;    ///< such as spec.podSets[0].count

    friend bool operator==(const Cause&, const Cause&) = default;
};

/// Returns the path of an element of a list: PATH[PLACE].
std::string element_path(std::string_view path, std::size_t place);

/// Joins "FIELD: MESSAGE" of the causes, as at the end of the message of an Invalid status.
std::string aggregate_text(const std::vector<Cause>& causes);

}  // namespace sluice::apiserver
