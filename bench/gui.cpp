// bench_gui: what a frame costs the window's thread, in CPU time: a chart of 100 runs with 10,000
// points each that is zoomed, panned and hovered, beside plain antialiased polylines of the same
// points in the same call; and a table of 10,000 trials that is scrolled and changes.
#include <QApplication>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <cmath>
#include <ctime>
#include <functional>
#include <vector>

#include "bench/bench.h"
#include "gui/models/trials_model.h"
#include "gui/widgets/chart.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/trials_panel.h"

namespace dt::gui {
namespace {

constexpr int runs = 100;
constexpr int points = 10'000;
constexpr int trials = 10'000;
constexpr int changed_at_once = 50;

double value_at(int run, int step) {
  return run * 0.05 + 3.0 / (1 + step * 0.002) + std::sin(step * 0.37 + run) * 0.05;
}

double cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

double a_frame(int frames, const std::function<void(int)>& paint) {
  const double start = cpu_ms();
  for (int i = 0; i < frames; ++i) paint(i);
  return (cpu_ms() - start) / frames;
}

std::vector<Curve> curves() {
  std::vector<Curve> all;
  for (int run = 0; run < runs; ++run) {
    Curve& curve = all.emplace_back();
    curve.key = run;
    curve.name = QStringLiteral("trial %1").arg(run);
    curve.color = QColor::fromHsv(run * 3, 200, 180);
    for (int step = 0; step < points; ++step) {
      const double v = value_at(run, step);
      curve.points.push_back({.x = static_cast<double>(step), .value = v, .min = v, .max = v});
    }
  }
  return all;
}

double plain_frame() {
  QImage canvas(640, 300, QImage::Format_ARGB32_Premultiplied);
  canvas.fill(Qt::white);
  QPainter painter(&canvas);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(Qt::blue, 1.5));
  return runs * a_frame(5, [&](int run) {
           QPolygonF line;
           for (int step = 0; step < points; ++step) {
             line << QPointF(step * 0.064, 300 - value_at(run, step) * 30);
           }
           painter.drawPolyline(line);
         });
}

void measure_chart() {
  Chart chart;
  chart.resize(760, 340);
  chart.set_curves(curves());
  chart.show();
  chart.grab();
  const double zoom = a_frame(20, [&](int i) {
    chart.set_shown_range(ChartRange{1'000.0 - i * 20, 9'000.0 + i * 20});
    chart.grab();
  });
  const double pan = a_frame(20, [&](int i) {
    chart.set_shown_range(ChartRange{1'000.0 + i * 20, 4'000.0 + i * 20});
    chart.grab();
  });
  const double crosshair = a_frame(20, [&](int i) {
    const QPointF place(200 + i * 3, 200);
    QMouseEvent move(QEvent::MouseMove, place, chart.mapToGlobal(place), Qt::NoButton, {}, {});
    QApplication::sendEvent(&chart, &move);
    chart.grab();
  });
  const double plain = plain_frame();
  bench::print_figure("chart of 100 runs of 10,000 points, a frame of zooming", zoom, "ms CPU");
  bench::print_figure("chart of 100 runs of 10,000 points, a frame of panning", pan, "ms CPU");
  bench::print_figure("chart of 100 runs of 10,000 points, a frame of the crosshair", crosshair,
                      "ms CPU");
  bench::print_figure("the same points as plain polylines, a frame", plain, "ms CPU");
  bench::print_figure("plain polylines to our zooming", plain / zoom, "times");
}

TrialRow trial_at(int i) {
  return {.id = i + 1,
          .number = i,
          .state = QStringLiteral("ACTIVE"),
          .hparams = {{QStringLiteral("hidden"), Value(64 << i % 3)},
                      {QStringLiteral("lr"), Value(1e-4 * (1 + i % 97))}},
          .best = 1.0 / (1 + i % 1'013),
          .latest = 1.0 / (1 + i % 997),
          .step = i % 1'600,
          .ranks = 2};
}

void measure_table() {
  RunColors colors;
  TrialsModel model(colors, [] { return std::int64_t{0}; });
  model.set_experiment(QStringLiteral("validation_loss"), true,
                       {{QStringLiteral("hidden"), QStringLiteral("lr")}, {}});
  TrialsPanel panel(model, QStringLiteral("bench_trials"));
  panel.resize(1'100, 700);
  std::vector<TrialRow> rows;
  for (int i = 0; i < trials; ++i) rows.push_back(trial_at(i));
  model.update(std::move(rows));
  panel.show();
  panel.grab();
  TableView& table = panel.table();
  const double scroll = a_frame(100, [&](int i) {
    table.scrollTo(table.model()->index(i * 97, 0), QAbstractItemView::PositionAtTop);
    table.viewport()->grab();
  });
  const double change = a_frame(50, [&](int i) {
    std::vector<TrialRow> changed;
    for (int row = 0; row < changed_at_once; ++row) {
      changed.push_back(trial_at((row * 197 + i) % trials));
      changed.back().step += 2'000 + i;
    }
    model.merge(std::move(changed));
    table.viewport()->grab();
  });
  bench::print_figure("table of 10,000 trials, a frame of scrolling", scroll, "ms CPU");
  bench::print_figure("table of 10,000 trials, a frame in which 50 change", change, "ms CPU");
}

}  // namespace
}  // namespace dt::gui

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  dt::gui::set_theme(dt::gui::ThemeChoice::light);
  dt::gui::measure_chart();
  dt::gui::measure_table();
  return 0;
}
