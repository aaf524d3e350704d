// What a search will do and how far one has come: the bodies of PreviewSearch and GetSearch.
#pragma once

#include "base/status.h"
#include "dovetail/v1/experiment.pb.h"
#include "master/store/store.h"

namespace dt::master {

Status preview_search(const ::dovetail::v1::PreviewSearchRequest& request,
                      ::dovetail::v1::PreviewSearchResponse& response);
Status get_search(Store& store, ExperimentId experiment,
                  ::dovetail::v1::GetSearchResponse& response);

}  // namespace dt::master
