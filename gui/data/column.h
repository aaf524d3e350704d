// What a table says of its columns and cells, beside what Qt asks for.
#pragma once

#include <QString>

#include "gui/data/links.h"

namespace dt::gui {

// Beside Qt's own roles: what delegates, filters and clicks need of a cell.
enum Role {
  sort_role = Qt::UserRole,  // a QVariant that compares in the order people expect
  link_role,                 // the Link that a click opens; invalid: none
  key_role,                  // the row's key, qint64
  swatch_role,               // QColor of the run in charts; invalid: none
  fraction_role,             // 0…1 for a progress bar; invalid: text only
  state_role,                // the state's word, which chooses the dot's colour
};

struct Column {
  QString name;  // as filters write it: "validation_loss"
  QString title;
  bool is_number = false;  // right-aligned, tabular figures
  int width = 0;           // characters; 0: stretches
};

}  // namespace dt::gui
