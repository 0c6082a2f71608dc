#include "apiserver/webhooks.hpp"

namespace sluice::apiserver {

Flow<Result<void>> call_mutating_webhooks(Core* /*core*/, AdmissionRequest /*request*/) {
    co_return Result<void>();
}

Flow<Result<void>> call_validating_webhooks(Core* /*core*/, AdmissionRequest /*request*/) {
    co_return Result<void>();
}

}  // namespace sluice::apiserver
