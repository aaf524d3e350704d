// What changes experiments that are there: verbs on one or many, edits, continue. Any thread.
#pragma once

#include "dovetail/v1/experiment.pb.h"
#include "master/rpc/services.h"

namespace dt::master {

Status change_experiment(const Services& services, const Caller& caller,
                         const v1::ChangeExperimentRequest& request,
                         v1::ChangeExperimentResponse& response);
Status change_experiments(const Services& services, const Caller& caller,
                          const v1::ChangeExperimentsRequest& request,
                          v1::ChangeExperimentsResponse& response);
Status edit_experiment(const Services& services, const Caller& caller,
                       const v1::EditExperimentRequest& request);
Status continue_experiment(const Services& services, const Caller& caller,
                           const v1::ContinueExperimentRequest& request,
                           v1::ContinueExperimentResponse& response);

}  // namespace dt::master
