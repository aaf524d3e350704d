// A filter's text in words, each with its place.
#pragma once

#include <QString>
#include <variant>
#include <vector>

#include "gui/data/filter.h"

namespace dt::gui {

struct FilterWord {
  enum class Kind { word, quoted, sign, open, close, end };
  Kind kind = Kind::end;
  QString text;
  qsizetype at = 0;
  qsizetype length = 0;

  bool is(const char* keyword) const {
    return kind == Kind::word && text.compare(QLatin1String(keyword), Qt::CaseInsensitive) == 0;
  }
};

// The last one is `end`.
std::variant<std::vector<FilterWord>, FilterError> words_of(const QString& text);

}  // namespace dt::gui
