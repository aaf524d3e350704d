#include "gui/data/series_list.h"

#include <algorithm>
#include <cmath>

#include "dovetail/v1/metrics.grpc.pb.h"

namespace dt::gui {
namespace {

constexpr int new_series_ms = 100;
constexpr int growth_ms = 2'000;

SeriesRow row_from(const v1::Series& series) {
  return {.id = series.id(),
          .trial = series.trial_id(),
          .rank = series.rank(),
          .group = QString::fromStdString(series.metric_group()),
          .name = QString::fromStdString(series.name()),
          .points = series.points(),
          .last = series.last_value(),
          .last_step = series.last_step(),
          .min = series.min_value(),
          .max = series.max_value()};
}

}  // namespace

SeriesList::SeriesList(Master& master, Live& live, QObject* parent)
    : QObject(parent), master_(master) {
  ask_later_.setSingleShot(true);
  connect(&ask_later_, &QTimer::timeout, this, &SeriesList::ask);
  connect(&live, &Live::changed, this, &SeriesList::take_changes);
  connect(&live, &Live::reset, this, &SeriesList::ask);
}

void SeriesList::show_trials(std::vector<std::int64_t> trials) {
  if (trials == trials_) return;
  trials_ = std::move(trials);
  is_loaded_ = false;
  ask();
}

void SeriesList::take_changes(const Changes& changes) {
  for (const v1::Change& change : changes) {
    if (change.kind() != "series") continue;
    const std::int64_t id = QByteArray::fromStdString(change.id()).toLongLong();
    const bool is_known = known_.contains(id);
    if (!is_known &&
        std::find(trials_.begin(), trials_.end(), change.trial_id()) == trials_.end()) {
      continue;
    }
    const int wait = is_known ? growth_ms : new_series_ms;
    if (!ask_later_.isActive() || ask_later_.remainingTime() > wait) ask_later_.start(wait);
  }
}

void SeriesList::ask() {
  if (trials_.empty()) return take(std::vector<SeriesRow>());
  v1::ListSeriesRequest request;
  if (trials_.size() == 1) {
    request.set_trial_id(trials_.front());
  } else {
    request.mutable_trial_ids()->Add(trials_.begin(), trials_.end());
  }
  asking_ = master_.run<std::vector<SeriesRow>>(
      [request](const client::Client& client,
                const std::stop_token& stop) -> Result<std::vector<SeriesRow>> {
        const auto got = TRY(client.call<v1::Metrics>(&v1::Metrics::Stub::ListSeries, request,
                                                      {.retry_unavailable = false, .stop = stop}));
        std::vector<SeriesRow> rows;
        for (const v1::Series& series : got.series()) rows.push_back(row_from(series));
        return rows;
      },
      [this](Result<std::vector<SeriesRow>> got) { take(std::move(got)); });
}

void SeriesList::take(Result<std::vector<SeriesRow>> got) {
  problem_ = got.status();
  if (got.ok()) {
    rows_ = std::move(*got);
    known_.clear();
    for (const SeriesRow& row : rows_) known_.insert(row.id);
    is_loaded_ = true;
  }
  Q_EMIT changed();
}

}  // namespace dt::gui
