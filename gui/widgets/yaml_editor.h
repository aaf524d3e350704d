// A text editor for configurations: line numbers, colours, spaces for tabs, and problems shown at
// their line: a mark in the margin, a wave under the words and the message behind them. Marks move
// with their line while it is edited, until new ones are set. All foreign text is shown as plain
// text. GUI thread only.
#pragma once

#include <QPlainTextEdit>
#include <QTextCursor>
#include <vector>

namespace dt::gui {

class YamlHighlighter;

class YamlEditor : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit YamlEditor(QWidget* parent = nullptr);

  struct Mark {
    int line = 0;  // from 1
    QString text;
    QString hint;
    bool is_warning = false;
  };
  void set_marks(const std::vector<Mark>& marks);
  // Lines as they are now; moved with the text.
  std::vector<Mark> marks() const;
  void go_to_line(int line);

  int margin_width() const;
  void paint_margin(const QRect& exposed, QPainter& painter);

 Q_SIGNALS:
  void file_dropped(const QString& path);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  bool canInsertFromMimeData(const QMimeData* source) const override;
  void insertFromMimeData(const QMimeData* source) override;

 private:
  struct Placed {
    Mark mark;
    QTextCursor place;
  };

  const Placed* mark_of(const QTextBlock& block) const;
  void update_selections();
  void place_margin();
  void paint_message(QPainter& painter, const QTextBlock& block, const Placed& placed);
  void indent_new_line();
  void shift_lines(bool outwards);
  void toggle_comment();
  template <class Edit>
  void edit_selected_lines(Edit edit);

  QWidget* margin_;
  YamlHighlighter* highlighter_;
  std::vector<Placed> marks_;  // by line, errors first
};

}  // namespace dt::gui
