#include "gui/widgets/chart.h"

#include <QEvent>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gui/widgets/chart_private.h"

namespace dt::gui {

bool Chart::Private::is_visible(const Curve& curve) const {
  if (isolated) return curve.key == *isolated;
  return !hidden.contains(curve.key);
}

std::vector<std::size_t> Chart::Private::visible() const {
  std::vector<std::size_t> places;
  for (const bool strong : {false, true}) {
    for (std::size_t i = 0; i < curves.size(); ++i) {
      if (curves[i].is_strong == strong && is_visible(curves[i])) places.push_back(i);
    }
  }
  return places;
}

void Chart::Private::prepare_curve(std::size_t curve) {
  drawn[curve] = {};
  if (smoothing > 0) drawn[curve].smooth = smoothed(curves[curve].points, smoothing);
}

void Chart::Private::forget_columns() {
  for (Drawn& kept : drawn) kept.column_width = 0;
}

void Chart::Private::show_changed() {
  picture_is_old = true;
  chart.update();
}

void Chart::Private::choose_range(std::optional<ChartRange> wanted) {
  if (wanted) {
    const ChartRange all = full_x();
    const double least = std::max(std::abs(all.to), std::abs(all.from)) * 1e-12 + 1e-12;
    if (!(wanted->to - wanted->from > least)) return;
    if (wanted->from <= all.from && wanted->to >= all.to) wanted.reset();
  }
  if (wanted == range) return;
  range = wanted;
  show_changed();
  Q_EMIT chart.range_chosen(range, static_cast<int>(std::lround(frame.plot.width())));
}

Chart::Chart(QWidget* parent) : QWidget(parent), private_(std::make_unique<Private>(*this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

Chart::~Chart() = default;

void Chart::set_title(const QString& title) {
  if (private_->title == title) return;
  private_->title = title;
  setAccessibleName(title);
  private_->show_changed();
}

void Chart::set_x_title(const QString& title) {
  if (private_->x_title == title) return;
  private_->x_title = title;
  private_->show_changed();
}

void Chart::set_x_axis(XAxis axis) {
  if (private_->x_axis == axis) return;
  private_->x_axis = axis;
  private_->show_changed();
}

void Chart::set_curves(std::vector<Curve> curves) {
  Private& p = *private_;
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < p.curves.size(); ++i) places[p.curves[i].key] = i;
  std::vector<Private::Drawn> drawn(curves.size());
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto old = places.find(curves[i].key);
    if (old != places.end() && p.curves[old->second].points == curves[i].points) {
      drawn[i] = std::move(p.drawn[old->second]);
      places.erase(old);  // a key that comes twice is prepared twice
    } else {
      changed.push_back(i);
    }
  }
  p.curves = std::move(curves);
  p.drawn = std::move(drawn);
  for (const std::size_t i : changed) p.prepare_curve(i);
  p.show_changed();
}

void Chart::set_notice(const QString& text) {
  if (private_->notice == text) return;
  private_->notice = text;
  private_->show_changed();
}

void Chart::set_log_y(bool on) {
  if (private_->log_y == on) return;
  private_->log_y = on;
  private_->show_changed();
  Q_EMIT log_y_changed(on);
}

void Chart::set_smoothing(double weight) {
  weight = std::clamp(weight, 0.0, 0.9999);
  Private& p = *private_;
  if (p.smoothing == weight) return;
  p.smoothing = weight;
  if (weight > 0) p.last_smoothing = weight;
  for (std::size_t i = 0; i < p.curves.size(); ++i) p.prepare_curve(i);
  p.show_changed();
  Q_EMIT smoothing_changed(weight);
}

void Chart::set_shown_range(std::optional<ChartRange> range) {
  if (range && !(range->to > range->from)) range.reset();
  if (private_->range == range) return;
  private_->range = range;
  private_->show_changed();
}

void Chart::set_full_range(std::optional<ChartRange> range) {
  if (private_->full_range == range) return;
  private_->full_range = range;
  private_->show_changed();
}

void Chart::set_cursor(std::optional<double> x) { private_->move_cursor(x, false); }

bool Chart::log_y() const { return private_->log_y; }
double Chart::smoothing() const { return private_->smoothing; }
std::optional<ChartRange> Chart::shown_range() const { return private_->range; }
const std::vector<Curve>& Chart::curves() const { return private_->curves; }
Chart::Work Chart::work() const { return private_->work; }

std::vector<std::int64_t> Chart::visible_keys() const {
  std::vector<std::int64_t> keys;
  for (const std::size_t i : private_->visible()) keys.push_back(private_->curves[i].key);
  return keys;
}

void Chart::set_hidden(std::int64_t key, bool is_hidden) {
  private_->isolated.reset();
  if (is_hidden) {
    private_->hidden.insert(key);
  } else {
    private_->hidden.erase(key);
  }
  private_->show_changed();
}

void Chart::isolate(std::optional<std::int64_t> key) {
  if (!key) private_->hidden.clear();
  private_->isolated = key;
  private_->show_changed();
}

std::vector<Chart::ValueAt> Chart::values_at(double x) const {
  std::vector<ValueAt> values;
  for (const Private::CursorRow& row : private_->rows_at(x)) {
    const Curve& curve = private_->curves[row.curve];
    values.push_back({curve.key, curve.points[row.point].x, row.value});
  }
  return values;
}

QSize Chart::sizeHint() const { return {480, 280}; }
QSize Chart::minimumSizeHint() const { return {220, 140}; }

void Chart::changeEvent(QEvent* event) {
  const QEvent::Type type = event->type();
  if (type == QEvent::PaletteChange || type == QEvent::FontChange || type == QEvent::StyleChange) {
    private_->show_changed();
  }
  QWidget::changeEvent(event);
}

void Chart::resizeEvent(QResizeEvent*) { private_->picture_is_old = true; }

}  // namespace dt::gui
