#include "gui/widgets/style_sheet.h"

#include <utility>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

// Names in @ stand for colours. Properties that code sets: primary and danger (buttons), flat (tool
// buttons), faint (labels of second rank), mono.
constexpr const char* sheet = R"(
QToolTip { background: @raised; color: @text; border: 1px solid @line; padding: 4px 6px; }
QLabel[faint="true"] { color: @faint; }
QLabel[bad="true"] { color: @bad; }
QFrame#card, QWidget#card { background: @surface; border: 1px solid @line; border-radius: 6px; }

QPushButton, QToolButton {
  background: @surface; color: @text; border: 1px solid @line; border-radius: 5px;
  padding: 4px 12px; min-height: 18px;
}
QPushButton:hover, QToolButton:hover { background: @hover; }
QPushButton:pressed, QToolButton:pressed, QToolButton:checked { background: @selection; }
QPushButton:disabled, QToolButton:disabled { color: @faint; background: @window; }
QPushButton:focus, QToolButton:focus { border-color: @accent; }
QPushButton[primary="true"] { background: @accent; color: @on_accent; border-color: @accent; }
QPushButton[primary="true"]:hover { background: @accent_hover; }
QPushButton[primary="true"]:disabled { background: @hover; color: @faint; border-color: @line; }
QPushButton[danger="true"] { background: @bad; color: @on_bad; border-color: @bad; }
QToolButton { padding: 4px 6px; }
QToolButton[flat="true"] { background: transparent; border-color: transparent; }
QToolButton[flat="true"]:hover { background: @hover; }
QToolButton[flat="true"]:focus { border-color: @accent; }
QToolButton[flat="true"]:checked { background: @selection; }
QToolButton[close="true"] {
  background: transparent; border: none; border-radius: 4px; padding: 2px; min-height: 0; margin: 0 4px;
}
QToolButton[close="true"]:hover { background: @line; }
QToolButton[rail="true"] {
  background: transparent; border: none; border-radius: 5px; padding: 4px 8px;
}
QToolButton[rail="true"]:hover { background: @hover; }
QToolButton[rail="true"]:checked { background: @selection; }
QToolButton[rail="true"]:focus { border: 1px solid @accent; }
QPushButton[search="true"] { text-align: left; color: @faint; background: @window; }
QPushButton[search="true"]:hover { background: @hover; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; width: 0; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {
  background: @surface; border: 1px solid @line; border-radius: 5px;
  padding: 4px 6px; selection-background-color: @accent; selection-color: @on_accent;
}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QComboBox:focus {
  border-color: @accent;
}
QLineEdit { padding: 0 6px; min-height: 26px; }
QLineEdit QToolButton { background: transparent; border: none; padding: 0; min-height: 0; }
QLineEdit[invalid="true"] { border-color: @bad; }
QLineEdit:disabled { color: @faint; background: @window; }
QComboBox { padding: 4px 26px 4px 8px; min-height: 18px; }
QComboBox:hover { background: @hover; }
QComboBox::drop-down { border: none; width: 26px; }
QComboBox QAbstractItemView { background: @raised; color: @text; border: 1px solid @line; }

QMenu { background: @raised; color: @text; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::icon { padding-left: 8px; }
QMenu::item:selected { background: @selection; color: @text; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 6px; }

QTabWidget::pane { border: none; border-top: 1px solid @line; }
QTabBar { qproperty-drawBase: 0; background: transparent; }
QTabBar::tab {
  background: transparent; color: @faint; border: none; border-bottom: 2px solid transparent;
  padding: 7px 12px 6px 12px;
}
QTabBar::tab:hover { color: @text; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:focus { color: @accent; }

QTableView, QTreeView, QListView, QAbstractScrollArea#log {
  background: @surface; color: @text; border: 1px solid @line; border-radius: 6px;
  gridline-color: @line;
  selection-background-color: @selection; selection-color: @text; outline: none;
}
QHeaderView { background: @surface; border: none; border-bottom: 1px solid @line; }
QHeaderView::section {
  background: @surface; color: @faint; border: none; padding: 6px 8px;
}
QHeaderView::section:hover { color: @text; }
QTableCornerButton::section { background: @surface; border: none; }

QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: @scroll; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: @faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; }

QSplitter::handle { background: @line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QSplitter[gap="true"]::handle { background: transparent; }
QSplitter::handle:hover, QSplitter[gap="true"]::handle:hover { background: @accent; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: @line; }
QSlider::sub-page:horizontal { border-radius: 2px; background: @accent; }
QSlider::handle:horizontal {
  width: 12px; height: 12px; margin: -5px 0; border-radius: 7px;
  background: @surface; border: 1px solid @faint;
}
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { border-color: @accent; }
QProgressBar {
  background: @hover; border: none; border-radius: 3px; max-height: 6px; min-height: 6px;
}
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QDialog { background: @window; }
QDialog#palette { background: @raised; border: 1px solid @line; }
QDialog#palette QListView { background: @raised; border: none; }
QFrame#toast { background: @raised; border: 1px solid @line; border-radius: 6px; }
)";

QString hex(const QColor& color) { return color.name(QColor::HexRgb); }

}  // namespace

QString style_sheet(const Theme& theme) {
  const QColor accent_hover = theme.is_dark ? theme.accent.lighter(110) : theme.accent.darker(112);
  const QColor scroll = theme.is_dark ? theme.line.lighter(140) : theme.line.darker(115);
  const QColor on_bad = theme.is_dark ? theme.window : theme.on_accent;
  // Longer names first, so that no name is taken for the start of another.
  const std::pair<const char*, QColor> colors[] = {{"@accent_hover", accent_hover},
                                                   {"@on_accent", theme.on_accent},
                                                   {"@on_bad", on_bad},
                                                   {"@selection", theme.selection},
                                                   {"@surface", theme.surface},
                                                   {"@window", theme.window},
                                                   {"@raised", theme.raised},
                                                   {"@accent", theme.accent},
                                                   {"@scroll", scroll},
                                                   {"@hover", theme.hover},
                                                   {"@faint", theme.faint},
                                                   {"@text", theme.text},
                                                   {"@line", theme.line},
                                                   {"@bad", theme.bad}};
  QString text = QString::fromLatin1(sheet);
  for (const auto& [name, color] : colors) text.replace(QLatin1String(name), hex(color));
  return text;
}

}  // namespace dt::gui
