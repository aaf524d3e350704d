// A chart as its user meets it: what is painted, and what mouse and keys do.
#include "gui/widgets/chart.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <cmath>
#include <ctime>

namespace dt::gui {
namespace {

const QColor blue(0x00, 0x72, 0xb2);

Curve curve(std::int64_t key, const std::vector<double>& values, const QString& name = {}) {
  Curve result;
  result.key = key;
  result.name = name.isEmpty() ? QStringLiteral("trial %1").arg(key) : name;
  result.color = blue;
  result.link = {Link::Kind::trial, key, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = values[i];
    result.points.push_back({.x = static_cast<double>(i),
                             .value = v,
                             .min = v,
                             .max = v,
                             .non_finite = std::isfinite(v) ? 0 : 1,
                             .time_ms = 1'000 * static_cast<std::int64_t>(i)});
  }
  return result;
}

std::vector<double> ramp(int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(i);
  return values;
}

class ChartTest : public testing::Test {
 protected:
  ChartTest() {
    chart.resize(600, 300);
    chart.set_title(QStringLiteral("loss"));
    chart.set_x_title(QStringLiteral("step"));
    chart.show();
  }

  QImage picture() { return chart.grab().toImage(); }
  // Pixels that are nearer to the curve's colour than to the ground, by column.
  int painted_in_column(const QImage& image, int x) {
    int count = 0;
    for (int y = 40; y < image.height() - 30; ++y) {
      const QColor pixel = image.pixelColor(x, y);
      count += pixel.blue() - pixel.red() > 25 ? 1 : 0;
    }
    return count;
  }
  // Where a step is drawn: by asking the chart itself, through a zoom that is not made.
  void drag(int from, int to) {
    QTest::mousePress(&chart, Qt::LeftButton, {}, {from, 150});
    QTest::mouseMove(&chart, {(from + to) / 2, 150});
    QTest::mouseMove(&chart, {to, 150});
    QTest::mouseRelease(&chart, Qt::LeftButton, {}, {to, 150});
  }

  Chart chart;
};

TEST_F(ChartTest, ASpikeOfOnePointInAMillionIsSeen) {
  std::vector<double> values(1'000'000, 1.0);
  values[500'000] = 9;
  chart.set_curves({curve(1, values)});
  const QImage image = picture();
  int tallest = 0;
  for (int x = 60; x < 500; ++x) tallest = std::max(tallest, painted_in_column(image, x));
  EXPECT_GT(tallest, 150);
}

TEST_F(ChartTest, TheSpikeOfABucketIsSeenToo) {
  Curve wide = curve(1, {1, 1, 1, 1, 1});
  wide.points[2].max = 9;
  wide.points[2].count = 1000;
  chart.set_curves({wide});
  const QImage image = picture();
  int tallest = 0;
  for (int x = 60; x < 500; ++x) tallest = std::max(tallest, painted_in_column(image, x));
  EXPECT_GT(tallest, 150);
}

TEST_F(ChartTest, SaysTheValuesAtAPlaceOfVisibleCurvesOnly) {
  chart.set_curves({curve(1, ramp(100)), curve(2, {5, 6, 7})});
  picture();
  const auto values = chart.values_at(1.4);
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].x, 1);
  EXPECT_EQ(values[0].value, 1);
  EXPECT_EQ(values[1].value, 6);
  EXPECT_EQ(chart.values_at(80).size(), 1U) << "the second curve has ended long before";
  chart.set_hidden(1, true);
  EXPECT_EQ(chart.visible_keys(), (std::vector<std::int64_t>{2}));
  chart.isolate(1);
  EXPECT_EQ(chart.visible_keys(), (std::vector<std::int64_t>{1}));
  chart.isolate(std::nullopt);
  EXPECT_EQ(chart.visible_keys().size(), 2U);
}

TEST_F(ChartTest, ADragZoomsADoubleClickShowsAll) {
  chart.set_curves({curve(1, ramp(1000))});
  picture();
  QSignalSpy chosen(&chart, &Chart::range_chosen);
  drag(200, 300);
  ASSERT_TRUE(chart.shown_range().has_value());
  const ChartRange range = *chart.shown_range();
  EXPECT_GT(range.from, 100);
  EXPECT_LT(range.to, 700);
  EXPECT_EQ(chosen.count(), 1);
  EXPECT_GT(chosen.at(0).at(1).toInt(), 300) << "pixels";
  chart.set_curves({curve(1, ramp(1001))});
  EXPECT_EQ(chart.shown_range(), range) << "new points move nothing";
  QTest::mouseDClick(&chart, Qt::LeftButton, {}, {250, 150});
  EXPECT_EQ(chart.shown_range(), std::nullopt);
}

TEST_F(ChartTest, TheWheelPansOnlyWhatIsZoomed) {
  chart.set_curves({curve(1, ramp(1000))});
  const auto turn = [&](int delta) {
    QWheelEvent event({300, 150}, chart.mapToGlobal(QPointF(300, 150)), {}, {0, delta}, {}, {},
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&chart, &event);
    return event.isAccepted();
  };
  picture();
  EXPECT_FALSE(turn(-120)) << "the page scrolls";
  chart.set_shown_range(ChartRange{100, 200});
  picture();
  EXPECT_TRUE(turn(-120));
  EXPECT_GT(chart.shown_range()->from, 100);
  EXPECT_NEAR(chart.shown_range()->to - chart.shown_range()->from, 100, 1e-9);
  for (int i = 0; i < 500; ++i) turn(-120);
  EXPECT_LE(chart.shown_range()->to, 999) << "not beyond the end";
}

TEST_F(ChartTest, SpaceAndADragPan) {
  chart.set_curves({curve(1, ramp(1000))});
  chart.set_shown_range(ChartRange{400, 500});
  picture();
  QTest::keyPress(&chart, Qt::Key_Space);
  drag(300, 200);
  QTest::keyRelease(&chart, Qt::Key_Space);
  EXPECT_GT(chart.shown_range()->from, 400);
  EXPECT_NEAR(chart.shown_range()->to - chart.shown_range()->from, 100, 1e-9);
}

TEST_F(ChartTest, KeysToggleLogAxisAndSmoothing) {
  chart.set_curves({curve(1, {-1, 0, 1, 10, 100})});
  QTest::keyClick(&chart, Qt::Key_L);
  EXPECT_TRUE(chart.log_y());
  picture();
  QTest::keyClick(&chart, Qt::Key_S);
  EXPECT_GT(chart.smoothing(), 0);
  QTest::keyClick(&chart, Qt::Key_S);
  EXPECT_EQ(chart.smoothing(), 0);
}

TEST_F(ChartTest, ALogAxisOfNothingPositiveIsNoCatastrophe) {
  chart.set_curves({curve(1, {0, -1, -2}), curve(2, {std::nan(""), INFINITY, -INFINITY})});
  chart.set_log_y(true);
  picture();
  chart.set_curves({});
  picture();
  chart.set_curves({curve(3, {})});
  picture();
  EXPECT_TRUE(chart.values_at(1).empty());
}

TEST_F(ChartTest, TheCrosshairRepaintsNothingButItself) {
  chart.set_curves({curve(1, ramp(1000)), curve(2, ramp(500))});
  picture();
  const Chart::Work before = chart.work();
  QSignalSpy moved(&chart, &Chart::cursor_moved);
  for (int x = 100; x < 400; x += 10) {
    QTest::mouseMove(&chart, {x, 150});
    QApplication::processEvents();
    picture();
  }
  EXPECT_GT(moved.count(), 20);
  EXPECT_EQ(chart.work().pictures, before.pictures);
  EXPECT_EQ(chart.work().reductions, before.reductions);
}

TEST_F(ChartTest, PanningReducesNoCurveAgain) {
  chart.set_curves({curve(1, ramp(10'000))});
  chart.set_shown_range(ChartRange{4000, 5000});
  picture();
  const int before = chart.work().reductions;
  for (int i = 1; i <= 10; ++i) {
    chart.set_shown_range(ChartRange{4000.0 + i * 20, 5000.0 + i * 20});
    picture();
  }
  EXPECT_EQ(chart.work().reductions, before);
}

TEST_F(ChartTest, AClickPinsThePlaceAndOffersTheLogsOfIt) {
  chart.set_curves({curve(7, ramp(100))});
  picture();
  QSignalSpy pinned(&chart, &Chart::pinned);
  QSignalSpy moved(&chart, &Chart::cursor_moved);
  QTest::mouseMove(&chart, {300, 150});
  QTest::mouseClick(&chart, Qt::LeftButton, {}, {300, 150});
  ASSERT_EQ(pinned.count(), 1);
  const int moves = static_cast<int>(moved.count());
  QTest::mouseMove(&chart, {350, 150});
  EXPECT_EQ(moved.count(), moves) << "it is held";
  QTest::keyClick(&chart, Qt::Key_Escape);
  EXPECT_EQ(pinned.count(), 2);
}

TEST_F(ChartTest, ManyCurvesHaveALegendThatFiltersOnClickAndIsolatesOnDoubleClick) {
  std::vector<Curve> curves;
  for (int i = 1; i <= 9; ++i) curves.push_back(curve(i, ramp(50 + i)));
  chart.set_curves(curves);
  picture();
  const QPoint first_row(590, 40);
  QTest::mouseClick(&chart, Qt::LeftButton, {}, first_row);
  EXPECT_EQ(chart.visible_keys().size(), 8U);
  picture();
  QTest::mouseClick(&chart, Qt::LeftButton, {}, first_row);
  EXPECT_EQ(chart.visible_keys().size(), 9U);
  picture();
  QTest::mouseDClick(&chart, Qt::LeftButton, {}, first_row);
  EXPECT_EQ(chart.visible_keys(), (std::vector<std::int64_t>{1}));
}

TEST_F(ChartTest, ExportsWhatIsSeen) {
  const QTemporaryDir folder;
  chart.set_curves({curve(1, {1, 2}, QStringLiteral("a,\"b\"")), curve(2, {3})});
  chart.set_hidden(2, true);
  ASSERT_TRUE(chart.save_png(folder.filePath(QStringLiteral("a.png"))));
  EXPECT_EQ(QImage(folder.filePath(QStringLiteral("a.png"))).size(), QSize(1200, 600));
  ASSERT_TRUE(chart.save_svg(folder.filePath(QStringLiteral("a.svg"))));
  QFile svg(folder.filePath(QStringLiteral("a.svg")));
  ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
  EXPECT_TRUE(svg.readAll().contains("<polyline"));
  EXPECT_EQ(chart.csv().toStdString(),
            "curve,x,value,min,max,count,non_finite,time_ms\n"
            "\"a,\"\"b\"\"\",0,1,1,1,1,0,0\n"
            "\"a,\"\"b\"\"\",1,2,2,2,1,0,1000\n");
  EXPECT_FALSE(chart.save_png(QStringLiteral("/nowhere/at/all.png")));
}

TEST_F(ChartTest, HostileNamesAreTextAndNothingElse) {
  chart.set_title(QStringLiteral("<img src=x onerror=alert(1)>") +
                  QString(10'000, QLatin1Char('x')));
  chart.set_curves({curve(
      1, ramp(10), QStringLiteral("\u202Egnp.exe\n\t\u0007") + QString(10'000, QLatin1Char('y')))});
  chart.set_cursor(3);
  QTest::mouseMove(&chart, {200, 100});
  picture();
}

// The two are measured in one call, so the machine's speed cancels out.
TEST_F(ChartTest, AHundredRunsOfTenThousandPointsCostLessThanPlainPolylines) {
  chart.resize(760, 340);
  std::vector<Curve> curves;
  std::vector<QPolygonF> plain;
  for (int k = 0; k < 100; ++k) {
    std::vector<double> values;
    for (int i = 0; i < 10'000; ++i)
      values.push_back(k * 0.1 + std::sin(i * 0.37 + k) * 0.05 + 3.0 / (1 + i * 0.01));
    curves.push_back(curve(k, values));
    QPolygonF& line = plain.emplace_back();
    for (int i = 0; i < 10'000; ++i) {
      line << QPointF(i * 0.06, 300 - values[static_cast<std::size_t>(i)] * 20);
    }
  }
  const auto cpu_ms = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  };
  chart.set_curves(curves);
  picture();
  const double start = cpu_ms();
  for (int i = 0; i < 5; ++i) {
    chart.set_shown_range(ChartRange{i * 100.0, 9'000.0 + i * 50});  // a zoom at every frame
    picture();
  }
  const double ours = (cpu_ms() - start) / 5;
  QImage canvas(600, 300, QImage::Format_ARGB32_Premultiplied);
  canvas.fill(Qt::white);
  QPainter painter(&canvas);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(blue, 1.5));
  const double plain_start = cpu_ms();
  for (int k = 0; k < 10; ++k) painter.drawPolyline(plain[static_cast<std::size_t>(k)]);
  const double plain_all = (cpu_ms() - plain_start) * 10;
  RecordProperty("frame_ms", std::to_string(ours));
  RecordProperty("plain_ms", std::to_string(plain_all));
  std::printf("a zoom frame: %.1f ms of CPU; plain polylines: %.0f ms; ratio 1:%.0f\n", ours,
              plain_all, plain_all / ours);
  EXPECT_LT(ours * 5, plain_all);
}

}  // namespace
}  // namespace dt::gui
