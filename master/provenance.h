// Where an experiment's code came from and what a trial ran on: the wire's Provenance as the store
// keeps it, and all that is known of a trial as one list of facts, in the order in which people want
// them. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "core/master/rows.h"
#include "dovetail/v1/experiment.pb.h"
#include "dovetail/v1/trial.pb.h"
#include "master/store/store.h"

namespace dt::master {

// Refuses what is larger than a client may send.
Status check_provenance(const ::dovetail::v1::Provenance& provenance);
Value provenance_value(const ::dovetail::v1::Provenance& provenance);
::dovetail::v1::Provenance provenance_of(const Value& stored);  // empty of null

struct TrialFacts {
  core::ExperimentRow experiment;
  Value provenance;
  RunRecords run;
  std::map<AgentId, std::string> agent_names;
};
std::vector<::dovetail::v1::Fact> facts_of(const TrialFacts& trial);

}  // namespace dt::master
