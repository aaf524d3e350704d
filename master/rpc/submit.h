// Submitting experiments, one or many: a configuration is parsed and checked here, so that what the
// loop gets is valid. Any thread.
#pragma once

#include "dovetail/v1/experiment.pb.h"
#include "master/rpc/services.h"

namespace dt::master {

Status create_experiment(const Services& services, const Caller& caller,
                         const v1::CreateExperimentRequest& request,
                         v1::CreateExperimentResponse& response);
Status create_experiments(const Services& services, const Caller& caller,
                          const v1::CreateExperimentsRequest& request,
                          v1::CreateExperimentsResponse& response);

}  // namespace dt::master
