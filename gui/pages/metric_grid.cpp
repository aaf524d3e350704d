#include "gui/pages/metric_grid.h"

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "gui/data/format.h"
#include "gui/data/problem_words.h"
#include "gui/session.h"
#include "gui/widgets/chart_grid.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/theme.h"

namespace dt::gui {

MetricGrid::MetricGrid(Session& session, Arrange arrange, QWidget* parent)
    : QWidget(parent),
      session_(session),
      arrange_(std::move(arrange)),
      series_(session.master, session.live),
      curves_(session.master, session.live) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  grid_ = new ChartGrid;
  grid_->set_notice(QStringLiteral("Loading points…"));
  content_ = new Content(grid_, this);
  layout->addWidget(content_);
  connect(&series_, &SeriesList::changed, this, &MetricGrid::arrange_again);
  connect(&series_, &SeriesList::changed, this, &MetricGrid::series_changed);
  connect(&curves_, &Curves::changed, this, &MetricGrid::show_curves);
  connect(&session.live, &Live::state_changed, this, &MetricGrid::show_state);
  connect(grid_, &ChartGrid::sight_changed, this, &MetricGrid::show_sight);
  connect(grid_, &ChartGrid::x_mode_changed, this, &MetricGrid::show_curves);
  connect(grid_, &ChartGrid::range_chosen, this, &MetricGrid::choose_range);
  connect(grid_, &ChartGrid::curve_opened, &session, &Session::open_link);
  connect(grid_, &ChartGrid::logs_wanted, &session, [&session](const Link& link, qint64 time_ms) {
    if (link.kind == Link::Kind::trial) Q_EMIT session.open_logs(link.id, time_ms);
  });
  connect(grid_, &ChartGrid::saved, &session, &Session::tell_saved);
  show_state();
}

void MetricGrid::show_trials(std::vector<std::int64_t> trials) {
  series_.show_trials(std::move(trials));
}

void MetricGrid::set_starts(std::map<std::int64_t, std::int64_t> starts_ms) {
  if (starts_ms_ == starts_ms) return;
  starts_ms_ = std::move(starts_ms);
  if (grid_->x_mode() == XMode::relative) show_curves();
}

void MetricGrid::set_waiting_words(const QString& headline, const QString& text) {
  headline_ = headline;
  text_ = text;
  show_state();
}

void MetricGrid::arrange_again() {
  charts_.clear();
  std::vector<GridChart> charts;
  for (MetricChart& chart : arrange_(series_.rows())) {
    charts.push_back({chart.key, one_line(chart.title)});
    charts_[chart.key] = std::move(chart);
  }
  grid_->set_charts(std::move(charts));
  show_state();
  show_sight();
}

void MetricGrid::show_state() {
  if (!charts_.empty()) return content_->show_content();
  const QString what = QStringLiteral("metrics");
  if (!series_.problem().ok()) return content_->show_problem(series_.problem(), what);
  if (session_.live.state() == Live::State::offline) {
    return content_->show_problem(session_.live.problem(), what);
  }
  if (!series_.is_loaded()) return content_->show_loading(QStringLiteral("Loading metrics…"));
  content_->show_empty(headline_, text_);
}

// Only what is seen is fetched and kept.
void MetricGrid::show_sight() {
  std::vector<std::int64_t> wanted;
  for (const QString& key : grid_->keys_in_sight()) {
    for (const ChartPart& part : charts_[key].parts) {
      wanted.insert(wanted.end(), part.series.begin(), part.series.end());
    }
  }
  curves_.show_series(wanted);
  show_curves();
}

void MetricGrid::show_curves() {
  std::map<QString, std::vector<Curve>> curves;
  for (const QString& key : grid_->keys_in_sight()) {
    std::vector<Curve>& of_chart = curves[key];
    for (const ChartPart& part : charts_[key].parts) of_chart.push_back(curve_of(part));
  }
  grid_->set_notice(!curves_.problem().ok() ? problem_line(curves_.problem())
                    : curves_.is_loaded()   ? QStringLiteral("No points")
                                            : QStringLiteral("Loading points…"));
  grid_->set_curves(curves);
}

SeriesPoints MetricGrid::points_of(const ChartPart& part) const {
  std::vector<SeriesPoints> ranks;
  for (const std::int64_t id : part.series) {
    if (const SeriesData* found = curves_.find(id)) ranks.push_back(found->composed());
  }
  if (ranks.size() == 1) return std::move(ranks.front());
  std::vector<const SeriesPoints*> all;
  for (const SeriesPoints& points : ranks) all.push_back(&points);
  return band_of(all);
}

std::int64_t MetricGrid::start_of(const ChartPart& part, const SeriesPoints& points) const {
  const auto found = starts_ms_.find(part.trial);
  if (found != starts_ms_.end() && found->second > 0) return found->second;
  return points.empty() ? 0 : points.front().first_time_ms;
}

Curve MetricGrid::curve_of(const ChartPart& part) const {
  const Link link{Link::Kind::trial, part.trial, {}};
  const bool is_dark = theme().is_dark;
  const RunStyle style =
      part.style ? style_at(*part.style, is_dark) : session_.run_colors.style(link, is_dark);
  const SeriesPoints points = points_of(part);
  return {.key = part.key,
          .name = part.name,
          .color = style.color,
          .dash = style.dash,
          .is_strong = true,
          .link = link,
          .points = curve_points(points, grid_->x_mode(), start_of(part, points))};
}

// Points are asked for by step, whatever the axis counts in.
void MetricGrid::choose_range(std::optional<ChartRange> range, int pixels) {
  if (pixels > 0) curves_.set_pixels(pixels);
  if (!range) return curves_.show_range(std::nullopt);
  std::optional<StepRange> steps;
  for (const QString& key : grid_->keys_in_sight()) {
    for (const ChartPart& part : charts_[key].parts) {
      const SeriesPoints points = points_of(part);
      const auto own = steps_within(points, grid_->x_mode(), start_of(part, points), *range);
      if (!own) continue;
      if (!steps) steps = own;
      steps = StepRange{std::min(steps->from, own->from), std::max(steps->to, own->to)};
    }
  }
  if (steps) curves_.show_range(steps);
}

void MetricGrid::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange)
    show_curves();  // colours of curves are the theme's too
  QWidget::changeEvent(event);
}

}  // namespace dt::gui
