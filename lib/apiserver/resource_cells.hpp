#pragma once

#include "apiserver/cell_row.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// The cells of kinds that neither run anything nor configure what does: networks, storage,
/// quotas, admission and flow control; empty: it is none of these.
json::Array resource_cells(std::string_view kind, const Row& row);

}  // namespace sluice::apiserver
