// What a search will do or has done, in words and bars for people, from what PreviewSearch and
// GetSearch answer. Pure.
#pragma once

#include <QString>
#include <vector>

#include "dovetail/v1/experiment.pb.h"

namespace dt::gui {

namespace v1 = ::dovetail::v1;

// One rung of a search as a bar: how many trials reach it, and what became of them so far.
struct RungBar {
  int bracket = 0;
  QString units;  // "1,000"
  int trials = 0;
  int continued = 0;
  int stopped = 0;
  int paused = 0;
  bool is_plan = false;  // nothing has happened yet: `trials` is how many may get here
  QString best;          // the best metric there; empty: none
  bool operator==(const RungBar&) const = default;
};

struct SearchPicture {
  QString unit;  // "batches"
  std::vector<RungBar> rungs;
  bool operator==(const SearchPicture&) const = default;
};

SearchPicture picture_of(const v1::PreviewSearchResponse& preview);
SearchPicture picture_of(const v1::GetSearchResponse& search);

// "16 trials, 4 reach 1,000 batches; 9,200 batches in all; 2 slots a trial, 4 at a time".
QString preview_words(const v1::PreviewSearchResponse& preview);
// "9 of 12 trials made; 5 stopped early".
QString search_words(const v1::GetSearchResponse& search, int trials_made);
// "8 reached · 2 went on · 6 stopped".
QString rung_words(const RungBar& rung);
// "2 went on · 6 stopped".
QString fate_words(const RungBar& rung);

}  // namespace dt::gui
