#include "gui/data/problem_words.h"

#include "gui/data/format.h"

namespace dt::gui {
namespace {

constexpr qsizetype longest_text = 600;

QString sentence(const QString& raw) {
  QString text = plain(raw.left(longest_text)).trimmed();
  if (text.isEmpty()) return text;
  text[0] = text[0].toUpper();
  const bool has_end = QStringLiteral(".?!…").contains(text.back());
  return has_end ? text : text + QLatin1Char('.');
}

// "X: failed to connect to all addresses; last error: UNKNOWN: ipv4:…: Connection refused" says
// twice what its two ends say.
QString without_transport(const QString& text) {
  const auto noise = text.indexOf(QLatin1String("failed to connect to all addresses"));
  const auto last = text.lastIndexOf(QLatin1String(": "));
  if (noise < 0 || last < noise) return text;
  return text.left(noise) + text.mid(last + 2).toLower();
}

}  // namespace

QString problem_text(const Status& problem) {
  return sentence(without_transport(QString::fromStdString(problem.message())));
}

QString problem_hint(const Status& problem) {
  return sentence(QString::fromStdString(problem.detail().hint));
}

QString problem_line(const Status& problem) {
  return (problem_text(problem) + QLatin1Char(' ') + problem_hint(problem)).trimmed();
}

}  // namespace dt::gui
