// Looks at a window as a critic would: text that has no room, controls that overlap, words that are
// too faint on their ground.
#pragma once

#include <QImage>
#include <QStringList>
#include <QWidget>

namespace dt::gui {

// What is drawn, at a scale; 2 is a screen of 200 %.
QImage picture_of(QWidget& window, qreal scale);

// Labels, buttons, tabs and column headings whose text does not fit.
QStringList clipped_in(const QWidget& window);
// Labels and controls of one parent that cover each other.
QStringList overlaps_in(const QWidget& window);
// Labels and buttons whose text has less than 4.5:1 against its ground, as drawn.
QStringList faint_in(QWidget& window);

// WCAG 2's ratio of luminances, 1 to 21.
double contrast(const QColor& a, const QColor& b);

// Every text that people can read in it: labels, buttons, tabs, cells of tables, line edits.
QString words_in(const QWidget& window);

}  // namespace dt::gui
