// What pages of a place have in common: margins, the title with a word beside it, room for buttons,
// and the content below.
#pragma once

class QHBoxLayout;
class QLabel;
class QTabWidget;
class QVBoxLayout;
class QWidget;

namespace dt::gui {

struct PageFrame {
  QVBoxLayout* rows = nullptr;     // title, then what the page adds, then the content
  QHBoxLayout* buttons = nullptr;  // right of the title
};

// The title is the page's windowTitle(); `word` stands beside it in the second rank.
PageFrame build_frame(QWidget& page, QLabel* word, QWidget* content);

// The parent that the tabs give to their pages. With a style sheet each change of parent styles all
// that is below anew, so what is made for a tab is made with this one.
QWidget* parent_in(const QTabWidget& tabs);

}  // namespace dt::gui
