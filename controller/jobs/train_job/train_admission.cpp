#include "controller/jobs/train_job/train_admission.hpp"

#include "controller/jobs/train_job/train_job.hpp"

namespace sluice::controller {

void TrainAdmission::add_defaults(
    json::Value& object, const config::FeatureGates& /*gates*/
) const {
    make_own_patch(object);
}

}  // namespace sluice::controller
