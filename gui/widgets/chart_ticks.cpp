#include "gui/widgets/chart_ticks.h"

#include <QDateTime>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/data/format.h"

namespace dt::gui {
namespace {

constexpr double longest_plain = 1e7;  // beyond, numbers are written with an exponent
constexpr double shortest_plain = 1e-4;
constexpr std::size_t ticks_max = 200;  // whatever the range is

// With thousands separated, as everywhere in the window.
const QLocale& plain_numbers() {
  static const QLocale locale(QLocale::English, QLocale::UnitedStates);
  return locale;
}

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> multiples(ChartRange range, double step) {
  std::vector<double> places;
  const double first = std::ceil(range.from / step - 1e-9);
  const double last = std::floor(range.to / step + 1e-9);
  for (double i = first; i <= last && places.size() < ticks_max; ++i) {
    places.push_back(i * step + 0.0);  // no −0
  }
  return places;
}

QString with_exponent(double value, int digits) {
  QString text = QString::number(value, 'e', digits);
  const auto e = text.indexOf(QLatin1Char('e'));
  return text.left(e) + QStringLiteral("e%1").arg(text.mid(e + 1).toInt());
}

// All labels of an axis have the same number of decimals.
QString tick_label(double value, double step, double largest) {
  if (value == 0) return QStringLiteral("0");
  if (largest >= longest_plain || largest < shortest_plain) {
    const int digits = std::clamp(static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9) -
                                                   std::floor(std::log10(step) + 1e-9)),
                                  0, 12);
    return with_exponent(value, digits);
  }
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
  return plain_numbers().toString(value, 'f', decimals);
}

QString power_label(int exponent) {
  if (exponent >= -3 && exponent <= 4) {
    return plain_numbers().toString(std::pow(10, exponent), 'f', std::max(0, -exponent));
  }
  return QStringLiteral("1e%1").arg(exponent);
}

QString two(std::int64_t number) {
  return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0'));
}

constexpr std::array<double, 22> time_steps{
    1,     2,     5,     10,     15,     30,     60,     120,     300,     600,       900,
    1'800, 3'600, 7'200, 10'800, 21'600, 43'200, 86'400, 172'800, 604'800, 2'592'000, 7'776'000};

double time_step(ChartRange range, int most) {
  const double least = (range.to - range.from) / std::max(most, 1);
  if (least < 1) return round_step(std::max(least, 1e-3));
  for (const double step : time_steps) {
    if (step >= least) return step;
  }
  return round_step(least);
}

QString duration_text(double seconds, bool with_parts) {
  const bool negative = seconds < 0;
  const double size = std::abs(seconds);
  const auto whole = static_cast<std::int64_t>(size + 1e-6);
  QString text =
      QStringLiteral("%1:%2:%3").arg(two(whole / 3600), two(whole / 60 % 60), two(whole % 60));
  if (with_parts) text += QString::number(size - static_cast<double>(whole), 'f', 3).mid(1);
  return negative ? QStringLiteral("−") + text : text;
}

QDateTime local_time(double seconds) {
  return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(seconds * 1000));
}

// Whole hours and days are those of the wall clock where the window is.
std::vector<double> clock_places(ChartRange range, double step) {
  const double shift = local_time(range.from).offsetFromUtc();
  std::vector<double> places = multiples({range.from + shift, range.to + shift}, step);
  for (double& place : places) place -= shift;
  return places;
}

}  // namespace

std::vector<Tick> number_ticks(ChartRange range, int most) {
  std::vector<Tick> ticks;
  if (!(range.to > range.from)) return ticks;
  const double step = round_step((range.to - range.from) / std::max(most, 1));
  const double largest = std::max(std::abs(range.from), std::abs(range.to));
  for (const double at : multiples(range, step))
    ticks.push_back({at, tick_label(at, step, largest)});
  return ticks;
}

std::vector<Tick> log_ticks(ChartRange exponents, int most) {
  std::vector<Tick> ticks;
  const double decades = exponents.to - exponents.from;
  if (!(decades > 0)) return ticks;
  if (decades < 1.0) {  // within a decade plain numbers serve better
    const ChartRange plain{std::pow(10, exponents.from), std::pow(10, exponents.to)};
    for (Tick& tick : number_ticks(plain, most)) {
      if (tick.at > 0) ticks.push_back({std::log10(tick.at), std::move(tick.label)});
    }
    return ticks;
  }
  const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(most, 1))));
  const int first = static_cast<int>(std::floor(exponents.from));
  const int last = static_cast<int>(std::floor(exponents.to));
  for (int exponent = first; exponent <= last && ticks.size() < ticks_max; ++exponent) {
    if (exponent % every == 0)
      ticks.push_back({static_cast<double>(exponent), power_label(exponent)});
    if (every > 1 || decades > 4) continue;
    for (const double factor : {2.0, 5.0}) {
      const double at = exponent + std::log10(factor);
      const bool has_label = decades <= 2 && exponent >= -3 && exponent <= 3;
      const QString label =
          plain_numbers().toString(factor * std::pow(10, exponent), 'f', std::max(0, -exponent));
      ticks.push_back({at, has_label ? label : QString()});
    }
  }
  std::erase_if(ticks, [&](const Tick& t) { return t.at < exponents.from || t.at > exponents.to; });
  return ticks;
}

std::vector<Tick> clock_ticks(ChartRange range, int most) {
  std::vector<Tick> ticks;
  if (!(range.to > range.from)) return ticks;
  const double step = time_step(range, most);
  QDate day;
  for (const double at : clock_places(range, step)) {
    const QDateTime time = local_time(at);
    const bool is_new_day = time.date() != day;
    day = time.date();
    QString label = time.toString(step < 1    ? QStringLiteral("HH:mm:ss.zzz")
                                  : step < 60 ? QStringLiteral("HH:mm:ss")
                                              : QStringLiteral("HH:mm"));
    if (step >= 86'400) {
      label = time.toString(QStringLiteral("MM-dd"));
    } else if (is_new_day && !ticks.empty()) {
      label = time.toString(QStringLiteral("MM-dd HH:mm"));
    }
    ticks.push_back({at, label});
  }
  return ticks;
}

std::vector<Tick> duration_ticks(ChartRange range, int most) {
  std::vector<Tick> ticks;
  if (!(range.to > range.from)) return ticks;
  const double step = time_step(range, most);
  for (const double at : multiples(range, step)) {
    QString label = duration_text(at, step < 1);
    if (step >= 60) label.chop(3);  // h:mm is enough
    ticks.push_back({at, at == 0 ? QStringLiteral("0") : label});
  }
  return ticks;
}

std::vector<Tick> x_ticks(XAxis axis, ChartRange range, int most) {
  switch (axis) {
    case XAxis::number: break;
    case XAxis::clock: return clock_ticks(range, most);
    case XAxis::duration: return duration_ticks(range, most);
  }
  return number_ticks(range, most);
}

QString x_text(XAxis axis, double x) {
  switch (axis) {
    case XAxis::number: break;
    case XAxis::clock: return local_time(x).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    case XAxis::duration: return duration_text(x, false);
  }
  if (x == std::floor(x) && std::abs(x) < 1e15) return plain_numbers().toString(x, 'f', 0);
  return number(x);
}

}  // namespace dt::gui
