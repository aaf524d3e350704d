#include "gui/widgets/yaml_editor.h"

#include <QHelpEvent>
#include <QMimeData>
#include <QPainter>
#include <QTextBlock>
#include <QToolTip>
#include <QUrl>
#include <algorithm>

#include "gui/data/yaml_tokens.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/yaml_highlighter.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int indent_step = 2;
constexpr int mark_width = 14;
constexpr int least_digits = 3;

class Margin : public QWidget {
 public:
  explicit Margin(YamlEditor* editor) : QWidget(editor), editor_(editor) {}
  QSize sizeHint() const override { return {editor_->margin_width(), 0}; }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QPainter painter(this);
    editor_->paint_margin(event->rect(), painter);
  }

 private:
  YamlEditor* editor_;
};

QColor color_of(const YamlEditor::Mark& mark) {
  return mark.is_warning ? theme().warning : theme().bad;
}

// The words of the line, without indentation.
QTextCursor words_of(const QTextBlock& block) {
  const QString text = block.text();
  int first = 0;
  while (first < text.size() && text[first].isSpace()) ++first;
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + first);
  cursor.setPosition(block.position() + static_cast<int>(text.size()), QTextCursor::KeepAnchor);
  return cursor;
}

QString local_file(const QMimeData* source) {
  if (!source->hasUrls() || source->urls().isEmpty()) return {};
  return source->urls().front().toLocalFile();
}

}  // namespace

YamlEditor::YamlEditor(QWidget* parent)
    : QPlainTextEdit(parent), margin_(new Margin(this)), highlighter_(new YamlHighlighter(document())) {
  setObjectName(u"config_editor"_s);
  setAccessibleName(u"Configuration"_s);
  setFont(mono_font());
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setFrameShape(QFrame::NoFrame);
  connect(this, &QPlainTextEdit::blockCountChanged, this, &YamlEditor::place_margin);
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
    if (dy != 0) margin_->scroll(0, dy);
    else margin_->update(0, rect.y(), margin_->width(), rect.height());
  });
  connect(this, &QPlainTextEdit::cursorPositionChanged, this, &YamlEditor::update_selections);
  place_margin();
  update_selections();
}

// --- marks

void YamlEditor::set_marks(const std::vector<Mark>& marks) {
  marks_.clear();
  for (const Mark& mark : marks) {
    const QTextBlock block = document()->findBlockByNumber(mark.line - 1);
    if (block.isValid()) marks_.push_back({mark, QTextCursor(block)});
  }
  std::stable_sort(marks_.begin(), marks_.end(), [](const Placed& a, const Placed& b) {
    return !a.mark.is_warning && b.mark.is_warning;
  });
  update_selections();
  margin_->update();
  viewport()->update();
}

std::vector<YamlEditor::Mark> YamlEditor::marks() const {
  std::vector<Mark> now;
  for (const Placed& placed : marks_) {
    now.push_back(placed.mark);
    now.back().line = placed.place.blockNumber() + 1;
  }
  return now;
}

const YamlEditor::Placed* YamlEditor::mark_of(const QTextBlock& block) const {
  const auto it = std::find_if(marks_.begin(), marks_.end(), [&](const Placed& placed) {
    return placed.place.blockNumber() == block.blockNumber();
  });
  return it == marks_.end() ? nullptr : &*it;
}

void YamlEditor::update_selections() {
  QList<QTextEdit::ExtraSelection> selections;
  QTextEdit::ExtraSelection current;
  current.format.setBackground(theme().hover);
  current.format.setProperty(QTextFormat::FullWidthSelection, true);
  current.cursor = textCursor();
  current.cursor.clearSelection();
  if (!isReadOnly()) selections.append(current);
  for (const Placed& placed : marks_) {
    QTextEdit::ExtraSelection wave;
    wave.cursor = words_of(placed.place.block());
    wave.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    wave.format.setUnderlineColor(color_of(placed.mark));
    selections.append(wave);
  }
  setExtraSelections(selections);
}

void YamlEditor::go_to_line(int line) {
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  if (!block.isValid()) return;
  QTextCursor cursor = words_of(block);
  cursor.clearSelection();
  setTextCursor(cursor);
  centerCursor();
  setFocus();
}

// --- painting

int YamlEditor::margin_width() const {
  int digits = 1;
  for (int count = blockCount(); count >= 10; count /= 10) ++digits;
  const int width = fontMetrics().horizontalAdvance(u'9') * std::max(digits, least_digits);
  return mark_width + width + grid + half_grid;
}

void YamlEditor::place_margin() {
  setViewportMargins(margin_width() + half_grid, 0, 0, 0);
  const QRect inner = contentsRect();
  margin_->setGeometry(inner.left(), inner.top(), margin_width(), inner.height());
}

void YamlEditor::paint_margin(const QRect& exposed, QPainter& painter) {
  painter.fillRect(exposed, theme().window);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font());
  const int height = fontMetrics().height();
  const int current = textCursor().blockNumber();
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    if (place.top() > exposed.bottom()) break;
    if (!block.isVisible() || place.bottom() < exposed.top()) continue;
    const int top = qRound(place.top());
    if (const Placed* placed = mark_of(block)) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(color_of(placed->mark));
      painter.drawEllipse(QRectF(half_grid, top + height / 2.0 - 4, 8, 8));
    }
    painter.setPen(block.blockNumber() == current ? theme().text : theme().faint);
    painter.drawText(0, top, margin_->width() - grid, height, Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(block.blockNumber() + 1));
  }
}

void YamlEditor::paintEvent(QPaintEvent* event) {
  QPlainTextEdit::paintEvent(event);
  if (marks_.empty()) return;
  QPainter painter(viewport());
  painter.setFont(font());
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    if (place.top() > viewport()->height()) break;
    if (const Placed* placed = mark_of(block)) paint_message(painter, block, *placed);
  }
}

void YamlEditor::paint_message(QPainter& painter, const QTextBlock& block, const Placed& placed) {
  const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
  const int words_end = fontMetrics().horizontalAdvance(block.text()) + qRound(place.left());
  const int left = words_end + 3 * grid;
  const int room = viewport()->width() - left - grid;
  if (room < 10 * grid) return;  // the list of problems tells it too
  const QString text = fontMetrics().elidedText(one_line(placed.mark.text), Qt::ElideRight, room);
  painter.setPen(color_of(placed.mark));
  painter.drawText(QRectF(left, place.top(), room, fontMetrics().height()),
                   Qt::AlignLeft | Qt::AlignVCenter, text);
}

void YamlEditor::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  place_margin();
}

void YamlEditor::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  highlighter_->rehighlight();
  update_selections();
}

bool YamlEditor::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QPlainTextEdit::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const Placed* placed = mark_of(cursorForPosition(help->pos()).block());
  if (placed == nullptr) {
    QToolTip::hideText();
  } else {
    const QString words = placed->mark.hint.isEmpty()
                              ? placed->mark.text
                              : placed->mark.text + u'\n' + placed->mark.hint;
    QToolTip::showText(help->globalPos(), plain(words).toHtmlEscaped(), this);
  }
  return true;
}

// --- typing

void YamlEditor::keyPressEvent(QKeyEvent* event) {
  if (isReadOnly()) return QPlainTextEdit::keyPressEvent(event);
  const bool is_comment = event->key() == Qt::Key_Slash && event->modifiers() == Qt::ControlModifier;
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return indent_new_line();
  if (event->key() == Qt::Key_Backtab) return shift_lines(true);
  if (is_comment) return toggle_comment();
  if (event->key() != Qt::Key_Tab) return QPlainTextEdit::keyPressEvent(event);
  if (textCursor().hasSelection()) return shift_lines(false);
  insertPlainText(QString(indent_step - textCursor().positionInBlock() % indent_step, u' '));
}

void YamlEditor::indent_new_line() {
  const QString before = textCursor().block().text().left(textCursor().positionInBlock());
  insertPlainText(u'\n' + QString(yaml_indent_after(before), u' '));
  ensureCursorVisible();
}

template <class Edit>
void YamlEditor::edit_selected_lines(Edit edit) {
  QTextCursor cursor = textCursor();
  const int last = document()->findBlock(cursor.selectionEnd()).blockNumber();
  QTextBlock block = document()->findBlock(cursor.selectionStart());
  cursor.beginEditBlock();
  for (; block.isValid() && block.blockNumber() <= last; block = block.next()) {
    QTextCursor line(block);
    edit(line, block.text());
  }
  cursor.endEditBlock();
}

void YamlEditor::shift_lines(bool outwards) {
  edit_selected_lines([outwards](QTextCursor& line, const QString& text) {
    if (!outwards) return line.insertText(QString(indent_step, u' '));
    for (int i = 0; i < indent_step && i < text.size() && text[i] == u' '; ++i) line.deleteChar();
  });
}

void YamlEditor::toggle_comment() {
  edit_selected_lines([](QTextCursor& line, const QString& text) {
    int first = 0;
    while (first < text.size() && text[first] == u' ') ++first;
    line.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, first);
    if (!text.mid(first).startsWith(u'#')) return line.insertText(u"# "_s);
    line.deleteChar();
    if (text.mid(first).startsWith(u"# "_s)) line.deleteChar();
  });
}

bool YamlEditor::canInsertFromMimeData(const QMimeData* source) const {
  return !local_file(source).isEmpty() || QPlainTextEdit::canInsertFromMimeData(source);
}

void YamlEditor::insertFromMimeData(const QMimeData* source) {
  const QString path = local_file(source);
  if (path.isEmpty()) return QPlainTextEdit::insertFromMimeData(source);
  Q_EMIT file_dropped(path);
}

}  // namespace dt::gui
