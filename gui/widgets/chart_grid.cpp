#include "gui/widgets/chart_grid.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "gui/widgets/combo_box.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int narrowest = 420;  // a chart
constexpr int lowest = 216;
constexpr int usual_height = 264;
constexpr int tallest = 520;  // a chart that has the page for itself

// The slider's steps lie closer where smoothing changes fast: 0 … 0.999.
double weight_at(int step) { return step == 0 ? 0 : 1 - std::pow(10, -step / 100.0 * 3); }
int step_of(double weight) {
  return weight <= 0 ? 0 : static_cast<int>(std::lround(-std::log10(1 - weight) / 3 * 100));
}

QToolButton* toggle(QWidget* parent, const QString& text, const QString& tip, bool on) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setCheckable(true);
  button->setChecked(on);
  return button;
}

}  // namespace

ChartGrid::ChartGrid(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  tools_ = new QHBoxLayout;
  tools_->setContentsMargins(0, grid, 0, grid);
  tools_->setSpacing(grid);
  layout->addLayout(tools_);
  make_tools();
  scroll_ = new QScrollArea(this);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->viewport()->installEventFilter(this);
  canvas_ = new QWidget;
  scroll_->setWidget(canvas_);
  layout->addWidget(scroll_, 1);
  connect(scroll_->verticalScrollBar(), &QScrollBar::valueChanged, this, &ChartGrid::place);
}

void ChartGrid::make_tools() {
  filter_ = new QLineEdit(this);
  filter_->setPlaceholderText(QStringLiteral("Filter metrics"));
  filter_->setAccessibleName(QStringLiteral("Filter metrics"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(220);
  x_mode_ = new ComboBox(this);
  x_mode_->setAccessibleName(QStringLiteral("Horizontal axis"));
  x_mode_->addItem(QStringLiteral("Step"), static_cast<int>(XMode::step));
  x_mode_->addItem(QStringLiteral("Time"), static_cast<int>(XMode::time));
  x_mode_->addItem(QStringLiteral("Relative time"), static_cast<int>(XMode::relative));
  auto* words = new QLabel(QStringLiteral("Smoothing"), this);
  smooth_ = new QSlider(Qt::Horizontal, this);
  smooth_->setRange(0, 100);
  smooth_->setFixedWidth(112);
  smooth_->setAccessibleName(QStringLiteral("Smoothing"));
  smooth_->setToolTip(QStringLiteral("Exponential moving average (S); raw values stay behind it"));
  smooth_text_ = new QLabel(QStringLiteral("off"), this);
  smooth_text_->setMinimumWidth(
      smooth_text_->fontMetrics().horizontalAdvance(QStringLiteral("0.999")));
  log_ =
      toggle(this, QStringLiteral("Log"), QStringLiteral("Logarithmic vertical axis (L)"), false);
  link_ = toggle(this, QStringLiteral("Linked"), QStringLiteral("All charts show the same range"),
                 true);
  tools_->addWidget(filter_);
  tools_->addStretch(1);
  for (QWidget* tool :
       std::initializer_list<QWidget*>{x_mode_, words, smooth_, smooth_text_, log_, link_}) {
    tools_->addWidget(tool);
  }
  connect(filter_, &QLineEdit::textChanged, this, &ChartGrid::filter);
  connect(smooth_, &QSlider::valueChanged, this,
          [this](int step) { share_smoothing(weight_at(step)); });
  connect(log_, &QToolButton::toggled, this, &ChartGrid::share_log);
  connect(link_, &QToolButton::toggled, this, [this](bool on) { is_linked_ = on; });
  connect(x_mode_, &QComboBox::currentIndexChanged, this, [this] {
    share_range(nullptr, std::nullopt, 0);  // a range of steps is none of hours
    Q_EMIT x_mode_changed();
  });
}

void ChartGrid::add_tool(QWidget* tool) { tools_->insertWidget(2, tool); }

XMode ChartGrid::x_mode() const { return static_cast<XMode>(x_mode_->currentData().toInt()); }

void ChartGrid::set_charts(std::vector<GridChart> charts) {
  if (charts == charts_) return;
  charts_ = std::move(charts);
  filter_->setVisible(charts_.size() > 1);
  filter();
}

void ChartGrid::filter() {
  shown_.clear();
  const QStringList words = filter_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (const GridChart& chart : charts_) {
    const bool passes = std::all_of(words.begin(), words.end(), [&](const QString& word) {
      return chart.title.contains(word, Qt::CaseInsensitive);
    });
    if (passes) shown_.push_back(chart);
  }
  place();
}

int ChartGrid::columns() const {
  const int fit = std::max(1, scroll_->viewport()->width() / narrowest);
  return std::clamp(static_cast<int>(shown_.size()), 1, fit);
}

int ChartGrid::rows() const {
  return std::max(1, (static_cast<int>(shown_.size()) + columns() - 1) / columns());
}

// All of them in sight, if that leaves each enough; else they scroll.
int ChartGrid::chart_height() const {
  const int fit = (scroll_->viewport()->height() + grid) / rows() - grid;
  return fit < lowest ? usual_height : std::min(fit, tallest);
}

QRect ChartGrid::cell(int place) const {
  const int across = columns();
  const int width = (scroll_->viewport()->width() - grid * (across - 1)) / across;
  return {place % across * (width + grid), place / across * (chart_height() + grid), width,
          chart_height()};
}

// Charts out of sight go: what they showed is with whoever gave it.
void ChartGrid::place() {
  canvas_->resize(scroll_->viewport()->width(), rows() * (chart_height() + grid) - grid);
  const int top = scroll_->verticalScrollBar()->value();
  const QRect sight(0, top - usual_height / 2, canvas_->width(),
                    scroll_->viewport()->height() + usual_height);
  std::map<QString, Chart*> kept;
  bool has_new = false;
  for (int i = 0; i < static_cast<int>(shown_.size()); ++i) {
    const GridChart& wanted = shown_[static_cast<std::size_t>(i)];
    if (!cell(i).intersects(sight)) continue;
    const auto old = living_.find(wanted.key);
    Chart* chart = old == living_.end() ? make_chart(wanted) : old->second;
    has_new |= old == living_.end();
    if (old != living_.end()) living_.erase(old);
    chart->set_title(wanted.title);
    chart->setGeometry(cell(i));
    kept[wanted.key] = chart;
  }
  for (const auto& [key, chart] : living_) chart->deleteLater();
  const bool changed = has_new || !living_.empty();
  living_ = std::move(kept);
  if (changed) Q_EMIT sight_changed();
}

Chart* ChartGrid::make_chart(const GridChart& wanted) {
  auto* chart = new Chart(canvas_);
  chart->setObjectName(wanted.key);
  chart->set_notice(notice_);
  chart->set_log_y(is_log_);
  chart->set_smoothing(smoothing_);
  chart->set_shown_range(range_);
  listen(chart);
  chart->show();
  return chart;
}

void ChartGrid::listen(Chart* chart) {
  connect(chart, &Chart::range_chosen, this,
          [this, chart](std::optional<ChartRange> range, int pixels) {
            share_range(chart, range, pixels);
          });
  connect(chart, &Chart::cursor_moved, this, [this, chart](std::optional<double> x) {
    for (const auto& [key, other] : living_) {
      if (other != chart && is_linked_) other->set_cursor(x);
    }
  });
  connect(chart, &Chart::log_y_changed, this, &ChartGrid::share_log);
  connect(chart, &Chart::smoothing_changed, this, &ChartGrid::share_smoothing);
  connect(chart, &Chart::logs_wanted, this, &ChartGrid::logs_wanted);
  connect(chart, &Chart::curve_opened, this, &ChartGrid::curve_opened);
  connect(chart, &Chart::saved, this, &ChartGrid::saved);
}

void ChartGrid::share_range(Chart* from, std::optional<ChartRange> range, int pixels) {
  if (is_linked_ || from == nullptr) {
    range_ = range;
    for (const auto& [key, chart] : living_) chart->set_shown_range(range);
  }
  Q_EMIT range_chosen(range, pixels);
}

void ChartGrid::share_smoothing(double weight) {
  if (smoothing_ == weight) return;
  smoothing_ = weight;
  const QSignalBlocker quiet(smooth_);
  smooth_->setValue(step_of(weight));
  smooth_text_->setText(weight > 0 ? QString::number(weight, 'g', 3) : QStringLiteral("off"));
  for (const auto& [key, chart] : living_) chart->set_smoothing(weight);
}

void ChartGrid::share_log(bool on) {
  is_log_ = on;
  log_->setChecked(on);
  for (const auto& [key, chart] : living_) chart->set_log_y(on);
}

void ChartGrid::set_notice(const QString& text) {
  notice_ = text;
  for (const auto& [key, chart] : living_) chart->set_notice(text);
}

void ChartGrid::set_curves(const std::map<QString, std::vector<Curve>>& curves) {
  for (const auto& [key, chart] : living_) {
    const auto found = curves.find(key);
    if (found == curves.end()) continue;
    const XMode mode = x_mode();
    chart->set_x_axis(mode == XMode::step   ? XAxis::number
                      : mode == XMode::time ? XAxis::clock
                                            : XAxis::duration);
    chart->set_x_title(mode == XMode::step ? QStringLiteral("step") : QStringLiteral("time"));
    chart->set_curves(found->second);
  }
  show_extent();
}

// All charts begin and end where the longest of them does.
void ChartGrid::show_extent() {
  std::optional<ChartRange> extent;
  for (const auto& [key, chart] : living_) {
    for (const Curve& curve : chart->curves()) {
      if (curve.points.empty()) continue;
      const ChartRange own{curve.points.front().x, curve.points.back().x};
      if (!extent) extent = own;
      extent = ChartRange{std::min(extent->from, own.from), std::max(extent->to, own.to)};
    }
  }
  for (const auto& [key, chart] : living_)
    chart->set_full_range(is_linked_ ? extent : std::nullopt);
}

std::vector<QString> ChartGrid::keys_in_sight() const {
  std::vector<QString> keys;
  for (const auto& [key, chart] : living_) keys.push_back(key);
  return keys;
}

Chart* ChartGrid::chart(const QString& key) const {
  const auto found = living_.find(key);
  return found == living_.end() ? nullptr : found->second;
}

// The scroll area's inside has its size after the grid has its own.
bool ChartGrid::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) place();
  return QWidget::eventFilter(watched, event);
}

}  // namespace dt::gui
