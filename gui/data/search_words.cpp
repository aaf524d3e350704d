#include "gui/data/search_words.h"

#include <QStringList>
#include <algorithm>

#include "gui/data/format.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

QString text(const std::string& words) { return QString::fromStdString(words); }

// The last rung of the largest bracket: what only few trials reach.
const v1::PreviewRung* top_rung(const v1::PreviewSearchResponse& preview) {
  const v1::PreviewRung* top = nullptr;
  for (const v1::PreviewRung& rung : preview.rungs()) {
    if (top == nullptr || rung.units() > top->units()) top = &rung;
  }
  return top;
}

int reaching(const v1::PreviewSearchResponse& preview, std::int64_t units) {
  int trials = 0;
  for (const v1::PreviewRung& rung : preview.rungs()) {
    if (rung.units() == units) trials += rung.trials();
  }
  return trials;
}

}  // namespace

SearchPicture picture_of(const v1::PreviewSearchResponse& preview) {
  SearchPicture picture{.unit = text(preview.unit())};
  for (const v1::PreviewRung& rung : preview.rungs()) {
    picture.rungs.push_back({.bracket = rung.bracket(),
                             .units = integer(rung.units()),
                             .trials = rung.trials(),
                             .is_plan = true});
  }
  return picture;
}

SearchPicture picture_of(const v1::GetSearchResponse& search) {
  SearchPicture picture{.unit = text(search.unit())};
  for (const v1::SearchRung& rung : search.rungs()) {
    picture.rungs.push_back(
        {.bracket = rung.bracket(),
         .units = integer(rung.units()),
         .trials = rung.trials(),
         .continued = rung.continued(),
         .stopped = rung.stopped(),
         .paused = rung.paused(),
         .best = rung.has_best_metric() ? number(rung.best_metric()) : QString()});
  }
  return picture;
}

QString preview_words(const v1::PreviewSearchResponse& preview) {
  QString words = plural(preview.trials(), u"trial"_s);
  const QString unit = text(preview.unit());
  if (const v1::PreviewRung* top = top_rung(preview); top != nullptr && preview.rungs_size() > 1) {
    const int few = reaching(preview, top->units());
    words += u", "_s + integer(few) + (few == 1 ? u" reaches "_s : u" reach "_s);
    words += integer(top->units()) + u' ' + unit;
  }
  if (preview.total_units() > 0) {
    words += u"; "_s + integer(preview.total_units()) + u' ' + unit + u" in all"_s;
  }
  words += u"; "_s + plural(preview.slots_per_trial(), u"slot"_s) + u" a trial"_s;
  if (preview.max_concurrent_trials() > 0 && preview.max_concurrent_trials() < preview.trials()) {
    words += u", "_s + integer(preview.max_concurrent_trials()) + u" at a time"_s;
  }
  return words;
}

QString search_words(const v1::GetSearchResponse& search, int trials_made) {
  int stopped = 0;
  for (const v1::SearchRung& rung : search.rungs()) stopped += rung.stopped();
  const int wanted = std::max(search.trials_wanted(), trials_made);
  QString words = integer(trials_made) + u" of "_s + plural(wanted, u"trial"_s) + u" made"_s;
  if (stopped > 0) words += u"; "_s + integer(stopped) + u" stopped early"_s;
  return words;
}

QString rung_words(const RungBar& rung) {
  if (rung.is_plan) return u"at most "_s + plural(rung.trials, u"trial"_s);
  const QString fates = fate_words(rung);
  return integer(rung.trials) + u" reached"_s + (fates.isEmpty() ? QString() : u" · "_s + fates);
}

QString fate_words(const RungBar& rung) {
  QStringList parts;
  if (rung.continued > 0) parts += integer(rung.continued) + u" went on"_s;
  if (rung.paused > 0) parts += integer(rung.paused) + u" paused"_s;
  if (rung.stopped > 0) parts += integer(rung.stopped) + u" stopped"_s;
  return parts.join(u" · "_s);
}

}  // namespace dt::gui
