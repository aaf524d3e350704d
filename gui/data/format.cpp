#include "gui/data/format.h"

#include <QDateTime>
#include <QLocale>
#include <QMap>
#include <algorithm>
#include <cmath>

namespace dt::gui {
namespace {

const QLocale& english() {
  static const QLocale locale(QLocale::English, QLocale::UnitedStates);
  return locale;
}

QString code_mark(char32_t code) {
  return QStringLiteral("⟨U+%1⟩").arg(QString::number(code, 16).toUpper(), 4, QLatin1Char('0'));
}

// Marks that reorder or join what is around them, and those that take no place at all.
bool hides(char32_t code) {
  return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0x061c || code == 0xfeff ||
         (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f) ||
         (code >= 0x80 && code <= 0x9f);
}

void append_visible(QString& out, char32_t code) {
  if (code == U'\n' || code == U'\t') {
    out += QChar(static_cast<char16_t>(code));
  } else if (code < 0x20) {
    out += QChar(static_cast<char16_t>(0x2400 + code));  // ␛ and its like
  } else if (code == 0x7f) {
    out += QChar(0x2421);
  } else if (hides(code)) {
    out += code_mark(code);
  } else {
    out += QString::fromUcs4(&code, 1);
  }
}

bool is_tame(const QString& text) {
  for (const QChar c : text) {
    const char16_t code = c.unicode();
    if (code < 0x20 && code != u'\n' && code != u'\t') return false;
    if (code >= 0x7f && (hides(code) || code == 0x7f || c.isSurrogate())) return false;
  }
  return true;
}

// "0.8710" is "0.871"; digits before the point stay.
QString without_zeros(QString text) {
  if (!text.contains(QLatin1Char('.'))) return text;
  while (text.endsWith(QLatin1Char('0'))) text.chop(1);
  if (text.endsWith(QLatin1Char('.'))) text.chop(1);
  return text;
}

QString named(double value) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
}

}  // namespace

QString plain(const QString& text) {
  if (is_tame(text)) return text;
  QString out;
  out.reserve(text.size() + 16);
  for (const char32_t code : text.toUcs4()) append_visible(out, code);
  return out;
}

QString one_line(const QString& text, int length) {
  const bool is_long = text.size() > length;
  QString line = plain(is_long ? text.left(length) : text);
  line.replace(QLatin1Char('\n'), QChar(0x23ce)).replace(QLatin1Char('\t'), QLatin1Char(' '));
  if (!is_long && line.size() <= length) return line;
  return line.left(length - 1) + QChar(0x2026);
}

QString tip_text(const QString& plain_text) {
  if (plain_text.isEmpty()) return {};
  return QStringLiteral("<p style=\"white-space: pre-wrap\">%1</p>")
      .arg(plain_text.toHtmlEscaped());
}

QString number(double value) {
  if (!std::isfinite(value)) return named(value);
  if (value == 0) return QStringLiteral("0");
  const double size = std::abs(value);
  if (size < 1e-4 || size >= 1e15) {
    QString text = QString::number(value, 'e', 3);  // "3.100e-05"
    const auto at = text.indexOf(QLatin1Char('e'));
    return without_zeros(text.left(at)) + text.mid(at);
  }
  if (size >= 9999.5) return english().toString(std::round(value), 'f', 0);
  const int whole = size < 1 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
  const int leading = size < 1 ? static_cast<int>(-std::floor(std::log10(size))) - 1 : 0;
  return without_zeros(english().toString(value, 'f', 4 - whole + leading));
}

QString full_number(double value) {
  if (!std::isfinite(value)) return named(value);
  return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

QString integer(std::int64_t value) { return english().toString(qlonglong{value}); }

QString percent(double fraction) {
  const double whole = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0;
  return QStringLiteral("%1%").arg(static_cast<int>(whole * 100 + 1e-9));
}

QString bytes(std::int64_t count) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double size = static_cast<double>(count);
  std::size_t unit = 0;
  for (; std::abs(size) >= 1024 && unit + 1 < std::size(units); ++unit) size /= 1024;
  const int digits = unit == 0 || size >= 99.95 ? 0 : 1;
  return english().toString(size, 'f', digits) + QLatin1Char(' ') + QLatin1String(units[unit]);
}

QString duration(std::int64_t ms) {
  const std::int64_t seconds = std::max<std::int64_t>(0, ms) / 1000;
  const auto pair = [](std::int64_t big, const char* unit, std::int64_t small, const char* part) {
    return QStringLiteral("%1%2 %3%4")
        .arg(big)
        .arg(QLatin1String(unit))
        .arg(small, 2, 10, QLatin1Char('0'))
        .arg(QLatin1String(part));
  };
  if (seconds < 60) return QStringLiteral("%1s").arg(seconds);
  if (seconds < 3600) return pair(seconds / 60, "m", seconds % 60, "s");
  if (seconds < 86'400) return pair(seconds / 3600, "h", seconds / 60 % 60, "m");
  return pair(seconds / 86'400, "d", seconds / 3600 % 24, "h");
}

QString age(std::int64_t unix_ms, std::int64_t now_ms) {
  if (unix_ms == 0) return {};
  const std::int64_t seconds = (now_ms - unix_ms) / 1000;
  if (seconds < 5) return QStringLiteral("just now");  // clocks differ a little
  if (seconds < 60) return QStringLiteral("%1s ago").arg(seconds);
  if (seconds < 3600) return QStringLiteral("%1m ago").arg(seconds / 60);
  if (seconds < 86'400) return QStringLiteral("%1h ago").arg(seconds / 3600);
  if (seconds < 86'400 * 365) return QStringLiteral("%1d ago").arg(seconds / 86'400);
  return QStringLiteral("%1y ago").arg(seconds / (86'400 * 365));
}

QString exact_time(std::int64_t unix_ms) {
  if (unix_ms == 0) return {};
  return QDateTime::fromMSecsSinceEpoch(unix_ms).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString plural(std::int64_t count, const QString& noun) {
  return integer(count) + QLatin1Char(' ') + noun + (count == 1 ? QString() : QStringLiteral("s"));
}

QString state_word(const QString& state) {
  const QString word = one_line(state, 40).toLower();
  if (word.startsWith(QLatin1String("stopping_"))) return QStringLiteral("stopping");
  return word == QLatin1String("delete_failed") ? QStringLiteral("delete failed") : word;
}

Tone tone_of(const QString& word) {
  static const QMap<QString, Tone> tones{
      {QStringLiteral("active"), Tone::busy},        {QStringLiteral("running"), Tone::busy},
      {QStringLiteral("pending"), Tone::waiting},    {QStringLiteral("queued"), Tone::waiting},
      {QStringLiteral("waiting"), Tone::waiting},    {QStringLiteral("paused"), Tone::warning},
      {QStringLiteral("stopping"), Tone::warning},   {QStringLiteral("silent"), Tone::warning},
      {QStringLiteral("completed"), Tone::good},     {QStringLiteral("connected"), Tone::good},
      {QStringLiteral("stored"), Tone::good},        {QStringLiteral("online"), Tone::good},
      {QStringLiteral("stopped early"), Tone::good}, {QStringLiteral("error"), Tone::bad},
      {QStringLiteral("failed"), Tone::bad},         {QStringLiteral("lost"), Tone::bad},
      {QStringLiteral("offline"), Tone::bad},        {QStringLiteral("abandoned"), Tone::bad},
      {QStringLiteral("starting"), Tone::busy},      {QStringLiteral("preparing"), Tone::busy},
      {QStringLiteral("connecting"), Tone::waiting}, {QStringLiteral("draining"), Tone::warning},
      {QStringLiteral("disabled"), Tone::warning},   {QStringLiteral("deleting"), Tone::warning},
      {QStringLiteral("delete failed"), Tone::bad}};
  return tones.value(word, Tone::neutral);
}

}  // namespace dt::gui
