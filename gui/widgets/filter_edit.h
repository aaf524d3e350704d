// The line above a table in which people type what they look for (data/filter.h). What cannot be
// understood is underlined at its place with a word below, and the last good filter stays. GUI
// thread only.
#pragma once

#include <QLineEdit>
#include <QTimer>
#include <optional>

#include "gui/data/filter.h"

class QLabel;

namespace dt::gui {

class TableView;

class FilterEdit : public QWidget {
  Q_OBJECT

 public:
  FilterEdit(TableView& table, const QString& hint, QWidget* parent = nullptr);

  QString text() const;
  void set_text(const QString& text);
  // Empty: the filter is understood.
  QString problem() const;
  void take_focus();
  // Ctrl+F and / anywhere in the page lead here.
  void add_keys(QWidget& page);

 Q_SIGNALS:
  void applied();

 private:
  void apply();
  void show_problem(const std::optional<FilterError>& error);

  TableView& table_;
  QLineEdit* edit_;
  QLabel* problem_;
  QTimer apply_later_;
};

}  // namespace dt::gui
