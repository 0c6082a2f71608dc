#include "controller/jobs/described/train_admission.hpp"

#include "controller/jobs/described/train_job.hpp"

namespace sluice::controller {

void TrainAdmission::add_defaults(
    json::Value& object, const config::FeatureGates& /*gates*/
) const {
    make_own_patch(object);
}

}  // namespace sluice::controller
