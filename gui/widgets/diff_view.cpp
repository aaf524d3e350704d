#include "gui/widgets/diff_view.h"

#include <QEvent>
#include <QTextBlock>
#include <algorithm>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int lines_around = 3;
constexpr int number_digits = 4;

QString number_text(int number) {
  return (number > 0 ? QString::number(number) : QString()).rightJustified(number_digits);
}

QString line_text(const DiffLine& line) {
  const QChar sign = line.kind == DiffLine::Kind::removed ? u'−'
                     : line.kind == DiffLine::Kind::added ? u'+'
                                                          : u' ';
  return number_text(line.old_number) + number_text(line.new_number) + u' ' + sign + u' ' +
         plain(line.text);
}

QColor ground_of(DiffLine::Kind kind) {
  QColor color = kind == DiffLine::Kind::removed ? theme().bad : theme().good;
  color.setAlphaF(theme().is_dark ? 0.22F : 0.14F);
  return color;
}

bool jumps(const DiffLine& before, const DiffLine& after) {
  const auto follows = [](int a, int b) { return a == 0 || b == 0 || b == a + 1; };
  return !follows(before.old_number, after.old_number) ||
         !follows(before.new_number, after.new_number);
}

}  // namespace

DiffView::DiffView(QWidget* parent) : QPlainTextEdit(parent) {
  setObjectName(u"difference"_s);
  setAccessibleName(u"Difference"_s);
  setReadOnly(true);
  setFont(mono_font());
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setFrameShape(QFrame::NoFrame);
  setPlaceholderText(u"Nothing differs."_s);
}

void DiffView::set_texts(const QString& before, const QString& after) {
  lines_ = with_context(line_diff(before, after), lines_around);
  show_lines();
}

int DiffView::changed_lines() const {
  return static_cast<int>(std::count_if(lines_.begin(), lines_.end(), [](const DiffLine& line) {
    return line.kind != DiffLine::Kind::same;
  }));
}

void DiffView::show_lines() {
  QStringList texts;
  std::vector<std::pair<qsizetype, DiffLine::Kind>> grounds;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (i > 0 && jumps(lines_[i - 1], lines_[i])) texts += u"   …"_s;
    if (lines_[i].kind != DiffLine::Kind::same) grounds.emplace_back(texts.size(), lines_[i].kind);
    texts += line_text(lines_[i]);
  }
  setPlainText(texts.join(u'\n'));
  QList<QTextEdit::ExtraSelection> selections;
  for (const auto& [number, kind] : grounds) {
    QTextEdit::ExtraSelection line;
    line.cursor = QTextCursor(document()->findBlockByNumber(static_cast<int>(number)));
    line.format.setBackground(ground_of(kind));
    line.format.setProperty(QTextFormat::FullWidthSelection, true);
    selections.append(line);
  }
  setExtraSelections(selections);
}

void DiffView::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show_lines();
}

}  // namespace dt::gui
