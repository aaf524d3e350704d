// Values on top of a configuration: fields for the common ones, a table for all others. Both make one
// list of KEY=VALUE. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/models/overrides_model.h"

class QLineEdit;
class QTableView;

namespace dt::gui {

class OverridesForm : public QWidget {
  Q_OBJECT

 public:
  explicit OverridesForm(QWidget* parent = nullptr);

  void set_overrides(const std::vector<Override>& overrides);
  std::vector<Override> overrides() const;
  // The resolved configuration: fields show what holds without them.
  void set_resolved(const QString& json);

 Q_SIGNALS:
  void changed();

 private:
  struct Field {
    QString key;
    QLineEdit* edit;
    bool is_text;  // quoted, so that any name is YAML
  };

  void add_field(const QString& key, const QString& title, bool is_text);
  void build_table();
  Field* field_of(const QString& key);

  std::vector<Field> fields_;
  OverridesModel model_;
  QTableView* table_;
};

}  // namespace dt::gui
